"""Leaving out hidden chunks never changes an image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from batchnav_renderer import Material
from batchnav_renderer.camera import world_from_camera

OUTPUTS = [("depth",), ("depth", "rgb", "ids", "normals")]


def walk(rng, count, steps):
    """Cameras that walk and turn a little each step, and jump every fifth."""
    where = rng.uniform([-4, 0.8, -4], [4, 1.6, 4], (count, 3))
    turn = rng.uniform(-np.pi, np.pi, count)
    for step in range(steps):
        if step % 5 == 4:
            where = rng.uniform([-4, 0.8, -4], [4, 1.6, 4], (count, 3))
        where = where + rng.normal(0, 0.1, where.shape)
        turn = turn + rng.normal(0, 0.2, count)
        yield world_from_camera(where, turn, rng.uniform(-0.3, 0.3, count))


def with_twins(scene, rng):
    """The scene with ids, and with every fourth triangle twice in other colours, so that depths are equal."""
    twins = np.arange(0, len(scene.triangles), 4)
    order = rng.permutation(len(scene.triangles) + len(twins))
    count = len(scene.positions)
    return replace(
        scene,
        positions=np.concatenate([scene.positions, scene.positions]),
        colors=np.concatenate([scene.colors, 255 - scene.colors]),
        triangles=np.concatenate([scene.triangles, scene.triangles[twins] + np.uint32(count)])[order],
        material_ids=(order % 2).astype(np.int32),
        materials=(Material(), Material(alpha_cutoff=0.4)),
        object_ids=order.astype(np.int32),
    )


@pytest.mark.parametrize("outputs", OUTPUTS)
@pytest.mark.parametrize(("height", "width"), [(16, 16), (11, 23)])
def test_images_are_the_same_bit_for_bit(make_renderer, clutter, rng, outputs, height, width):
    fields = {"height": height, "width": width, "outputs": outputs, "chunk_triangles": 4, "num_workers": 2}
    scenes = [with_twins(clutter(seed, 150), rng) for seed in range(3)]
    renderers = [make_renderer(6, occlusion_culling=mode, **fields) for mode in ("off", "on")]
    ids = [[renderer.add_scene(scene) for scene in scenes[:2]] for renderer in renderers]
    for step, poses in enumerate(walk(rng, 6, 14)):
        if step == 7:  # one of the scenes is swapped for another
            for renderer, names in zip(renderers, ids, strict=True):
                renderer.set_views(np.full(6, names[0]), poses)
                renderer.remove_scene(names.pop())
                names.append(renderer.add_scene(scenes[2]))
        images = []
        for renderer, names in zip(renderers, ids, strict=True):
            renderer.set_views(np.array(names)[[0, 1, 0, 1, step // 3 % 2, 1]], poses)
            images.append(renderer.render())
        for name in outputs:
            np.testing.assert_array_equal(images[1][name], images[0][name])
        assert images[0]["depth"].std() > 0.1


def drawn_triangles(renderer):
    """Triangles of the commands of the last pass of the only worker."""
    (worker,), (pipeline,) = renderer._backend._workers, renderer._backend._pipelines

    def read():
        batch = pipeline._culling._batch
        counts = np.zeros(1 + len(batch.groups), np.uint32)
        commands = np.zeros((sum(batch.max_commands), 5), np.uint32)
        for buffer, array in ((pipeline._culling.counts, counts), (pipeline._culling.commands, commands)):
            worker.api.glGetNamedBufferSubData(buffer.name, 0, array.nbytes, array.ctypes.data)
        return sum(
            int(commands[first : first + count, 0].sum()) // 3
            for first, count in zip(batch.first_command, counts[1:].tolist(), strict=True)
        )

    return worker.run(read)


def test_what_a_wall_hides_is_not_drawn(make_renderer, quads, facing):
    # A wall of one quad before 63 others, far behind it. Halves of the wall lie at the ends of the order
    # along x, so each is in a chunk of two with a triangle behind it: 4 of the 128 triangles are left.
    scene = quads([facing(-99, 99, -99, 99, 1.0)] + [facing(-1, 1, -1, 1, 5 + k / 20) for k in range(63)])
    for mode, expected in (("off", [128, 128]), ("on", [128, 4])):
        renderer = make_renderer(
            outputs=("rgb",), chunk_triangles=2, occlusion_culling=mode, height=16, width=16
        )
        renderer.set_views([renderer.add_scene(scene)], np.eye(4)[None])
        found = []
        for _ in range(2):
            renderer.render()
            found.append(drawn_triangles(renderer))
        assert found == expected
