"""``batchnav scenes check``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from batchnav_renderer.errors import EGLError
from gym_batchnav.cli import main
from gym_batchnav.cli.scenes.args import Agent
from gym_batchnav.cli.scenes.drawing import preview
from gym_batchnav.cli.scenes.pool import spread
from gym_batchnav.cli.scenes.settings import bake_settings
from gym_batchnav.errors import ConfigError
from gym_batchnav.nav import AgentSettings
from tests.unit.cli.boxes import box

# The floor of 6 x 4 m less a cell of 0.05 m for each wall and 0.1 m for the agent: 5.7 x 3.7 m.
ROOM_M2 = 21.09


def test_the_figures_of_a_room(room, check, capsys, tmp_path):
    status, (found,) = check(room(), "--preview", tmp_path / "pictures")
    assert status == 0
    assert found["ok"]
    # Six sides of two triangles.
    assert (found["triangles"], found["textures"], found["size_m"]) == (12, 0, [6.0, 3.0, 4.0])
    assert found["walkable_m2"] == pytest.approx(ROOM_M2, abs=0.01)
    assert found["ground_from"] == "baked"
    assert found["num_islands"] == len(found["storeys"]) == found["largest_island_share"] == 1
    # Half the diagonal of the walkable rectangle.
    assert found["islands"][0]["radius_m"] == pytest.approx(np.hypot(5.7, 3.7) / 2, abs=0.01)
    assert found["warnings"] == found["advice"] == []
    with Image.open(found["preview"]) as picture:
        assert picture.width > 1000
        assert picture.height > 500
    told = capsys.readouterr().out
    for words in ("triangles", "12", "6.00 x 3.00 x 4.00 m", "walkable", "m2", "+Y and metres", "preview"):
        assert words in told


def test_two_storeys(room, check):
    # Two rooms of 6 x 4 m, one over the other, with a slab of 0.5 m between them.
    boxes = [box((0, y, 0), (6, y + 3, 4), inward=True) for y in (0.0, 3.5)]
    _, (found,) = check(room(boxes=boxes), "--no-preview")
    heights = [storey["height_m"] for storey in found["storeys"]]
    # The bake's voxels are 0.2 m high, and ground lies on top of the voxel that it starts in.
    assert heights == pytest.approx([0.1, 3.6], abs=0.21)
    # The upper ceiling is not seen from above, and nothing else is walkable.
    assert [storey["area_m2"] for storey in found["storeys"]] == pytest.approx([ROOM_M2] * 2, abs=0.01)
    assert found["num_islands"] == 2
    assert "preview" not in found


def test_a_scene_that_fails_does_not_stop_the_others(room, check, tmp_path, capsys):
    (broken := tmp_path / "broken.glb").write_bytes(b"glTF nonsense")
    status, found = check(broken, tmp_path / "missing.glb", room(), "--no-preview")
    assert status == 1
    assert [one["ok"] for one in found] == [False, False, True]
    assert "broken.glb" in found[0]["error"]
    assert "no such scene file" in found[1]["error"]
    told = capsys.readouterr().out
    assert told.count("cannot be used /") == told.count("cannot be used scenes=") == 1
    assert "2 of 3 scenes cannot be used" in told


def test_z_up_is_noticed_and_mended(room, check, capsys):
    # 12 x 8 m and 3 m high, with z and y exchanged.
    tall = room(boxes=[box((0, 0, 0), (12, 3, 8), inward=True)], axes=(0, 2, 1))
    _, (found,) = check(tall, "--no-preview")
    assert found["size_m"] == [12.0, 8.0, 3.0]
    assert any("as if z were up" in warning for warning in found["warnings"])
    assert "looks as if z were up" in capsys.readouterr().out
    _, (found,) = check(tall, "--no-preview", "--up", "z")
    assert (found["size_m"], found["warnings"]) == ([12.0, 3.0, 8.0], [])


def test_millimetres_are_noticed_and_mended(room, check):
    large = room(scale=1000.0)
    status, (found,) = check(large, "--no-preview", "--set", "region_min_size=0")
    assert status == 1
    assert any("in millimetres" in warning for warning in found["warnings"])
    status, (found,) = check(large, "--no-preview", "--scale", "0.001")
    assert (status, found["walkable_m2"]) == (0, pytest.approx(ROOM_M2, abs=0.01))


def test_the_agent_decides_what_is_walkable(room, check):
    _, (found,) = check(room(), "--no-preview", "--agent-radius", "0.5")
    # 6 - 2 x 0.55 by 4 - 2 x 0.55 metres.
    assert found["walkable_m2"] == pytest.approx(4.9 * 2.9, abs=0.01)
    status, (found,) = check(room(), "--no-preview", "--agent-height", "3.5")
    assert status == 1
    assert "walkable" in found["error"]


def test_the_options_of_the_agent_are_those_of_the_bake():
    assert bake_settings(Agent()) == AgentSettings()
    settings = bake_settings(Agent(set=("region_min_size=3", "filter_ledge_spans=false")))
    assert settings == AgentSettings(region_min_size=3, filter_ledge_spans=False)


@pytest.mark.parametrize(
    "setting", ["size=3", "region_min_size", "region_min_size=big", "filter_ledge_spans=1"]
)
def test_wrong_settings_of_the_bake_are_named(setting):
    with pytest.raises(ConfigError, match=setting):
        bake_settings(Agent(set=(setting,)))


def test_missing_textures_are_counted(room, check, tmp_path, capsys):
    (tmp_path / "room.mtl").write_text("newmtl wall\nmap_Kd lost.png\n", encoding="utf-8")
    _, (found,) = check(room(head="mtllib room.mtl\nusemtl wall"), "--no-preview")
    assert any("lost.png" in warning for warning in found["warnings"])
    assert "lost.png" in capsys.readouterr().out


def test_a_mesh_of_another_scene_is_noticed(room, check, tmp_path):
    other = room("other.obj", boxes=[box((100, 0, 0), (106, 3, 4), inward=True)])
    assert main(["scenes", "bake", str(other), "-o", str(tmp_path / "room.navmesh")]) == 0
    _, (found,) = check(room(), "--no-preview")
    assert found["ground_from"] == str(tmp_path / "room.navmesh")
    assert any("100% of the ground lies outside of the scene" in line for line in found["advice"])
    _, (found,) = check(room(), "--no-preview", "--bake")
    assert (found["ground_from"], found["advice"]) == ("baked", [])


def test_ground_that_is_too_small_for_episodes_is_noticed(room, check):
    # The walkable part of 1.6 x 1.6 m is 1.3 x 1.3 m; half its diagonal is 0.92 m.
    small = room(boxes=[box((0, 0, 0), (1.6, 3, 1.6), inward=True)])
    _, (found,) = check(small, "--no-preview")
    assert any("no island has a radius of 1.5 m (the widest has 0.92 m)" in line for line in found["advice"])


def test_a_mesh_for_a_smaller_agent_is_not_taken(room, check):
    path = room()
    assert main(["scenes", "bake", str(path)]) == 0
    _, (found,) = check(path, "--no-preview")
    assert found["ground_from"] == str(path.with_suffix(".navmesh"))
    _, (found,) = check(path, "--no-preview", "--agent-radius", "0.5")
    assert "is for a smaller agent" in found["ground_from"]
    assert found["walkable_m2"] == pytest.approx(4.9 * 2.9, abs=0.01)


def test_a_data_set_of_habitat(room, check, tmp_path):
    (tmp_path / "stages").mkdir()
    room("stages/flat.obj")
    config = tmp_path / "set.scene_dataset_config.json"
    config.write_text(json.dumps({"stages": {"paths": {".obj": ["stages"]}}}), encoding="utf-8")
    status, found = check(config, f"{config}:none", "--preview", tmp_path / "pictures")
    assert status == 1
    assert [one["name"] for one in found] == [f"{config}:flat", f"{config}:none"]
    assert found[0]["walkable_m2"] == pytest.approx(ROOM_M2, abs=0.01)
    assert found[0]["preview"] == str(tmp_path / "pictures" / "flat.png")
    assert "has no scene" in found[1]["error"]


def test_a_renderer_that_fails_is_told_of(room, check, monkeypatch, tmp_path):
    def fail(*arguments):
        raise EGLError("no display")

    monkeypatch.setattr(preview, "draw_preview", fail)
    status, (found,) = check(room(), "--preview", tmp_path / "pictures")
    assert (status, found["error"]) == (1, "no display")
    assert found["walkable_m2"] == pytest.approx(ROOM_M2, abs=0.01)


def test_houses_are_checked_too(check, tmp_path):
    status, found = check("houses:val[:2]", "--no-preview")
    assert status == 0
    assert [one["name"].rpartition("/")[2] for one in found] == ["0000", "0001"]
    assert [one["ground_from"] for one in found] == ["the house"] * 2
    assert all(one["warnings"] == one["advice"] == [] for one in found)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no scenes were given"),
        (["a.glb", "b.glb", "--navmesh", "c.navmesh"], "for a single scene file"),
        (["houses:val/0", "--workers", "0"], "--workers 0 is not allowed"),
        (["houses:val/0", "--cell-size", "0"], "cell_size"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["scenes", "check", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_workers_find_the_same(room, check):
    paths = [
        room(),
        room("wide.obj", boxes=[box((0, 0, 0), (9, 3, 4), inward=True)]),
        "houses:val/0",
        "no.glb",
    ]
    times = ("load_s", "ground_s")
    alone, together = (
        [{key: value for key, value in one.items() if key not in times} for one in found]
        for _, found in (check(*paths, "--no-preview", "--workers", n) for n in (1, 2))
    )
    assert alone == together


@pytest.mark.slow
def test_a_worker_that_dies_is_told_of_and_the_others_go_on():
    work = ["1 + 1", "__import__('os')._exit(3)", "2 + 2"]
    assert dict(spread(eval, work, 2, lost=lambda item: f"lost {item}")) == {
        0: 2,
        1: f"lost {work[1]}",
        2: 4,
    }


@pytest.mark.slow
def test_what_nobody_waits_for_is_not_begun(tmp_path):
    work = [
        f"__import__('time').sleep(0.2) or open({str(tmp_path / str(n))!r}, 'w').close()" for n in range(20)
    ]
    results = spread(eval, work, 1 + 1, lost=str)
    next(results)
    results.close()
    # Two were at work, and the pool hands out one more to each ahead of time.
    assert 1 <= len(list(tmp_path.iterdir())) < 10


# Triangles as their description says; walkable area in m2 of the same triangles baked by Recast, None where
# nobody else has said; storeys (with the roof, and of the dungeon the three levels of its demo).
SHARED = {
    "aws_small_house.glb": (145_844, 142.7, 1),
    "aws_small_house.basis_etc1s.glb": (145_844, 142.7, 1),
    "ifc_duplex.glb": (26_348, 384.0, 3),
    "gazebo_cafe.glb": (23_834, 187.0, 1),
    "quest_living_room.glb": (62_102, 14.8, 1),
    "recast_dungeon.obj": (10_133, 2030.0, 3),
    "houseexpo_1451_zup.ply": (1_732, None, 1),
    "cave_draco.glb": (595_410, None, 1),
    "hotel_room_meshopt_mm.glb": (99_029, None, 1),
    "simple-instancing.glb": (1_500, None, 1),
    "PrimitiveModeNormalsTest.glb": (2_562, None, 1),
}
OPTIONS = {"houseexpo_1451_zup.ply": ["--up", "z"], "hotel_room_meshopt_mm.glb": ["--scale", "0.001"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_scenes_of_others(shared_data, check, name, tmp_path):
    for module in ("trimesh", "DracoPy", "meshopt", "opengl_basisu"):
        pytest.importorskip(module, reason="the extra 'formats' is not installed")
    options = OPTIONS.get(name, [])
    if "basis" in name:
        # The same triangles as the plain file's, whose ground is baked above.
        options = ["--navmesh", shared_data / "navmesh" / "aws_small_house.navmesh"]
    path = shared_data / "scenes" / name
    status, (found,) = check(path, *options, "--preview", tmp_path / "pictures")
    triangles, area, storeys = SHARED[name]
    assert status == 0
    assert len(found["storeys"]) == storeys
    if area is not None:
        assert found["walkable_m2"] == pytest.approx(area, rel=0.03)
    assert found["triangles"] == triangles
    with Image.open(found["preview"]) as picture:
        # Paper, map and views: a page of one colour would be a failure.
        assert np.asarray(picture.convert("L")).std() > 20
