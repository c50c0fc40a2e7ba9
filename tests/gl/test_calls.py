"""The number of GL calls of a render depends neither on the views nor on the scenes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from batchnav_renderer import Material, Texture

FOUR = ("depth", "rgb", "ids", "normals")


def count_calls(renderer):
    """GL calls of a render, by name; without the checks after each call of the debug mode."""
    renderer.render()
    (worker,) = renderer._backend._workers
    calls: Counter[str] = Counter()

    def counted(name, function):
        def call(*arguments):
            calls[name] += 1
            return function(*arguments)

        return call

    found = {name: value for name, value in vars(worker.api).items() if name.startswith("gl")}
    for name, function in found.items():
        setattr(worker.api, name, counted(name, function))
    renderer.render()
    for name, function in found.items():
        setattr(worker.api, name, function)
    return calls


@pytest.fixture
def count(make_renderer, random_poses, monkeypatch):
    """Counts the calls of one render of scenes in so many views."""
    monkeypatch.delenv("BATCHNAV_GL_DEBUG")

    def run(num_views, scenes, **fields):
        renderer = make_renderer(num_views, num_workers=1, **fields)
        ids = np.array([renderer.add_scene(scene) for scene in scenes])
        renderer.set_views(ids[np.arange(num_views) % len(ids)], random_poses(num_views))
        return count_calls(renderer)

    return run


@pytest.mark.parametrize("occlusion_culling", ["off", "on"])
@pytest.mark.parametrize("outputs", [("depth",), ("depth", "rgb"), FOUR])
def test_calls_are_constant(count, clutter, outputs, occlusion_culling):
    fields = {"outputs": outputs, "occlusion_culling": occlusion_culling}
    few = count(2, [clutter(1, 3)], **fields)
    many = count(300, [clutter(seed, 20) for seed in range(12)], **fields)
    assert few == many
    passes = 2 if occlusion_culling == "on" else 1
    assert many["glMultiDrawElementsIndirectCountARB"] == passes
    assert sum(many.values()) <= 60 * passes


def textured(quads, facing, rng, sizes):
    """A scene with a textured quad, opaque and cut out, for each size of texture and pair of wrap modes."""
    wraps = [(u, v) for u in ("repeat", "clamp", "mirror") for v in ("repeat", "clamp", "mirror")]
    textures = [
        Texture(pixels=rng.integers(0, 256, (size, size, 4), dtype=np.uint8), wrap=wrap)
        for size in sizes
        for wrap in wraps
    ]
    materials = [
        Material(texture=number, alpha_cutoff=cutoff)
        for number in range(len(textures))
        for cutoff in (0.0, 0.5)
    ]
    count = len(materials)
    return quads(
        [facing(-1, 1, -1, 1, 1 + number / 100) for number in range(count)],
        np.tile([[0, 0], [0, 1], [1, 1], [1, 0]], (count, 1)),
        materials=tuple(materials),
        textures=tuple(textures),
        material_ids=np.repeat(np.arange(count, dtype=np.int32), 2),
    )


def test_draws_are_bounded_whatever_the_textures(count, quads, facing, rng):
    # A draw for opaque and one for cut-out materials with each size of texture; there are 7 up to 64.
    sizes = [1 << power for power in range(7)]
    fields = {"outputs": ("rgb",), "occlusion_culling": "off"}
    one = count(3, [textured(quads, facing, rng, sizes)], **fields)
    twice = count(9, [textured(quads, facing, rng, sizes[half::2]) for half in range(2)], **fields)
    assert one == twice
    assert one["glMultiDrawElementsIndirectCountARB"] == 14
    assert sum(one.values()) <= 30 + 4 * 14


def test_the_report_of_a_driver_says_what_its_context_can_do():
    from batchnav_renderer import RenderConfig
    from batchnav_renderer.gl.report import USED_EXTENSIONS, driver_report
    from batchnav_renderer.gl.settings import NEEDED

    found = driver_report(RenderConfig(num_views=64, device="cpu", backend="gl"))
    assert found["gl_version"].startswith("4.")
    assert found["extensions"].keys() == USED_EXTENSIONS.keys()
    assert all(found["extensions"][name] for name in NEEDED)
    # The least that OpenGL 4.5 asks of drivers.
    least = {
        "texture_size": 16384, "array_texture_layers": 2048, "color_attachments": 8,
        "shader_storage_block_size": 1 << 27, "uniform_block_size": 1 << 14,
        "compute_work_group_invocations": 1024, "compute_shared_memory_size": 1 << 15,
    }  # fmt: skip
    for name, value in least.items():
        assert found["limits"][name] >= value, name
