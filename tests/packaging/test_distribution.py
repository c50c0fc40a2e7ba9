"""The wheel and the source archive: what is in them, and that an installed wheel works alone."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import trove_classifiers

ROOT = Path(__file__).resolve().parents[2]


def build(kind: str, source: Path, target: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "build",
        f"--{kind}",
        "--no-isolation",
        "--outdir",
        str(target),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def known_to_git() -> set[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def test_top_level_names_are_ours_alone(wheel):
    assert {name.split("/")[0] for name in contents(wheel)} == {"gym_batchnav", "batchnav_renderer"}


def test_every_shader_and_data_file_is_in_the_wheel(wheel):
    names = contents(wheel)
    shaders = [p.relative_to(ROOT / "shaders") for p in (ROOT / "shaders").rglob("*") if p.is_file()]
    assert shaders, "no shader in the checkout"
    assert {f"batchnav_renderer/shaders/{p.as_posix()}" for p in shaders} <= names
    assert {
        "gym_batchnav/py.typed",
        "batchnav_renderer/py.typed",
        "gym_batchnav/cli/report/style.css",
    } <= names


def test_pretrained_policy_is_in_the_wheel(wheel):
    folder = ROOT / "gym_batchnav" / "pretrained"
    stored = {f"gym_batchnav/pretrained/{path.name}" for path in folder.iterdir() if path.is_file()}
    assert stored <= contents(wheel)
    if "gym_batchnav/pretrained/policy.pt" not in stored:
        pytest.skip("the package holds no pretrained policy yet")
    assert "gym_batchnav/pretrained/policy.json" in stored
    with zipfile.ZipFile(wheel) as archive:
        assert archive.getinfo("gym_batchnav/pretrained/policy.pt").file_size < 3e6


def test_metadata_is_what_pip_and_the_index_need(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("Classifier")) <= trove_classifiers.classifiers
    assert {"sb3", "viewer", "formats", "cuda", "wandb"} <= set(metadata.get_all("Provides-Extra"))
    # Plain Python for every system, and small.
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < 5e6


def test_shaders_folder_holds_no_python():
    assert not list((ROOT / "shaders").rglob("*.py"))


@pytest.mark.slow
def test_wheel_made_from_the_source_archive_is_the_same(wheel, tmp_path):
    archive = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert {"bootstrap.py", "constraints.txt", "LICENSE", "tests", "examples", "shaders"} <= {
        p.name for p in source.iterdir()
    }
    assert archive.stat().st_size < 10e6
    if (ROOT / ".git").exists():
        # Nothing that git ignores: no runs, no caches, no virtual environment.
        found = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
        assert found == known_to_git() | {"PKG-INFO"}
    assert contents(build("wheel", source, tmp_path / "wheel")) == contents(wheel)


@pytest.mark.slow
def test_installed_wheel_works_without_the_checkout(wheel, tmp_path):
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*install, str(target), str(wheel)], check=True, capture_output=True)
    program = (
        "import pathlib, gym_batchnav, batchnav_renderer as b\n"
        "from batchnav_renderer import BatchRenderer, RenderConfig\n"
        f"site = pathlib.Path({str(target)!r})\n"
        "assert site in pathlib.Path(gym_batchnav.__file__).parents, gym_batchnav.__file__\n"
        "assert site in pathlib.Path(b.__file__).parents, b.__file__\n"
        "with BatchRenderer(RenderConfig(num_views=1, height=8, width=8)) as renderer:\n"
        "    print(renderer.info)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(target)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
