"""The recipes of containers: what they copy is there, and what drawing needs is set."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.packaging.test_distribution import ROOT, build, contents

DOCKER = ROOT / "examples" / "docker" / "Dockerfile"
APPTAINER = ROOT / "examples" / "apptainer" / "gym-batchnav.def"


def instructions(text: str) -> list[tuple[str, str]]:
    """Instructions of a Dockerfile and their arguments, continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines()]  # type: ignore[misc]


def sections(text: str) -> dict[str, list[str]]:
    """Sections of an Apptainer recipe and their lines, comments left out."""
    found: dict[str, list[str]] = {"": []}
    name = ""
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.startswith("%"):
            name = line[1:].strip()
            found[name] = []
        elif line.strip() and not line.strip().startswith("#"):
            found[name].append(line.strip())
    return found


def docker() -> list[tuple[str, str]]:
    return instructions(DOCKER.read_text(encoding="utf-8"))


def apptainer() -> dict[str, list[str]]:
    return sections(APPTAINER.read_text(encoding="utf-8"))


def shell(kind: str) -> str:
    """All that runs while an image is built."""
    if kind == "docker":
        return "\n".join(rest for name, rest in docker() if name == "RUN")
    return "\n".join(apptainer()["post"])


def copied(kind: str) -> list[tuple[str, str]]:
    """What is copied into the image: (source, target)."""
    if kind == "docker":
        lines = [rest.split() for name, rest in docker() if name == "COPY"]
        return [
            (source, f"{target}{source}" if target.endswith("/") else target)
            for *sources, target in lines
            for source in sources
        ]
    return [tuple(line.split()) for line in apptainer()["files"]]  # type: ignore[misc]


@pytest.fixture(params=["docker", "apptainer"])
def kind(request) -> str:
    return request.param


def test_both_start_from_the_same_python():
    base = dict(docker())["FROM"]
    assert base == "python:3.12-slim-bookworm"
    assert apptainer()[""] == ["Bootstrap: docker", f"From: {base}"]


def test_the_driver_brings_its_graphics_in():
    settings = dict(
        shlex.split(rest)[n].split("=") for name, rest in docker() if name == "ENV" for n in (0, 1)
    )
    assert settings["NVIDIA_DRIVER_CAPABILITIES"] == "all"
    assert "export NVIDIA_DRIVER_CAPABILITIES=all" in apptainer()["environment"]


def test_egl_is_told_of_the_nvidia_driver(kind):
    (name, path) = re.search(r"echo '([^']+)'\s*> (\S+)", shell(kind)).groups()
    assert path == "/usr/share/glvnd/egl_vendor.d/10_nvidia.json"
    content = json.loads(name)
    assert content == {"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}


def test_system_packages_are_those_of_the_set_up(kind):
    spec = importlib.util.spec_from_file_location("bootstrap_of_containers", ROOT / "bootstrap.py")
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    listed = re.search(r"--no-install-recommends ([^&\n]+)", shell(kind))[1]
    assert sorted(listed.split()) == sorted(bootstrap.GL_PACKAGES)


def test_what_is_copied_is_there_and_is_where_pip_looks(kind):
    pairs = copied(kind)
    assert all((ROOT / source).exists() for source, _ in pairs)
    assert [target for _, target in pairs] == [f"/opt/gym-batchnav/{source}" for source, _ in pairs]
    assert "cd /opt/gym-batchnav" in shell(kind)
    assert "-c constraints.txt . cuda-bindings" in shell(kind)


def test_ignore_file_lets_through_what_is_copied():
    lines = DOCKER.with_name("Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {line[1:] for line in rules if line.startswith("!")} == {source for source, _ in copied("docker")}


def test_nobody_is_root_and_the_doctor_is_first():
    names = [name for name, _ in docker()]
    assert names.index("USER") > max(n for n, name in enumerate(names) if name == "RUN")
    assert dict(docker())["USER"] == "robot"
    assert json.loads(dict(docker())["CMD"]) == ["batchnav", "doctor"]
    assert apptainer()["runscript"] == ["if [ $# -eq 0 ]; then", "set -- doctor", "fi", 'exec batchnav "$@"']


def test_page_and_recipe_name_the_same_commands(kind):
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    recipe = DOCKER if kind == "docker" else APPTAINER
    named = re.findall(r"^#   (.+)$", recipe.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(named) == 3
    assert "\n".join(named) in page
    assert recipe.relative_to(ROOT).as_posix() in named[0]
    links = re.findall(r"\]\(([^)#]+)", page)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_both_copy_the_same():
    assert sorted(copied("docker")) == sorted(copied("apptainer"))


@pytest.mark.slow
def test_what_is_copied_is_enough_to_install(tmp_path):
    for source, target in copied("docker"):
        origin, place = ROOT / source, tmp_path / Path(target).relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(origin, place)
    made = contents(build("wheel", tmp_path / "opt" / "gym-batchnav", tmp_path / "made"))
    code = [path for name in ("gym_batchnav", "renderer", "shaders") for path in (ROOT / name).rglob("*")]
    files = {path.relative_to(ROOT).as_posix() for path in code if path.is_file()}
    expected = {name.replace("renderer/", "", 1) for name in files if "__pycache__" not in name}
    moved = {re.sub("^shaders/", "batchnav_renderer/shaders/", name) for name in expected}
    assert made == moved
