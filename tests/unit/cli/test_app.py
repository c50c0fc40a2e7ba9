"""The command line's face: help, errors, exit codes."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest

from batchnav_renderer.errors import EGLError
from gym_batchnav.cli import app, main
from gym_batchnav.errors import ConfigError


def help_text(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--help"])
    assert end.value.code == 0
    # The boxes are wrapped to the terminal's width; words are what counts.
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_help_names_the_commands(capsys):
    text = help_text(capsys)
    for command in ("train", "eval", "bench"):
        assert f"• {command}" in text


def test_no_arguments_show_the_help(capsys):
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 0
    assert "usage: batchnav" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        (
            "train",
            "--scenes --navmesh --val-scenes --preset --frames --time-limit --num-envs --sensors "
            "--resolution --seed --device --run-dir --eval-episodes --greedy --set --resume --fresh",
        ),
        ("eval", "--scenes --episodes --episode-file --greedy --sampled --json --report --seed"),
        (
            "bench",
            "--scenes --num-envs --num-resident-scenes --resolution --sensors --subdivide --swap-every "
            "--compare --peer-python --seconds --json",
        ),
    ],
)
def test_every_flag_is_explained(capsys, command, flags):
    text = help_text(capsys, command)
    for flag in flags.split():
        assert f"{flag} " in text
    assert "(default: None)" not in text


def test_help_loads_neither_torch_nor_gl():
    program = (
        "import sys\nfrom gym_batchnav.cli import main\n"
        "try:\n    main(['train', '--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'OpenGL', 'numba', 'matplotlib') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("error", [ConfigError("num_envs=0 is not allowed"), EGLError("no display")])
def test_expected_errors_are_one_line_and_status_2(monkeypatch, capsys, error):
    def fail(arguments):
        raise error

    monkeypatch.setattr(app, "dispatch", fail)
    assert main(["bench", "step"]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"batchnav: {error}\n"
    assert captured.out == ""


def test_interrupt_ends_cleanly(monkeypatch, capsys):
    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "dispatch", interrupt)
    assert main(["bench", "step"]) == 130
    assert capsys.readouterr().err == "batchnav: interrupted\n"


def test_bugs_are_not_hidden(monkeypatch):
    def fail(arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(app, "dispatch", fail)
    with pytest.raises(ZeroDivisionError):
        main(["bench", "step"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench", "step", "--num-envs", "0"], "--num-envs 0 is not allowed"),
        (["bench", "step", "--seconds", "0"], "--seconds 0.0 is not allowed"),
        (["bench", "step", "--scenes", "houses:nowhere"], "houses:nowhere"),
        (["bench", "render", "--sensors"], "at least one of --sensors depth rgb semantic normals"),
        (["eval", "nothing.pt"], "nothing.pt"),
        (["eval", "nothing.pt", "--greedy", "--sampled"], "exclude each other"),
        (["train", "--num-envs", "0"], "num_envs=0"),
        (["train", "--frames", "0"], "total_frames"),
        (["train", "--set", "ppo.speed=3"], "ppo.learning_rate"),
        (["train", "--set", "nonsense"], "KEY=VALUE"),
        (["train", "--scenes", "missing.glb"], "missing.glb"),
    ],
)
def test_wrong_values_are_named(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["fly"], ["train", "--wings", "2"], ["bench", "jump"]])
def test_unknown_arguments_end_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


def test_a_full_disk_is_one_line_and_other_errors_of_the_system_are_not_hidden(monkeypatch, capsys):
    def fail(error):
        def dispatch(arguments):
            raise error

        monkeypatch.setattr(app, "dispatch", dispatch)

    fail(OSError(errno.ENOSPC, "No space left on device", "runs/quick/config.json"))
    assert main(["doctor"]) == 2
    assert capsys.readouterr().err == (
        "batchnav: [Errno 28] No space left on device: 'runs/quick/config.json'\n"
    )
    fail(OSError(errno.EIO, "Input/output error"))
    with pytest.raises(OSError, match="Input/output"):
        main(["doctor"])
