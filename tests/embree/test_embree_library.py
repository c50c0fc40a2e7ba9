"""Where the library is looked for."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import itertools

import pytest

from batchnav_renderer.embree import library

# The files of embreex's wheels for Linux, macOS and Windows; delvewheel may add a hash.
WHEELS = {
    "embreex.libs/libembree4-4aef3270.so.4": "embreex.libs/libtbb-dcf63f8c.so.12",
    "embreex/.dylibs/libembree4.4.dylib": "embreex/.dylibs/libtbb.12.11.dylib",
    "embreex.libs/embree4.dll": "embreex.libs/tbb12.dll",
    "embreex.libs/embree4-0a1b2c3d.dll": "embreex.libs/msvcp140-a4c2229bdc2a2a630acdc095b4d86008.dll",
    "embreex/embree4.dll": "embreex/tbb12.dll",
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of packages that holds an embreex without its library."""
    package = tmp_path / "embreex"
    package.mkdir()
    spec = importlib.machinery.ModuleSpec("embreex", None, is_package=True)
    spec.submodule_search_locations = [str(package)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == "embreex" else None)
    return tmp_path


@pytest.mark.parametrize("file", WHEELS)
def test_the_library_of_a_wheel_comes_first(site, file):
    for name in (file, WHEELS[file]):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).touch()
    first, second = itertools.islice(library.candidates(), 2)
    assert first == str(site / file)
    assert second == "libembree4.so.4"  # what lies beside it is not taken for Embree


def test_without_a_wheel_the_system_and_environments_are_searched(site, tmp_path, monkeypatch):
    places = ["lib/libembree4.so.4", "Library/bin/embree4.dll"]
    for place in places:
        (tmp_path / "conda" / place).parent.mkdir(parents=True)
        (tmp_path / "conda" / place).touch()
    monkeypatch.setattr(library, "_PREFIXES", (tmp_path / "conda",))
    monkeypatch.setattr(library.ctypes.util, "find_library", lambda name: f"/found/{name}")
    found = list(library.candidates())
    assert found[: len(library._SYSTEM)] == list(library._SYSTEM)
    assert found[len(library._SYSTEM) :] == [
        *[str(tmp_path / "conda" / place) for place in places],
        "/found/embree4",
    ]


def test_embreex_that_is_not_installed_is_no_error(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert next(library.candidates()) == "libembree4.so.4"


def test_the_first_that_loads_is_taken():
    name, loaded = library.load(["libno-such-thing.so", "libm.so.6", "libc.so.6"])
    assert name == "libm.so.6"
    assert loaded.cos
