"""The bootstrap script, with faked commands: what it decides, says and writes."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bootstrap(tmp_path, monkeypatch):
    """The script as a module that works on a scratch checkout."""
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", ROOT / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / ".bootstrap.json")
    return module


@pytest.fixture
def pip_calls(bootstrap, monkeypatch):
    """Records pip's command lines instead of running them; other commands run."""
    calls: list[list[str]] = []
    real = subprocess.run

    def run(command, **options):
        if "pip" in command:
            calls.append(command)
            return subprocess.CompletedProcess(command, 0)
        return real(command, **options)

    monkeypatch.setattr(bootstrap.subprocess, "run", run)
    return calls


def test_script_is_valid_for_old_pythons_and_needs_nothing():
    text = (ROOT / "bootstrap.py").read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 9))
    roots = {
        alias.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    }
    roots |= {str(n.module).split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert roots <= set(sys.stdlib_module_names)


def test_old_python_is_named_with_the_cure(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    with pytest.raises(bootstrap.SetupError, match=r"Python 3\.11 or newer is needed, this is 3\.9\.2"):
        bootstrap.check_python()


def test_old_python_hands_over_to_a_newer_one(bootstrap, monkeypatch):
    taken: list[list[str]] = []
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(bootstrap.sys, "argv", ["bootstrap.py", "test", "--quick"])
    monkeypatch.setattr(
        bootstrap.shutil, "which", lambda name: "/usr/bin/" + name if name == "python3.12" else None
    )

    def execv(path, arguments):
        taken.append(arguments)
        raise SystemExit

    monkeypatch.setattr(bootstrap.os, "execv", execv)
    with pytest.raises(SystemExit):
        bootstrap.check_python()
    assert taken[0][0] == "/usr/bin/python3.12"
    assert taken[0][2:] == ["test", "--quick"]


def test_second_run_installs_nothing(bootstrap, pip_calls):
    bootstrap.ensure_packages(dev=True)
    bootstrap.ensure_packages(dev=True)
    bootstrap.ensure_packages(dev=False)  # what the tests need holds what training needs
    assert len(pip_calls) == 1
    assert pip_calls[0][-4:] == ["-c", "constraints.txt", "-e", ".[dev]"]


def test_tests_after_training_install_the_rest(bootstrap, pip_calls):
    bootstrap.ensure_packages(dev=False)
    bootstrap.ensure_packages(dev=True)
    assert [call[-1] for call in pip_calls] == [".", ".[dev]"]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_install_again(bootstrap, pip_calls, tmp_path, name):
    bootstrap.ensure_packages(dev=False)
    (tmp_path / name).write_text("changed", encoding="utf-8")
    bootstrap.ensure_packages(dev=False)
    assert len(pip_calls) == 2


def test_interrupted_or_broken_installation_is_not_taken_for_finished(bootstrap, pip_calls, monkeypatch):
    bootstrap.ensure_packages(dev=False)
    stamp = json.loads(bootstrap.STAMP.read_text())
    bootstrap.STAMP.write_text('{"fingerprint": ')
    assert bootstrap.read_stamp() == {}
    bootstrap.STAMP.write_text(json.dumps({**stamp, "fingerprint": "other"}))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "say", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.ensure_packages(dev=False)
    assert not bootstrap.STAMP.exists()


def test_missing_graphics_says_in_one_line_what_to_install(bootstrap, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.setattr(bootstrap, "egl_problem", lambda: "libEGL.so.1: cannot open shared object file")
    monkeypatch.setattr(bootstrap, "may_install", lambda: False)
    assert bootstrap.main(["test"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "sudo apt-get install -y --no-install-recommends libegl1" in error


def test_training_goes_on_without_graphics(bootstrap, monkeypatch, capsys):
    def failing(packages):
        raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.setattr(bootstrap, "egl_problem", lambda: "libEGL.so.1 is missing")
    for allowed in (False, True):
        monkeypatch.setattr(bootstrap, "may_install", lambda allowed=allowed: allowed)
        monkeypatch.setattr(bootstrap, "apt_install", failing)
        bootstrap.ensure_graphics(needed=False)
        assert "Embree draws" in capsys.readouterr().out
        with pytest.raises(bootstrap.SetupError):
            bootstrap.ensure_graphics(needed=True)


def test_missing_graphics_is_installed_where_that_is_allowed(bootstrap, monkeypatch):
    problems = iter(["libEGL.so.1 is missing", None])
    installed: list[str] = []
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.setattr(bootstrap, "egl_problem", lambda: next(problems))
    monkeypatch.setattr(bootstrap, "may_install", lambda: True)
    monkeypatch.setattr(bootstrap, "apt_install", installed.extend)
    bootstrap.ensure_graphics(needed=True)
    assert {"libegl1", "libgl1-mesa-dri"} <= set(installed)


@pytest.mark.parametrize(
    ("there", "allowed", "works", "told"),
    [
        (True, True, True, ""),
        (False, True, True, "running"),
        (False, True, False, "will skip"),
        (False, False, True, "sudo"),
    ],
)
def test_screen_for_the_tests_of_windows(bootstrap, monkeypatch, capsys, there, allowed, works, told):
    installed: list[str] = []

    def install(packages):
        installed.extend(packages)
        if not works:
            raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: "/usr/bin/Xvfb" if there else None)
    monkeypatch.setattr(bootstrap, "may_install", lambda: allowed)
    monkeypatch.setattr(bootstrap, "apt_install", install)
    bootstrap.ensure_screen()
    assert installed == (["xvfb"] if allowed and not there else [])
    said = capsys.readouterr().out
    assert told in said
    assert bool(said) == (not there)


def test_python_without_ensurepip_says_what_to_install(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "works", lambda command: False)
    monkeypatch.setattr(bootstrap, "may_install", lambda: False)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    with pytest.raises(bootstrap.SetupError, match=rf"sudo apt-get install python{version}-venv"):
        bootstrap.ensure_venv()


@pytest.mark.parametrize("arguments", [[], ["fly"], ["test", "--fast"]])
def test_wrong_arguments_show_the_usage(bootstrap, arguments, capsys):
    assert bootstrap.main(arguments) == 2
    assert "usage: python3 bootstrap.py" in capsys.readouterr().err


@pytest.mark.parametrize(("quick", "selection"), [(True, []), (False, ["-m", "slow or not slow"])])
def test_all_checks_run_even_after_a_failure(bootstrap, monkeypatch, quick, selection):
    ran: list[list[str]] = []

    def call(command, cwd):
        ran.append(command)
        return 1 if "mypy" in command[0] else 0

    monkeypatch.setattr(bootstrap, "call", call)
    assert bootstrap.run_tests(quick) == 1
    assert [Path(c[0]).name for c in ran] == ["ruff", "ruff", "mypy", "lint-imports", "python", "python"]
    assert ran[-1][3:] == [*bootstrap.PARALLEL, *selection]


def test_training_takes_the_quick_preset_unless_told_otherwise(bootstrap, monkeypatch):
    taken: list[list[str]] = []
    monkeypatch.setattr(bootstrap.os, "execv", lambda path, command: taken.append(command[1:]))
    monkeypatch.setattr(bootstrap, "call", lambda command, cwd: 0)
    bootstrap.run_training(["--seed", "3"])
    assert taken == [["train", "--preset", "quick", "--seed", "3"]]
    for told in (["--preset", "cpu"], ["--config=run.yaml"]):
        taken.clear()
        bootstrap.run_training(told)
        assert taken == [["train", *told]]
