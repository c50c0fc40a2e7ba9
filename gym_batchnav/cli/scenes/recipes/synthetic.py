"""Recipes for scenes that artists or programs have made."""

from __future__ import annotations

from .recipe import Licence, Recipe, Step

_HABITAT_LAB = "https://github.com/facebookresearch/habitat-lab/blob/main/DATASETS.md"
_LOG_IN = "git asks for your Hugging Face name and an access token."

HSSD = Recipe(
    name="hssd",
    title="Habitat Synthetic Scenes (HSSD)",
    about="211 furnished homes made by people, put together from over 18,000 models of real objects.",
    licence=Licence(
        "CC BY-NC 4.0",
        "non-commercial use, with the authors named.",
        "each user, logged in, acknowledges the licence on the data set's page.",
        "https://huggingface.co/datasets/hssd/hssd-hab",
    ),
    needs='git with git-lfs, and `pip install "gym-batchnav[formats]"`.',
    steps=(
        Step("Log in at the link above and acknowledge the licence."),
        Step(
            f"Clone the repository; {_LOG_IN}",
            (
                "git lfs install",
                "git clone https://huggingface.co/datasets/hssd/hssd-hab data/scene_datasets/hssd-hab",
            ),
        ),
    ),
    scenes="data/scene_datasets/hssd-hab/hssd-hab.scene_dataset_config.json",
    check=(
        "batchnav scenes check data/scene_datasets/hssd-hab/hssd-hab.scene_dataset_config.json:102344280",
        "batchnav scenes bake data/scene_datasets/hssd-hab/hssd-hab.scene_dataset_config.json:102344280 "
        "-o data/navmeshes",
    ),
    notes="`scene_splits.yaml` in the repository names the scenes for training and validation.",
    sources=("https://huggingface.co/datasets/hssd/hssd-hab", "https://github.com/3dlg-hcvc/hssd"),
)

REPLICA_CAD = Recipe(
    name="replica_cad",
    title="ReplicaCAD",
    about=(
        "An apartment remade by artists, furnished in 84 ways. The edition with baked lighting "
        "(525 MB) suits "
        "this renderer, which draws colours as they are; the interactive one (132 MB) has plain colours."
    ),
    licence=Licence(
        "CC BY 4.0",
        "any use, with the authors named.",
        "nobody has to.",
        "https://aihabitat.org/datasets/replica_cad/",
    ),
    needs='git with git-lfs, and `pip install "gym-batchnav[formats]"`.',
    steps=(
        Step(
            "Clone the repository.",
            (
                "git lfs install",
                "git clone https://huggingface.co/datasets/ai-habitat/ReplicaCAD_baked_lighting "
                "data/replica_cad_baked_lighting",
            ),
        ),
    ),
    scenes="data/replica_cad_baked_lighting/replicaCAD_baked.scene_dataset_config.json",
    check=(
        "batchnav scenes check "
        "data/replica_cad_baked_lighting/replicaCAD_baked.scene_dataset_config.json:Baked_sc0_staging_00",
    ),
    notes=(
        "Cupboards and drawers that open (articulated objects) are left out, with a warning. Pass one scene "
        "as in the check to train on it alone."
    ),
    sources=(
        "https://aihabitat.org/datasets/replica_cad/",
        "https://huggingface.co/datasets/ai-habitat/ReplicaCAD_baked_lighting",
    ),
)

AI2THOR = Recipe(
    name="ai2thor",
    title="AI2-THOR and ProcTHOR houses",
    about=(
        "iTHOR (120 rooms), RoboTHOR (89 apartments), ArchitecTHOR (10 houses) and ProcTHOR "
        "(12,000 generated "
        "houses), turned into glTF and Habitat's layout by the authors of HSSD as AI2THOR-Hab; "
        "about 20 GB in "
        "over 50,000 files."
    ),
    licence=Licence(
        "AI2THOR-Hab on Hugging Face",
        "its page names no licence of its own; ask AI2, whose models these are, about uses other "
        "than research.",
        "each user, logged in, accepts the page's conditions and shares contact information.",
        "https://huggingface.co/datasets/hssd/ai2thor-hab",
    ),
    needs='git with git-lfs, and `pip install "gym-batchnav[formats]"`; neither Unity nor AI2-THOR itself.',
    steps=(
        Step("Log in at the link above and accept the conditions."),
        Step(
            f"Clone the repository; {_LOG_IN}",
            (
                "git lfs install",
                "git clone https://huggingface.co/datasets/hssd/ai2thor-hab data/scene_datasets/ai2thor-hab",
            ),
        ),
        Step(
            "For houses of your own made with the `procthor` package, open AI2-THOR's Unity project, "
            "load the "
            "house's JSON with its `Procedural` scene, and export the scene as OBJ or glTF (an export "
            "button for "
            "OBJ has the fork at <https://github.com/YandanYang/ai2thor>). Such a file is a scene as it is."
        ),
    ),
    scenes="data/scene_datasets/ai2thor-hab/ai2thor-hab/ai2thor-hab.scene_dataset_config.json",
    check=(
        "batchnav scenes check data/scene_datasets/ai2thor-hab/ai2thor-hab/"
        "ai2thor-hab.scene_dataset_config.json:FloorPlan1_physics",
        "batchnav scenes check data/scene_datasets/ai2thor-hab/ai2thor-hab/"
        "ai2thor-hab.scene_dataset_config.json:ProcTHOR-Train-1",
    ),
    notes="Give a list of such names as `scenes=` to train on some of the houses.",
    sources=(
        "https://huggingface.co/datasets/hssd/ai2thor-hab",
        _HABITAT_LAB,
        "https://github.com/allenai/procthor-10k",
    ),
)
