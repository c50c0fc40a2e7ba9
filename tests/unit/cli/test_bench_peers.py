"""Peers: who may take part, their processes, and what a comparison says. Fakes stand in for libraries."""

from __future__ import annotations

import dataclasses
import itertools
import json
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, RenderConfig
from batchnav_renderer.config import BACKENDS
from batchnav_renderer.types import SceneArrays
from gym_batchnav.cli import main
from gym_batchnav.cli.args import BenchArgs
from gym_batchnav.cli.bench import rivals, step
from gym_batchnav.cli.bench.comparison import comparison
from gym_batchnav.cli.bench.peers import PEERS, embreex, vizdoom
from gym_batchnav.cli.bench.peers.peer import Peer
from gym_batchnav.cli.bench.peers.task import Mesh, Task, read_task, write_task
from gym_batchnav.cli.bench.rivals import MissingPeerError, Rival, choose, start_all
from gym_batchnav.cli.bench.windows import Measurement
from gym_batchnav.config import IMAGE_SENSORS, EnvConfig
from gym_batchnav.cores import usable_cores
from gym_batchnav.errors import ConfigError

FAKE = """
import os, sys, time
from .peer import Peer

def setup(task):
    print("a library that talks")
    os.write(1, b"and one that writes to the descriptor")
    {setup}
    def draw():
        time.sleep(0.001)
        return task.height
    return draw

PEER = Peer(
    name="fake", file=__file__, distribution="numpy", benchmark="render", outputs=("depth",), scene="a fake",
    setup=setup, images_per_call=3,
)
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes a peer of the given set-up code, and lists it beside the real ones."""

    def make(setup: str = "pass", **changes: object) -> Peer:
        file = tmp_path / "fake_peer.py"
        file.write_text(FAKE.format(setup=setup))
        peer = Peer(
            name="fake", file=str(file), distribution="numpy", benchmark="render", outputs=("depth",),
            scene="a fake", setup=lambda task: lambda: 0, images_per_call=3,
        )  # fmt: skip
        peer = dataclasses.replace(peer, **changes)
        monkeypatch.setitem(rivals.PEERS, "fake", peer)
        return peer

    return make


def task(**changes: object) -> Task:
    return dataclasses.replace(Task(outputs=("depth",), height=7, width=5, seed=0), **changes)


def mesh() -> Mesh:
    return Mesh(
        positions=np.arange(9, dtype=np.float32).reshape(3, 3),
        triangles=np.array([[0, 1, 2]], dtype=np.int32),
        uvs=np.empty((0, 2), np.float32),
        colors=np.full((3, 4), 9, np.uint8),
        material_ids=np.zeros(1, np.int32),
        base_colors=np.ones((1, 4), np.float32),
        texture_ids=np.array([1], np.int32),
        textures=[np.full((n, 2, 4), n, np.uint8) for n in (1, 2)],
    )


def a_choice(peer: Peer, named: bool = True) -> rivals.Choice:
    return rivals.Choice(peer, sys.executable, named)


def test_names_take_commas_and_spaces_and_all_means_those_that_can():
    chosen = choose(["embreex,pyrender", "vizdoom"], [], "render", ("depth",))
    assert [choice.peer.name for choice in chosen] == ["embreex", "pyrender", "vizdoom"]
    assert all(choice.named and choice.python == sys.executable for choice in chosen)
    everyone = choose(["all"], [], "render", ("depth",))
    assert [choice.peer.name for choice in everyone] == [
        "embreex",
        "mujoco",
        "pyrender",
        "miniworld",
        "vizdoom",
    ]
    assert not any(choice.named for choice in everyone)
    assert [c.peer.name for c in choose(["all"], [], "render", ("normals",))] == ["embreex"]
    assert [c.peer.name for c in choose(["all"], [], "step", ("depth",))] == ["sync", "async"]
    learners = choose(["all"], [], "train", ("depth",))
    assert [c.peer.name for c in learners] == ["overlap", "act-threads", "sb3", "sb3-recurrent"]
    mixed = choose(["all,miniworld"], [], "render", ("rgb",))
    assert {c.peer.name: c.named for c in mixed} == {"miniworld": True, "pyrender": False, "vizdoom": False}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "--compare", "unreal"], "--compare unreal: there is no such peer; allowed: embreex"),
        (
            ["render", "--compare", "embreex", "--sensors", "rgb"],
            "draws depth, semantic, normals alone, not rgb",
        ),
        (["render", "--compare", "sync"], "--compare sync takes part in bench step alone"),
        (["step", "--compare", "embreex"], "--compare embreex takes part in bench render alone"),
        (["train", "--compare", "sync"], "--compare sync takes part in bench step alone"),
        (["render", "--peer-python", "embreex"], "--peer-python embreex is not allowed; expected NAME=PATH"),
        (
            ["render", "--peer-python", "embreex=/no/such"],
            "expected NAME=PATH with the path of an interpreter",
        ),
        (["render", "--subdivide", "0"], "--subdivide 0 is not allowed"),
        (["step", "--subdivide", "2"], "--subdivide 2 is not allowed"),
        (["render", "--swap-every", "-1"], "--swap-every -1 is not allowed"),
        (["train", "--swap-every", "3"], "--swap-every 3 is not allowed"),
    ],
)
def test_wrong_wishes_are_refused_before_anything_is_measured(arguments, words, capsys, monkeypatch):
    def never(*args: object, **more: object) -> None:
        raise AssertionError("something was measured")

    for module in ("render", "step", "windows"):
        monkeypatch.setattr(f"gym_batchnav.cli.bench.{module}.measure", never)
    assert main(["bench", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_peer_draws_in_processes_of_its_own_and_its_talk_does_not_disturb(fake):
    peer = fake(processes=None)
    with Rival(a_choice(peer), task()) as rival:
        assert rival.processes == usable_cores()
        assert rival.version == np.__version__
        window = rival(0.05)
    # Each process calls at least once, for 7 images.
    assert window.frames % 7 == 0
    assert window.frames >= 7 * usable_cores()
    assert window.seconds >= 0.05
    assert [process.returncode for process in rival._processes] == [0] * usable_cores()


def test_a_peer_runs_in_a_folder_that_goes_away_with_it(fake, tmp_path):
    place = tmp_path / "place"
    with Rival(a_choice(fake(f"open({str(place)!r}, 'w').write(os.getcwd())")), task()):
        folder = Path(place.read_text())
        assert folder.is_dir()
        assert folder != Path.cwd()
    assert not folder.exists()


def test_a_peer_that_does_not_end_is_ended(fake, monkeypatch):
    monkeypatch.setattr(rivals, "_PATIENCE_S", 0.1)
    peer = fake("import threading; threading.Thread(target=time.sleep, args=(60,)).start()")
    with Rival(a_choice(peer), task()) as rival:
        pass
    assert rival._processes[0].returncode == -signal.SIGKILL


def test_stepped_environments_find_their_files_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.glb", "a.navmesh"):
        (tmp_path / name).touch()
    config = EnvConfig(scenes=("a.glb", "houses:train[:2]"), navmesh="a.navmesh", resolution=(16, 16))
    made = step._task(BenchArgs(what="step", num_envs=100), config)
    assert made.env["scenes"] == [str(tmp_path / "a.glb"), "houses:train[:2]"]
    assert made.env["navmesh"] == str(tmp_path / "a.navmesh")
    assert made.num_envs == min(100, 2 * usable_cores())
    assert "autoreset_mode" not in made.env


def test_a_peer_that_is_missing_is_told_of_or_refused(fake):
    peer = fake("import a_library_that_nobody_has")
    said = []
    with ExitStack() as stack:
        assert start_all([a_choice(peer, named=False)], lambda _: task(), stack, said.append) == []
    assert len(said) == 1
    assert "no module 'a_library_that_nobody_has'" in said[0]
    assert "pip install numpy" in said[0]
    with ExitStack() as stack, pytest.raises(MissingPeerError, match="--peer-python fake=PATH"):
        start_all([a_choice(peer)], lambda _: task(), stack, said.append)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ("raise RuntimeError('no display')", "RuntimeError: no display; mend that"),
        ("os._exit(3)", "ended with status 3, its last words were 'and one that writes to the descriptor'"),
    ],
)
def test_a_peer_that_fails_says_why(fake, setup, words):
    with pytest.raises(ConfigError, match=f"--compare fake cannot draw: .*{words}"):
        Rival(a_choice(fake(setup)), task())


def test_another_interpreter_sees_neither_this_library_nor_its_path(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    peer = fake(environment={"A_VARIABLE": "yes"})
    mine = rivals._environment(a_choice(peer))
    assert mine["A_VARIABLE"] == "yes"
    assert str(Path(rivals.__file__).parents[3]) in mine["PYTHONPATH"].split(":")
    (chosen,) = choose(["fake"], [f"fake={other}"], "render", ("depth",))
    assert chosen.python == str(other)
    assert "PYTHONPATH" not in rivals._environment(chosen)


def test_the_record_of_a_comparison(fake):
    with Rival(a_choice(fake(threads=None)), task()) as rival:
        theirs = Measurement((30.0, 10.0, 20.0, 90.0, 5.0), (), 1)
        ours = Measurement((50.0,) * 5, (), 1)
        # The median of their windows is 20, ours 50: 50 / 20 = 2.5.
        assert comparison(rival, theirs, ours) == {
            "name": "fake",
            "version": np.__version__,
            "scene": "a fake",
            "resolution": [7, 5],
            "processes": 1,
            "threads": usable_cores(),
            "images_per_call": 3,
            "frames_per_second": 20.0,
            "windows": (30.0, 10.0, 20.0, 90.0, 5.0),
            "ours": 50.0,
            "ratio": 2.5,
        }


def test_peers_that_do_whole_batches_or_make_processes_of_their_own(fake):
    half = Measurement((1.0,) * 5, (), 1)
    whole = fake(images_per_call=None, spawns=True)
    with Rival(a_choice(whole), task(num_envs=6)) as rival:
        entry = comparison(rival, half, half)
    assert (entry["images_per_call"], entry["processes"]) == (6, 6)
    views = task(scenes=[mesh()], slots=np.zeros(9, int), poses=np.zeros((1, 9, 4, 4)))
    assert (views.batch, views.resolution) == (9, (7, 5))


def test_tasks_survive_the_file(tmp_path):
    poses = np.arange(64, dtype=np.float32).reshape(2, 2, 4, 4)
    written = task(scenes=[mesh(), mesh()._replace(textures=())], slots=np.array([1, 0]), poses=poses)
    write_task(tmp_path / "task.npz", written)
    read = read_task(tmp_path / "task.npz")
    assert (read.outputs, read.height, read.width) == (("depth",), 7, 5)
    assert read.slots.tolist() == [1, 0]
    assert np.array_equal(read.poses, poses)
    for name in Mesh._fields[:-1]:
        assert np.array_equal(getattr(read.scenes[0], name), getattr(mesh(), name))
    assert [image.shape for image in read.scenes[0].textures] == [(1, 2, 4), (2, 2, 4)]
    assert list(read.scenes[1].textures) == []
    # Views 1 and 0 of a batch lie in scenes 0 and 1; after both batches the first begins again.
    views = list(itertools.islice(read.views(), 5))
    assert [scene for scene, _ in views] == [0, 1, 0, 1, 0]
    assert [pose[0, 0] for _, pose in views] == [16, 0, 48, 32, 16]
    stepping = task(num_envs=3, env={"scenes": ["houses:train"]}, action_probabilities=(0.5, 0.5))
    write_task(tmp_path / "step.npz", stepping)
    again = read_task(tmp_path / "step.npz")
    assert (again.num_envs, again.env, list(again.scenes)) == (3, {"scenes": ["houses:train"]}, [])


@pytest.mark.parametrize(
    ("asked", "drawn"),
    [
        ((64, 64), (120, 160)),
        ((120, 160), (120, 160)),
        ((128, 128), (150, 200)),
        ((4000, 4000), (1080, 1920)),
    ],
)
def test_vizdoom_draws_the_smallest_size_that_holds_the_image(asked, drawn):
    # 128 rows do not fit into 200 x 125.
    assert vizdoom.smallest(*asked) == drawn


def test_rays_of_embreex_are_those_of_the_renderer():
    """The wall z = -2 and the slope x = 1 + z / 4 as the peer's rays and as the renderer see them."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    corners = [[-9, -9, -2], [9, -9, -2], [0, 9, -2], [1, -9, 0], [1, 9, 0], [-1, 0, -8]]
    arrays = SceneArrays(
        positions=np.array(corners, dtype=np.float32),
        triangles=np.array([[0, 1, 2], [3, 4, 5]], dtype=np.uint32),
        material_ids=np.zeros(2, dtype=np.int32),
    )
    turn = np.array([[0.8, 0, 0.6, 0.1], [0, 1, 0, 0.2], [-0.6, 0, 0.8, 0.3], [0, 0, 0, 1]], dtype=np.float32)
    poses = np.stack([np.eye(4, dtype=np.float32), turn])
    peer_task = task(height=8, width=12, hfov_deg=70.0, slots=np.array([0, 0]), poses=poses[None], threads=1)
    ((number, origins, directions),) = embreex._jobs(peer_task, poses)
    scene = EmbreeScene()
    TriangleMesh(scene, arrays.positions, arrays.triangles.astype(np.int32))
    theirs = np.minimum(scene.run(origins, directions, query="DISTANCE"), 10.0).reshape(2, 8, 12, 1)
    config = RenderConfig(num_views=2, height=8, width=12, hfov_deg=70.0, backend="embree")
    with BatchRenderer(config) as renderer:
        renderer.set_views([renderer.add_scene(arrays)] * 2, poses)
        ours = renderer.render()["depth"]
    assert number == 0
    assert len(np.unique(ours.round(3))) > 10
    assert np.allclose(theirs, ours, atol=1e-4)


def test_choices_of_the_command_are_those_of_renderer_and_environments():
    hints = get_type_hints(BenchArgs)
    assert get_args(hints["backend"]) == (*BACKENDS, "constant")
    assert get_args(get_args(hints["sensors"])[0]) == IMAGE_SENSORS
    assert {name for peer in PEERS.values() for name in peer.outputs} <= set(IMAGE_SENSORS)


SMALL = ["--scenes", "houses:train/0", "--num-envs", "4", "--resolution", "16", "--seconds", "0.2"]


@pytest.mark.slow
def test_bench_render_with_peers(fake, tmp_path, capsys):
    fake(resolution=lambda height, width: (2 * height, width))
    path = tmp_path / "record.json"
    more = ["--backend", "embree", "--compare", "embreex,fake", "--subdivide", "2", "--json", str(path)]
    assert main(["bench", "render", *SMALL, *more]) == 0
    record = json.loads(path.read_text())
    real, fake_record = record["comparisons"]
    assert (real["name"], real["scene"], real["resolution"]) == ("embreex", "the same", [16, 16])
    assert real["ours"] == record["frames_per_second"]
    assert real["ratio"] == pytest.approx(record["frames_per_second"] / real["frames_per_second"])
    assert (fake_record["name"], fake_record["resolution"]) == ("fake", [32, 16])
    # At a resolution of its own it is compared with what this library draws there.
    assert fake_record["ours"] != record["frames_per_second"]
    assert "compared with" in capsys.readouterr().out


@pytest.mark.slow
def test_bench_step_beside_single_environments(tmp_path):
    path = tmp_path / "record.json"
    arguments = ["--backend", "embree", "--compare", "sync,async", "--json", str(path)]
    assert main(["bench", "step", *SMALL, *arguments]) == 0
    record = json.loads(path.read_text())
    assert [entry["name"] for entry in record["comparisons"]] == ["sync", "async"]
    assert all(entry["frames_per_second"] > 0 for entry in record["comparisons"])
