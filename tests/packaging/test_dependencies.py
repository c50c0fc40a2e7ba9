"""What the packages import is declared: the rest of pip's work is then done by pip."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"gym_batchnav", "batchnav_renderer"}
PEERS = ROOT / "gym_batchnav" / "cli" / "bench" / "peers"
"""Compare with whatever is installed, so what they import is nobody's dependency."""
NEEDS_AN_EXTRA = {"gym_batchnav/integrations/": "sb3"}
"""Folders that cannot be imported without an extra."""
ALSO = {"numba": {"llvmlite"}, "cuda-bindings": {"cuda"}, "glfw": {"glfw"}, "wandb": {"wandb"}}
"""What a dependency brings along for good, and what is not installed for the tests."""


def names(requirements: list[str]) -> set[str]:
    found = {re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-") for requirement in requirements}
    return found - {"gym-batchnav"}


@cache
def installed() -> Mapping[str, list[str]]:
    """Top-level modules of all that is installed, and the distributions that they are of; takes a while."""
    return packages_distributions()


def modules_of(distributions: set[str]) -> set[str]:
    """Top-level modules of distributions."""
    found = set().union(*(ALSO.get(name, set()) for name in distributions))
    for module, owners in installed().items():
        if distributions & {owner.lower().replace("_", "-") for owner in owners}:
            found.add(module)
    return found


def imports(path: Path) -> tuple[set[str], set[str]]:
    """Top-level modules that a file imports: as soon as it is imported itself, and at all."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checking = {id(n) for node in tree.body if _is_type_checking(node) for n in ast.walk(node)}
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    at_once, at_all = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found = {str(node.module).split(".")[0]}
        else:
            continue
        at_all |= found
        if id(node) not in checking | inside:
            at_once |= found
    return at_once, at_all


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.fixture(scope="module")
def imported() -> dict[str, tuple[set[str], set[str]]]:
    roots = [ROOT / "gym_batchnav", ROOT / "renderer" / "batchnav_renderer"]
    files = [path for root in roots for path in root.rglob("*.py") if PEERS not in path.parents]
    found = {path.relative_to(ROOT).as_posix(): imports(path) for path in files}
    foreign = OURS | set(sys.stdlib_module_names) | {"msvcrt"}
    return {name: (once - foreign, at_all - foreign) for name, (once, at_all) in found.items()}


def test_imports_are_told_apart(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import a.b\nfrom c import d\nfrom . import e\n"
        "if TYPE_CHECKING:\n    import f\n"
        "def g():\n    import h\n"
    )
    assert imports(path) == ({"a", "c"}, {"a", "c", "f", "h"})


def test_what_is_imported_at_once_is_a_dependency(imported):
    needed = modules_of(names(PROJECT["dependencies"]))
    optional = PROJECT["optional-dependencies"]
    extras = {folder: modules_of(names(optional[extra])) for folder, extra in NEEDS_AN_EXTRA.items()}
    for name, (at_once, _) in imported.items():
        allowed = needed.union(*(more for folder, more in extras.items() if name.startswith(folder)))
        assert at_once <= allowed, f"{name} imports {at_once - allowed}, which pip does not install"


def test_what_is_imported_at_all_is_declared(imported):
    declared = names(PROJECT["dependencies"])
    for extra, requirements in PROJECT["optional-dependencies"].items():
        declared |= names(requirements) if extra != "dev" else set()
    known = modules_of(declared)
    for name, (_, at_all) in imported.items():
        assert at_all <= known, f"{name} imports {at_all - known}, which nothing declares"


def test_every_dependency_is_imported(imported):
    # TensorBoard is imported by torch, and PyOpenGL once its platform is known.
    used = set().union(*(at_all for _, at_all in imported.values())) | {"tensorboard", "OpenGL"}
    unused = {name for name in names(PROJECT["dependencies"]) if not modules_of({name}) & used}
    assert unused == set()
