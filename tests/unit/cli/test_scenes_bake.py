"""``batchnav scenes bake``."""

from __future__ import annotations

import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.scenes.bake import file_name
from gym_batchnav.nav import AgentSettings, NavMesh, bake_navmesh
from gym_batchnav.scenes import load_scene
from tests.unit.cli.boxes import box


def bake(*arguments):
    return main(["scenes", "bake", *map(str, arguments)])


def test_it_is_written_beside_the_scene_and_used_from_then_on(room, capsys):
    path = room()
    assert bake(path, "--agent-radius", "0.2") == 0
    beside = path.with_suffix(".navmesh")
    assert load_scene(path).navmesh_path == beside
    mesh = NavMesh.load(beside)
    # 6 x 4 m less 0.25 m along the walls.
    assert mesh.area_m2 == pytest.approx(5.5 * 3.5, abs=0.01)
    assert mesh.settings.agent_radius == pytest.approx(0.2)
    told = capsys.readouterr().out
    assert f"{beside}: 19.2 m2 on 1 island, 1 polygons" in told.replace("\n", "")


def test_the_same_as_baked_in_python(room):
    path = room()
    bake(path, "--set", "edge_max_error=0.5", "--cell-height", "0.1")
    settings = AgentSettings(edge_max_error=0.5, cell_height=0.1)
    scene = load_scene(path)
    bake_navmesh(scene.positions, scene.triangles, settings).save(path.with_name("other.navmesh"))
    assert path.with_suffix(".navmesh").read_bytes() == path.with_name("other.navmesh").read_bytes()


def test_what_is_there_is_kept_without_force(room, capsys):
    path = room()
    beside = path.with_suffix(".navmesh")
    beside.write_bytes(b"mine")
    assert bake(path) == 2
    assert "give --force" in capsys.readouterr().err
    assert beside.read_bytes() == b"mine"
    assert bake(path, "--force") == 0
    assert NavMesh.load(beside).num_islands == 1


def test_a_folder_takes_all_and_a_file_takes_one(room, tmp_path, capsys):
    paths = [room(), room("wide.obj", boxes=[box((0, 0, 0), (9, 3, 4), inward=True)])]
    out = tmp_path / "new" / "meshes"
    assert bake(*paths, "houses:val/3", "-o", out) == 0
    assert sorted(path.name.split("-")[0] for path in out.iterdir()) == [
        "houses",
        "room.navmesh",
        "wide.navmesh",
    ]
    assert bake(paths[0], "-o", tmp_path / "one.navmesh") == 0
    assert (tmp_path / "one.navmesh").is_file()
    assert bake(*paths, "-o", tmp_path / "two.navmesh") == 2
    assert "but there are 2 scenes" in capsys.readouterr().err


def test_scenes_that_fail_do_not_stop_the_others(room, tmp_path, capsys):
    # A room too low to stand in.
    low = room("low.obj", boxes=[box((0, 0, 0), (6, 1, 4), inward=True)])
    assert bake(tmp_path / "none.obj", low, room()) == 1
    assert "2 of 3 scenes could not be baked" in capsys.readouterr().out
    assert (tmp_path / "room.navmesh").is_file()
    assert not (tmp_path / "low.navmesh").exists()


def test_houses_need_a_place_to_be_written_to(capsys):
    assert bake("houses:val/0") == 2
    assert "give --output FOLDER" in capsys.readouterr().err


def test_two_scenes_of_one_name_are_refused(room, tmp_path, capsys):
    (tmp_path / "a").mkdir()
    first = room()
    first.rename(tmp_path / "a" / "room.obj")
    assert bake(tmp_path / "a" / "room.obj", room(), "-o", tmp_path / "out") == 2
    assert "would both be written" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("scene_id", "name"),
    [
        ("/data/hm3d/00800-TEEsavR23oF/TEEsavR23oF.basis.glb", "TEEsavR23oF.basis"),
        ("houses-v2/val/0003", "houses-v2-val-0003"),
        ("data/hssd-hab/hssd-hab.scene_dataset_config.json:102344280", "102344280"),
    ],
)
def test_names_of_files(scene_id, name):
    assert file_name(scene_id) == name
