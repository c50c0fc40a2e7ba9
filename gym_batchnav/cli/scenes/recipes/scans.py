"""Recipes for scans of real buildings."""

from __future__ import annotations

from .recipe import Licence, Recipe, Step

_HABITAT_SIM = "https://github.com/facebookresearch/habitat-sim/blob/main/DATASETS.md"
_HABITAT_LAB = "https://github.com/facebookresearch/habitat-lab/blob/main/DATASETS.md"
_MATTERPORT_EULA = (
    "https://matterport.com/legal/matterport-end-user-license-agreement-academic-use-model-data"
)

GIBSON = Recipe(
    name="gibson",
    title="Gibson",
    about=(
        "Scans of real buildings (572 in the whole data base). Habitat's archive holds each scene "
        "as a `.glb` "
        "with its `.navmesh` beside it; 1.5 GB."
    ),
    licence=Licence(
        "Gibson's own licence agreement",
        "shown before the download; read there what it allows. It covers the data, not Gibson's code.",
        "each user, in the form that leads to the download.",
        "https://github.com/StanfordVL/GibsonEnv#database",
    ),
    needs="nothing beside this library.",
    steps=(
        Step(
            "Open the link above, read and accept the agreement, and download the archive made for Habitat."
        ),
        Step(
            "Unpack it so that `data/scene_datasets/gibson/Adrian.glb` and `Adrian.navmesh` are there.",
            ("mkdir -p data/scene_datasets", "unzip gibson_habitat.zip -d data/scene_datasets"),
        ),
        Step(
            "For Habitat's own episodes, get them too (385 MB); pass a split's file as `episodes=`.",
            (
                "curl -LO https://dl.fbaipublicfiles.com/habitat/data/datasets/pointnav/gibson/v1/"
                "pointnav_gibson_v1.zip",
                "mkdir -p data/datasets/pointnav/gibson/v1",
                "unzip pointnav_gibson_v1.zip -d data/datasets/pointnav/gibson/v1",
            ),
        ),
    ),
    scenes="data/scene_datasets/gibson",
    check=("batchnav scenes check data/scene_datasets/gibson --workers 4 --json gibson.json",),
    notes=(
        "The archive's name differs between its editions; use that of your file. Habitat's episodes name "
        "their scenes: instead of `scenes=` pass "
        '`episodes="data/datasets/pointnav/gibson/v1/val/val.json.gz", scenes_dir="data/scene_datasets"`. '
        "The files are z up; below a folder named `gibson` they are turned by themselves."
    ),
    sources=(_HABITAT_LAB, "https://github.com/StanfordVL/GibsonEnv/blob/master/gibson/data/README.md"),
)

MP3D = Recipe(
    name="mp3d",
    title="Matterport3D (MP3D)",
    about=(
        "Scans of 90 buildings, many with several storeys. Only the archive for Habitat is needed, not the "
        "whole data set; 15 GB."
    ),
    licence=Licence(
        "Matterport3D Terms of Use",
        "read there what they allow.",
        "each user signs the Terms of Use form and sends it to matterport3d@googlegroups.com; the download "
        "script comes in answer.",
        "https://niessner.github.io/Matterport/",
    ),
    needs="Python 2.7 for the download script that is sent to you.",
    steps=(
        Step("Sign the form, send it, and wait for the answer with `download_mp.py`."),
        Step(
            "Download the part that Habitat uses.",
            ("python2.7 download_mp.py --task habitat -o mp3d_download",),
        ),
        Step(
            "Unpack it so that `data/scene_datasets/mp3d/17DRP5sb8fy/17DRP5sb8fy.glb` is there, with its "
            "`.navmesh` beside it.",
            (
                "mkdir -p data/scene_datasets",
                "unzip mp3d_download/v1/tasks/mp3d_habitat.zip -d data/scene_datasets",
            ),
        ),
    ),
    scenes="data/scene_datasets/mp3d",
    check=(
        "batchnav scenes check data/scene_datasets/mp3d/17DRP5sb8fy/17DRP5sb8fy.glb",
        "batchnav scenes check data/scene_datasets/mp3d --workers 4 --json mp3d.json",
    ),
    notes=(
        "The files are z up; below a folder named `mp3d` they are turned by themselves, and the `.navmesh` "
        "files fit. Of several storeys the check gives each with its area."
    ),
    sources=(_HABITAT_SIM, "https://github.com/niessner/Matterport", _HABITAT_LAB),
)

HM3D = Recipe(
    name="hm3d",
    title="Habitat-Matterport 3D (HM3D)",
    about=(
        "Scans of 1,000 buildings: 800 to train on, 100 to validate; `minival` is 10 of the latter (390 MB). "
        "One example scene can be had without an account."
    ),
    licence=Licence(
        "Matterport End User License Agreement for Academic Use of Model Data",
        "academic, non-commercial use only.",
        "each user accepts it when asking for access; whoever takes the example scene is bound by it too.",
        _MATTERPORT_EULA,
    ),
    needs='`pip install "gym-batchnav[formats]"`, as the textures are Basis Universal.',
    steps=(
        Step(
            "To try it, get the example scene.",
            (
                "curl -LO https://github.com/matterport/habitat-matterport-3dresearch/raw/main/example/"
                "hm3d-example-habitat-v0.2.tar",
                "mkdir -p data/scene_datasets/hm3d/example",
                "tar -xf hm3d-example-habitat-v0.2.tar -C data/scene_datasets/hm3d/example",
            ),
        ),
        Step(
            "Ask for access to the rest at <https://matterport.com/habitat-matterport-3d-research-dataset>."
        ),
        Step(
            "Make an API token at <https://my.matterport.com/settings/account/devtools>; note its "
            "secret, which "
            "is shown once."
        ),
        Step(
            "Get minival with it; for `val` and `train` change that word.",
            (
                "curl -L -u TOKEN_ID:TOKEN_SECRET -O "
                "https://api.matterport.com/resources/habitat/hm3d-minival-habitat-v0.2.tar",
                "mkdir -p data/scene_datasets/hm3d/minival",
                "tar -xf hm3d-minival-habitat-v0.2.tar -C data/scene_datasets/hm3d/minival",
            ),
        ),
    ),
    scenes="data/scene_datasets/hm3d/minival",
    check=(
        "batchnav scenes check data/scene_datasets/hm3d/example",
        "batchnav scenes check data/scene_datasets/hm3d/minival --workers 2 --json minival.json",
    ),
    notes=(
        "Each folder, such as `00800-TEEsavR23oF`, holds `TEEsavR23oF.basis.glb` and "
        "`TEEsavR23oF.basis.navmesh`. Such files are z up and are turned by themselves. With Habitat's "
        "PointNav episodes for HM3D, pass `episodes=` and `scenes_dir=` instead of `scenes=`, as for Gibson."
    ),
    sources=(
        _HABITAT_SIM,
        "https://github.com/matterport/habitat-matterport-3dresearch",
        "https://github.com/facebookresearch/habitat-sim/blob/main/src_python/habitat_sim/utils/datasets_download.py",
    ),
)
