"""The command line's face: help, errors, exit codes."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import io
import os
import re
import signal
import subprocess
import sys
import time
import warnings

import pytest

import gym_batchnav
from batchnav_renderer.errors import EGLError
from gym_batchnav.cli import app, main
from gym_batchnav.cli.app import parse
from gym_batchnav.cli.commands import COMMANDS
from gym_batchnav.cli.overview import EXAMPLE
from gym_batchnav.errors import ConfigError

RUN = "import sys; from gym_batchnav.cli import main; sys.exit(main())"


def _words(text: str) -> str:
    """The text without the boxes, which are wrapped to the terminal's width; words are what counts."""
    return " ".join(text.replace("│", " ").split())


def overview(capsys) -> str:
    assert main([]) == 0
    return capsys.readouterr().out


def help_text(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--help"])
    assert end.value.code == 0
    return _words(capsys.readouterr().out)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_the_overview_names_all_commands_by_group(capsys, arguments):
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, command in COMMANDS.items():
        (row,) = (number for number, line in enumerate(lines) if line.startswith(f"  {name} "))
        assert command.group in lines[:row]
    assert f"example: {EXAMPLE[0]}" in lines


def test_the_example_of_the_overview_is_a_command():
    program, *given = EXAMPLE[0].split()
    assert program == "batchnav"
    assert parse(given).time_limit == 5.0


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_explained_and_can_be_loaded(capsys, name):
    command = COMMANDS[name]
    assert f"usage: batchnav {name}" in help_text(capsys, name)
    assert command.about in _words(overview(capsys))
    module, _, function = command.work.partition(":")
    source = importlib.util.find_spec(f"gym_batchnav.cli.{module}").loader.get_source(
        f"gym_batchnav.cli.{module}"
    )
    assert re.search(rf"def {function}\(|import {function}", source)


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gym-batchnav {gym_batchnav.__version__}\n"


def test_help_of_scenes_without_a_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["scenes"])
    assert end.value.code == 0
    assert "check" in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize("arguments", [[], ["eval", "--help"], ["bench", "--help"]])
def test_help_fits_the_terminal(capsys, monkeypatch, columns, arguments):
    monkeypatch.setenv("COLUMNS", columns)
    with contextlib.suppress(SystemExit):
        main(arguments)
    lines = capsys.readouterr().out.splitlines()
    # The line of usage is one word list, which terminals break.
    assert [line for line in lines if len(line) > int(columns) and "usage:" not in line] == []


@pytest.mark.parametrize("shell", app.SHELLS)
def test_completion_knows_commands_and_options(capsys, shell):
    assert main(["--print-completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("doctor", "time-limit", "houses"):
        assert word in script


@pytest.mark.parametrize("shell", [[], ["tcsh"]])
def test_completion_for_other_shells_is_refused(capsys, shell):
    assert main(["--print-completion", *shell]) == 2
    assert capsys.readouterr().err == "batchnav: --print-completion needs a shell: bash, zsh, fish\n"


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


def test_help_loads_what_it_needs_alone():
    """Neither of them takes longer than a few packages; the overview does not even read the arguments."""
    program = (
        "import sys\nfrom gym_batchnav.cli import main\n"
        "heavy = ('torch', 'OpenGL', 'numba', 'matplotlib', 'scipy', 'shapely')\n"
        "main([])\nprint([m for m in (*heavy, 'tyro', 'gym_batchnav.scenes') if m in sys.modules])\n"
        "try:\n    main(['train', '--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in (*heavy, 'gym_batchnav.scenes') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if line.startswith("[")] == ["[]", "[]"]


@pytest.mark.parametrize("error", [ConfigError("num_envs=0 is not allowed"), EGLError("no display")])
def test_expected_errors_are_one_line_and_status_2(monkeypatch, capsys, error):
    def fail(name, arguments):
        raise error

    monkeypatch.setattr(app, "dispatch", fail)
    assert main(["bench", "step"]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"batchnav: {error}\n"
    assert captured.out == ""


def test_old_terminals_get_what_they_can_show():
    """Neither boxes nor dashes stop a terminal of another encoding, and without colours there are none."""
    done = subprocess.run(
        [sys.executable, "-m", "gym_batchnav.cli", "eval", "--help"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1", "COLUMNS": "40"},
    )
    assert b"CHECKPOINT" in done.stdout
    assert done.stderr == b""
    assert max(done.stdout) < 128
    assert b"\x1b" not in done.stdout


def test_characters_that_a_terminal_lacks_become_question_marks(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(app, "dispatch", lambda name, arguments: sys.stdout.write("SPL – 0.5 ┃\n") * 0)
    assert main(["doctor"]) == 0
    assert stream.buffer.getvalue() == b"SPL ? 0.5 ?\n"


def test_warnings_are_one_line_without_their_source(monkeypatch):
    before, seen = warnings.formatwarning, []

    def look(name, arguments):
        seen.append(warnings.formatwarning(UserWarning("the disk is slow"), UserWarning, "disk.py", 3))
        return 0

    monkeypatch.setattr(app, "dispatch", look)
    assert main(["doctor"]) == 0
    assert seen == ["batchnav: warning: the disk is slow\n"]
    assert warnings.formatwarning is before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sign"),
    [
        (["bench", "step", "--scenes", "houses:val[:1]", "--num-envs", "8"], "starting episodes"),
        (["doctor"], "known picture"),
    ],
)
def test_ctrl_c_ends_long_commands_with_one_line(arguments, sign):
    """As a terminal sends it, to all processes of the command."""
    program = f"import gym_batchnav.cli.waiting as w; w.PATIENCE_S = 0.0\n{RUN}"
    child = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    said = ""
    while sign not in said:
        line = child.stderr.readline()
        assert line, f"{arguments} ended: {said}"
        said += line
    time.sleep(0.3)
    os.killpg(child.pid, signal.SIGINT)
    out, rest = child.communicate(timeout=120)
    assert child.returncode == 130
    assert out == ""
    assert rest.splitlines()[-1] == "batchnav: interrupted"
    assert "Traceback" not in rest


def test_interrupt_ends_cleanly(monkeypatch, capsys):
    def interrupt(name, arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "dispatch", interrupt)
    assert main(["bench", "step"]) == 130
    assert capsys.readouterr().err == "batchnav: interrupted\n"


def test_sigterm_puts_things_in_order_and_ends_with_143(monkeypatch, capsys):
    tidied = []

    def work(name, arguments):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            tidied.append(name)

    monkeypatch.setattr(app, "dispatch", work)
    before = signal.getsignal(signal.SIGTERM)
    assert main(["bench", "step"]) == 143
    assert capsys.readouterr().err == "batchnav: terminated\n"
    assert tidied == ["bench"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_bugs_are_not_hidden(monkeypatch):
    def fail(name, arguments):
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
        (["play", "house:val", "--record", "x.gif", "--keys", "w"], "house:val: is no scene; give a file"),
        (["play", "--record", "x.gif", "--keys", "w", "--sensors", "none", "rgb"], "give none, or images"),
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
    # On a slow machine it is told, too, that the command is starting.
    lines = [line for line in capsys.readouterr().err.splitlines() if "starting" not in line]
    assert len(lines) == 1
    assert words in lines[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["train", "--wings", "2"], ["bench", "jump"]])
def test_unknown_arguments_end_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


@pytest.mark.parametrize(
    ("text", "frames"),
    [("1500000", 1_500_000), ("1_500_000", 1_500_000), ("1.5e6", 1_500_000), ("1e22", 10**22)],
)
def test_frames_may_be_written_as_people_write_millions(text, frames):
    assert parse(["train", "--frames", text]).frames == frames


@pytest.mark.parametrize("text", ["1.5", "x", "inf", "nan", "1e400", ""])
def test_frames_that_are_no_whole_number_are_named(text, capsys):
    with pytest.raises(SystemExit) as end:
        parse(["train", "--frames", text])
    assert end.value.code == 2
    told = _words(capsys.readouterr().err)
    assert "--frames" in told
    assert f"a whole number such as 10000000 or 1e7, found {text}" in told


def test_mistyped_options_are_told_the_right_one(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--num-env", "3"])
    assert "--num-envs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trian"], "there is no command 'trian'; did you mean 'train'?"),
        (["fly"], f"there is no command 'fly'; there are {', '.join(COMMANDS)}"),
        (["--device", "cpu"], "give a command first, such as 'batchnav train --device ...'"),
    ],
)
def test_unknown_commands_are_told_what_there_is(arguments, words, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("batchnav: ")
    assert captured.err.endswith(f"{words}\n")


def test_a_full_disk_is_one_line_and_other_errors_of_the_system_are_not_hidden(monkeypatch, capsys):
    def fail(error):
        def dispatch(name, arguments):
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


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("cannot allocate 9 GiB"),
        RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: 9 GiB"),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory. Tried to allocate 9 GiB"),
    ],
)
def test_too_little_memory_is_named(capsys, monkeypatch, error):
    def fail(name, arguments):
        raise error

    monkeypatch.setattr(app, "dispatch", fail)
    assert main(["doctor"]) == 2
    told = capsys.readouterr().err
    assert "there is not enough memory" in told
    assert "9 GiB" in told
    assert "take fewer --num-envs" in told


def test_other_errors_of_torch_are_no_lack_of_memory(monkeypatch):
    def fail(name, arguments):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(app, "dispatch", fail)
    with pytest.raises(RuntimeError, match="shapes"):
        main(["doctor"])


@pytest.mark.parametrize(
    "arguments", [["doctor"], ["episodes"], ["bench", "step"], ["scenes", "check", "houses:val/0"]]
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(capsys, monkeypatch, tmp_path, arguments):
    name = next(name for name in COMMANDS if name == arguments[0])
    monkeypatch.setattr(app, "COMMANDS", {name: COMMANDS[name]})
    monkeypatch.setattr(type(COMMANDS[name]), "load_work", lambda self: pytest.fail)
    assert main([*arguments, "--json", str(tmp_path)]) == 2
    assert f"{tmp_path} cannot be written: it is a folder" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("redirection", "status", "words"),
    [(">&-", 0, ""), ("> /dev/full", 2, "batchnav: [Errno 28] No space left on device\n")],
)
def test_output_that_goes_nowhere_shows_no_trace(redirection, status, words):
    done = subprocess.run(
        ["bash", "-c", f'"$0" -c "$1" --version {redirection}', sys.executable, RUN],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, words)
