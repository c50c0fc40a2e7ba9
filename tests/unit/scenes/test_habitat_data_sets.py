"""Scene data sets of Habitat: templates, frames, placed objects, navigation meshes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning
from gym_batchnav.scenes.habitat import SceneDataSet, merging
from tests.unit.scenes.habitat_files import TRIPOD, data_set, placed, textured, tripod, write

HALF = float(np.sqrt(0.5))


def load(config, name="apt_0"):
    return SceneDataSet(config).load(name)


def of_object(scene, number):
    """Vertices of the triangles with an object id, in the file's order."""
    triangles = scene.arrays.triangles[scene.arrays.object_ids == number]
    return scene.positions[np.unique(triangles)]


def chair(config):
    """The chair of a scene with one; the stage has the ids 1 and 2."""
    return of_object(load(config), 3)


def test_a_placed_object_by_hand(tmp_path):
    config = data_set(
        tmp_path,
        placed(
            translation=[10, 0, 5],
            rotation=[HALF, 0, HALF, 0],
            uniform_scale=2,
            non_uniform_scale=[1, 1, 0.5],
            translation_origin="asset_local",
        ),
    )
    # Scaled by (2, 2, 1): (2, 0, 0), (0, 4, 0), (0, 0, 3). As w, x, y, z the rotation is a quarter turn to
    # the left about +Y, (x, y, z) to (z, y, -x): (0, 0, -2), (0, 4, 0), (3, 0, 0). Then moved by (10, 0, 5).
    np.testing.assert_allclose(chair(config), [[10, 0, 5], [10, 0, 3], [10, 4, 5], [13, 0, 5]], atol=1e-6)


def test_without_a_word_the_middle_of_the_box_is_placed(tmp_path):
    config = data_set(tmp_path, placed(translation=[10, 0, 5], uniform_scale=2))
    # The middle of the doubled box is (1, 2, 3), so the origin lands at (10, 0, 5) - (1, 2, 3).
    np.testing.assert_allclose(chair(config)[0], [9, -2, 2])


@pytest.mark.parametrize(
    ("scene_origin", "own", "corner"),
    [
        ("asset_local", None, [10, 0, 5]),
        ("asset_local", "COM", [9.5, -1, 3.5]),
        ("COM", "ASSET_LOCAL", [10, 0, 5]),
        ("Unknown", None, [9.5, -1, 3.5]),
        ("com", "unknown", [9.5, -1, 3.5]),
    ],
)
def test_an_object_s_own_origin_wins_over_the_scene_s(tmp_path, scene_origin, own, corner):
    item = {} if own is None else {"translation_origin": own}
    config = data_set(
        tmp_path, {"translation_origin": scene_origin, **placed(translation=[10, 0, 5], **item)}
    )
    np.testing.assert_allclose(chair(config)[0], corner)


def test_a_given_centre_of_mass_is_scaled_and_turned_with_the_object(tmp_path):
    config = data_set(tmp_path, placed(translation=[10, 0, 5], rotation=[HALF, 0, HALF, 0], uniform_scale=2))
    write(
        tmp_path / "objects" / "chair.object_config.json",
        {"render_asset": "chair.glb", "COM": [1, 0, 0], "scale": [1, 1, 3]},
    )
    # Factors (2, 2, 6); the centre (2, 0, 0) is turned to (0, 0, -2): the origin lands at (10, 0, 5 + 2), and
    # (0, 0, 3), scaled to (0, 0, 18), turned to (18, 0, 0), at (28, 0, 7).
    np.testing.assert_allclose(chair(config)[[0, 3]], [[10, 0, 7], [28, 0, 7]], atol=1e-6)


def test_up_front_and_units_of_an_object(tmp_path):
    config = data_set(tmp_path, placed(translation_origin="asset_local"))
    write(
        tmp_path / "objects" / "chair.object_config.json",
        {"render_asset": "chair.glb", "up": [0, 0, 2], "front": [1, 0, 0], "units_to_meters": 0.01},
    )
    # Up z becomes y, front x becomes -z, and so y becomes -x: (1, 0, 0) to -z, (0, 2, 0) to -2x, (0, 0, 3) to
    # 3y, in hundredths.
    np.testing.assert_allclose(
        chair(config), np.array([[0, 0, 0], [0, 0, -1], [-2, 0, 0], [0, 3, 0]]) / 100, atol=1e-8
    )


def test_up_alone_takes_the_usual_front(tmp_path):
    config = data_set(tmp_path, placed(translation_origin="asset_local"))
    write(tmp_path / "objects" / "chair.object_config.json", {"render_asset": "chair.glb", "up": [0, 0, 1]})
    np.testing.assert_allclose(chair(config), [[0, 0, 0], [1, 0, 0], [0, 0, -2], [0, 3, 0]], atol=1e-7)


def test_mirrored_objects_keep_their_outside(tmp_path):
    config = data_set(tmp_path, placed(non_uniform_scale=[-1, 1, 1], translation_origin="asset_local"))
    scene = load(config)
    ids = scene.arrays.object_ids
    normals = {}
    for number in (1, 3):
        a, b, c = np.moveaxis(scene.positions[scene.arrays.triangles[ids == number]], 1, 0)
        normals[number] = np.cross(b - a, c - a)
    # The tripod's sides face +z and +x; mirrored along x, the latter faces -x.
    np.testing.assert_allclose(normals[1], [[0, 0, 2], [6, 0, 0]])
    np.testing.assert_allclose(normals[3], [[0, 0, 2], [-6, 0, 0]])


def test_stages_have_frame_origin_and_pose(tmp_path):
    config = data_set(
        tmp_path,
        {"stage_instance": {"template_name": "room", "translation": [0, 0, 7], "rotation": [0, 0, 1, 0]}},
    )
    write(
        tmp_path / "stages" / "room.stage_config.json",
        {"render_asset": "room.glb", "up": [0, 0, 1], "front": [0, 1, 0], "origin": [5, 0, 0]},
    )
    # To +Y up: (1, 0, 0), (0, 0, -2), (0, 3, 0); moved by (5, 0, 0); half a turn about +Y negates x and z;
    # then 7 along z.
    np.testing.assert_allclose(
        of_object(load(config), 1), [[-5, 0, 7], [-6, 0, 7], [-5, 0, 9], [-5, 3, 7]], atol=1e-6
    )


@pytest.mark.parametrize(
    ("stages", "second"),
    [
        # A .glb of which nothing is said is +Z up in Habitat.
        ({}, [0, 0, -2]),
        ({"default_attributes": {"margin": 0.1}}, [0, 2, 0]),
        ({"default_attributes": {"up": [0, 0, 1], "front": [0, 1, 0]}}, [0, 0, -2]),
    ],
)
def test_stages_that_are_files_alone(tmp_path, stages, second):
    tripod(tmp_path / "train" / "00000-abc", "abc.basis.glb")
    tripod(tmp_path / "train" / "00000-abc", "abc.semantic.glb", nodes=3)
    config = write(
        tmp_path / "hm3d.scene_dataset_config.json",
        {"stages": {"paths": {".glb": ["train/*/*.glb"]}, **stages}},
    )
    assert SceneDataSet(config).scene_names == ("abc",)
    scene = load(config, "abc")
    assert scene.scene_id == f"{config}:abc"
    np.testing.assert_allclose(scene.positions[2], second, atol=1e-7)
    assert load(config, "train/00000-abc/abc.basis.glb").positions[2] == pytest.approx(scene.positions[2])


def test_ids_follow_the_stage_s_and_files_are_read_once(tmp_path, monkeypatch):
    seen = []
    real = merging.load_arrays
    monkeypatch.setattr(merging, "load_arrays", lambda path: (seen.append(path.name), real(path))[1])
    items = [{"template_name": name} for name in ("chair", "armchair", "chair")]
    scene = load(data_set(tmp_path, {"object_instances": items}))
    assert scene.arrays.object_ids.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert seen == ["room.glb", "chair.glb"]
    assert scene.arrays.num_triangles == 10


def test_a_scene_without_a_stage_begins_at_1(tmp_path):
    config = data_set(tmp_path, {"stage_instance": {"template_name": "NONE"}, **placed()})
    assert load(config).arrays.object_ids.tolist() == [1, 1]


def test_equal_materials_and_textures_are_kept_once(tmp_path, rng):
    first, second = rng.integers(0, 255, (2, 4, 4, 3), np.uint8)
    names = {"a": first, "b": first, "c": second}
    config = data_set(tmp_path, {"object_instances": [{"template_name": name} for name in (*names, "chair")]})
    for name, pixels in names.items():
        textured(tmp_path / "objects", f"{name}.glb", pixels)
        write(tmp_path / "objects" / f"{name}.object_config.json", {"render_asset": f"{name}.glb"})
    arrays = load(config).arrays
    assert len(arrays.textures) == 2
    # The plain material of stage and chair, then one for each image; stage 4, a, b, c 1, chair 2 triangles.
    assert arrays.material_ids.tolist() == [0, 0, 0, 0, 1, 1, 2, 0, 0]
    shown = [arrays.textures[arrays.materials[number].texture].pixels[..., :3] for number in (1, 2)]
    np.testing.assert_array_equal(shown, [first, second])
    # Files without texture coordinates are filled up.
    assert arrays.uvs.shape == (len(arrays.positions), 2)
    np.testing.assert_array_equal(arrays.uvs[:8], np.zeros((8, 2)))


def test_templates_are_found_by_whole_names_before_parts(tmp_path):
    color = [1.0, 0.0, 0.0, 1.0]
    config = data_set(tmp_path, placed(translation_origin="asset_local"))
    tripod(tmp_path / "objects", "armchair.glb", color=color)
    write(tmp_path / "objects" / "armchair.object_config.json", {"render_asset": "armchair.glb"})

    def is_red(name):
        write(
            tmp_path / "scenes" / "apt_0.scene_instance.json",
            {"stage_instance": {"template_name": "room"}, "object_instances": [{"template_name": name}]},
        )
        arrays = load(config).arrays
        return arrays.materials[arrays.material_ids[-1]].base_color[:3] == (1.0, 0.0, 0.0)

    # "armchair" holds "chair" and comes first in the alphabet.
    for name in ("chair", "objects/chair", "objects\\chair", "./objects/chair.object_config.json", "chair.o"):
        assert is_red(name) == (name == "chair.o")
    for name in ("armchair", "ARM", "armchair.object_config.json", "mch"):
        assert is_red(name)


def test_defaults_overrides_and_new_templates(tmp_path):
    objects = {
        "paths": {".json": ["objects/*.object_config.json"]},
        "default_attributes": {"scale": [2, 2, 2], "COM": [0, 0, 0]},
        "configs": [
            {"original_file": "objects/chair", "template_handle": "tall", "attributes": {"scale": [1, 5, 1]}},
            {"template_handle": "fresh", "attributes": {"render_asset": "objects/chair.glb"}},
            {"original_file": "objects/armchair", "attributes": {"scale": [3, 3, 3]}},
            {"original_file": "tall", "template_handle": "taller", "attributes": {"scale": [1, 9, 1]}},
        ],
    }
    names = ("chair", "tall", "fresh", "armchair", "taller")
    config = data_set(
        tmp_path, {"object_instances": [{"template_name": name} for name in names]}, objects=objects
    )
    scene = load(config)
    heights = [float(np.ptp(of_object(scene, number)[:, 1])) for number in range(3, 8)]
    # 2 m times the factor along y.
    assert heights == pytest.approx([4, 10, 4, 6, 18])


def test_paths_are_patterns_folders_and_files_without_endings(tmp_path):
    for number in range(3):
        write(tmp_path / "s" / f"{number}" / f"apt_{number}.scene_instance.json", {})
    for patterns, expected in [
        (["s/*"], ("apt_0", "apt_1", "apt_2")),
        (["s/1/"], ("apt_1",)),
        (["s/2/apt_2"], ("apt_2",)),
        (["s/?/apt_[01].scene_instance.json"], ("apt_0", "apt_1")),
        (["nothing/*", "s/0", "s/0"], ("apt_0",)),
    ]:
        config = write(
            tmp_path / "x.scene_dataset_config.json", {"scene_instances": {"paths": {".json": patterns}}}
        )
        assert SceneDataSet(config).scene_names == expected


def test_scenes_of_one_name_are_told_apart_by_their_folders(tmp_path):
    config = data_set(tmp_path, scene_instances={"paths": {".json": ["scenes", "more"]}})
    write(
        tmp_path / "more" / "apt_0.scene_instance.json",
        {"stage_instance": {"template_name": "room", "translation": [0, 0, 9]}},
    )
    assert SceneDataSet(config).scene_names == ("more/apt_0", "scenes/apt_0")
    assert load(config, "more/apt_0").positions[0, 2] == 9
    assert load(config, "scenes/apt_0").positions[0, 2] == 0
    # A stage is a scene too, where it is asked for.
    assert load(config, "stages/room").arrays.num_triangles == 4


def test_articulated_objects_are_counted_in_a_warning(tmp_path):
    config = data_set(tmp_path, {"articulated_object_instances": [{"template_name": "fridge"}] * 3})
    with pytest.warns(SceneWarning, match=r"apt_0\.scene_instance\.json: 3 articulated objects are left out"):
        load(config)


def test_navmeshes(tmp_path):
    stage = {"render_asset": "room.glb", "nav_asset": "room.navmesh"}
    config = data_set(tmp_path, placed(), navmesh_instances={"apt_0_mesh": "navmeshes/apt.navmesh"})
    write(tmp_path / "stages" / "room.stage_config.json", stage)
    for name in ("navmeshes/apt.navmesh", "stages/room.navmesh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")

    def navmesh(**scene):
        write(
            tmp_path / "scenes" / "apt_0.scene_instance.json",
            {"stage_instance": {"template_name": "room"}, **scene},
        )
        path = load(config).navmesh_path
        return None if path is None else path.relative_to(tmp_path.resolve()).as_posix()

    assert navmesh(navmesh_instance="apt_0_mesh") == "navmeshes/apt.navmesh"
    assert navmesh(navmesh_instance="apt_0") == "navmeshes/apt.navmesh"
    # The stage's mesh knows nothing of objects, nor of a stage that was moved.
    assert navmesh() == "stages/room.navmesh"
    assert navmesh(navmesh_instance="") == "stages/room.navmesh"
    assert navmesh(**placed()) is None
    assert navmesh(stage_instance={"template_name": "room", "translation": [1, 0, 0]}) is None
    assert load(config, "room").navmesh_path.name == "room.navmesh"


def test_the_tag_for_the_own_name(tmp_path):
    for name in ("a", "b"):
        tripod(tmp_path, f"{name}.glb")
    (tmp_path / "a.navmesh").write_bytes(b"")
    tag = "%%CONFIG_NAME_AS_ASSET_FILENAME%%"
    config = write(
        tmp_path / "g.scene_dataset_config.json",
        {"stages": {"paths": {".glb": ["*.glb"]}, "default_attributes": {"nav_asset": f"{tag}.navmesh"}}},
    )
    assert load(config, "a").navmesh_path == tmp_path.resolve() / "a.navmesh"
    assert load(config, "b").navmesh_path is None


def test_neighbours_may_be_used_and_others_not(tmp_path):
    inside = tmp_path / "a" / "b"
    config = data_set(inside / "set", placed())
    chair_config = inside / "set" / "objects" / "chair.object_config.json"
    tripod(inside / "objects", "near.glb")
    tripod(tmp_path / "a", "far.glb")
    write(chair_config, {"render_asset": "../../objects/near.glb"})
    assert load(config).arrays.num_triangles == 6
    for far in ("../../../far.glb", str(tmp_path / "a" / "far.glb"), "..\\..\\..\\far.glb"):
        write(chair_config, {"render_asset": far})
        with pytest.raises(
            SceneError, match=r"chair\.object_config\.json.*far\.glb.*lies outside.*scenes_dir="
        ):
            load(config)
        scene = SceneDataSet(config, scenes_dir=tmp_path / "a").load("apt_0")
        assert scene.arrays.num_triangles == 6
    (inside / "set" / "objects" / "link.glb").symlink_to(tmp_path / "a" / "far.glb")
    write(chair_config, {"render_asset": "link.glb"})
    with pytest.raises(SceneError, match="lies outside"):
        load(config)


def test_links_to_other_places_are_not_followed(tmp_path):
    inside = tmp_path / "a" / "b"
    config = data_set(inside / "set", placed())
    (inside / "set" / "objects" / "chair.object_config.json").unlink()
    secret = write(tmp_path / "secret.json", {"render_asset": "chair.glb"})
    (inside / "set" / "objects" / "chair.object_config.json").symlink_to(secret)
    with pytest.raises(SceneError, match=r"lies outside"):
        load(config)


@pytest.mark.parametrize(
    "pattern", ["../../..", "../../../*/*", "/etc", "*/../../../../*", "..\\..\\..\\..\\*"]
)
def test_patterns_that_reach_too_far(tmp_path, pattern):
    config = data_set(tmp_path / "a" / "b" / "set", objects={"paths": {".json": [pattern]}})
    with pytest.raises(
        SceneError, match=r"x\.scene_dataset_config\.json: objects\.paths\.\.json holds .*outside"
    ):
        load(config)


def test_circles_of_links_end(tmp_path):
    config = data_set(
        tmp_path, placed(), objects={"paths": {".json": ["objects", "objects/**", "objects/*/*/*/*/*"]}}
    )
    (tmp_path / "objects" / "loop").symlink_to(tmp_path / "objects", target_is_directory=True)
    (tmp_path / "objects" / "self").symlink_to(tmp_path / "objects" / "self")
    assert load(config).arrays.num_triangles == 6


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"template_name": "sofa"},
            r"object_instances\[0\]\.template_name is 'sofa'; .*knows no such object",
        ),
        ({"template_name": ""}, r"template_name is ''"),
        ({"template_name": 3}, r"template_name is 3; expected a string"),
        ({"translation": [0, float("nan"), 0]}, r"translation holds nan; expected finite numbers"),
        ({"translation": [0, 1e400, 0]}, r"translation holds inf"),
        ({"translation": [0, 1]}, r"translation is \[0, 1\]; expected 3 numbers"),
        ({"translation": [0, 1e299, 0]}, r"chair\.glb lands beyond the range of float32"),
        ({"rotation": [0, 0, 0, 0]}, r"rotation is .*which is no rotation"),
        ({"rotation": [1, 0, 0]}, r"expected 4 numbers"),
        ({"uniform_scale": 0}, r"uniform_scale makes a scale of \[0.0, 0.0, 0.0\]"),
        ({"non_uniform_scale": [1, 0, 1]}, r"makes a scale of \[1.0, 0.0, 1.0\]"),
        ({"uniform_scale": 1e200}, "makes a scale of"),
        (
            {"translation_origin": "middle"},
            r"translation_origin is 'middle'; expected 'COM' or 'asset_local'",
        ),
    ],
)
def test_bad_instances_name_file_and_place(tmp_path, item, message):
    with pytest.raises(SceneError, match=rf"apt_0.*{message}"):
        load(data_set(tmp_path, placed(**item)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"render_asset": "gone.glb"}, r"render_asset is 'gone.glb'; there is no such file"),
        ({}, "render_asset is missing"),
        ({"render_asset": "chair.glb", "up": [0, 0, 0]}, "expected two directions"),
        ({"render_asset": "chair.glb", "up": [0, 1, 0], "front": [0, 1, 1]}, "at no right angle to up"),
        ({"render_asset": "chair.glb", "scale": [1, 0, 1]}, "makes a scale of"),
        ({"render_asset": "chair.glb", "units_to_meters": 0}, "makes a scale of"),
        ({"render_asset": "chair.object_config.json"}, "scenes ending in '.json' cannot be read"),
        ({"render_asset": "a\0b"}, "cannot be read"),
        ({"render_asset": "x" * 5000}, "cannot be read"),
        ([1], "its JSON is no object"),
    ],
)
def test_bad_templates_name_their_file(tmp_path, content, message):
    config = data_set(tmp_path, placed())
    write(tmp_path / "objects" / "chair.object_config.json", content)
    with pytest.raises(SceneError, match=rf"chair\.object_config\.json.*{message}"):
        load(config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "its JSON is broken"),
        ("[]", "its JSON is no object"),
        ("[" * 100_000, "its JSON is broken"),
        ('{"scene_instances": []}', "scene_instances holds .*expected an object"),
        ('{"scene_instances": {"paths": {".json": "scenes"}}}', "expected a list"),
        ('{"scene_instances": {"paths": {".json": ["\\u0000"]}}}', "has no scene|no pattern"),
        ('{"scene_instances": {"configs": [{"attributes": {}}]}}', "template_handle is missing"),
        ('{"stages": {"configs": [{"original_file": "no"}]}}', "original_file is 'no'"),
        ("{}", r"has no scene 'apt_0'; it has 0: none"),
    ],
)
def test_bad_configurations(tmp_path, text, message):
    config = tmp_path / "bad.scene_dataset_config.json"
    config.write_text(text)
    with pytest.raises(SceneError, match=rf"bad\.scene_dataset_config\.json.*{message}"):
        load(config)


def test_missing_files(tmp_path):
    with pytest.raises(SceneError, match=r"gone\.scene_dataset_config\.json: cannot be read"):
        SceneDataSet(tmp_path / "gone.scene_dataset_config.json")
    config = data_set(tmp_path)
    with pytest.raises(SceneError, match="has no scene 'apt_1'; it has 1: apt_0"):
        load(config, "apt_1")
    with pytest.raises(SceneError, match=r"navmesh_instance is 'm'; .*knows no such mesh"):
        load(data_set(tmp_path, {"navmesh_instance": "m"}))
    write(tmp_path / "scenes" / "apt_0.scene_instance.json", {"object_instances": []})
    with pytest.raises(SceneError, match="stage_instance is missing"):
        load(config)
    with pytest.raises(SceneError, match="holds neither a stage nor objects"):
        load(data_set(tmp_path, {"stage_instance": {"template_name": "NONE"}}))


def test_absurd_numbers_of_objects_are_refused_before_they_take_memory(tmp_path):
    config = data_set(tmp_path)
    text = json.dumps({"stage_instance": {"template_name": "room"}})[:-1]
    items = ",".join(['{"template_name":"chair"}'] * 400_000)
    (tmp_path / "scenes" / "apt_0.scene_instance.json").write_text(f'{text},"object_instances":[{items}]}}')
    # 16 KiB for each are 6.6 GB; a file of 11 MB may unpack to 1 GiB and 64 times its own size, 1.8 GB.
    with pytest.raises(SceneError, match="taken for a broken or hostile one"):
        load(config)


def test_the_tripod_is_what_the_comments_say():
    assert TRIPOD.mean() == pytest.approx(0.5)
    np.testing.assert_allclose((TRIPOD.min(axis=0) + TRIPOD.max(axis=0)) / 2, [0.5, 1, 1.5])
