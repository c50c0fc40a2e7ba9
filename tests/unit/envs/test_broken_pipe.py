"""The command line is quiet where nobody reads its output any more."""

from __future__ import annotations

import subprocess
import sys


def test_help_into_a_closed_pipe():
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from gym_batchnav.cli import main; sys.exit(main())",
            "train",
            "--help",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # Closed before anything is written, as by a ``head`` that has seen enough.
    process.stdout.close()
    errors = process.stderr.read()
    # 141 as of a process that SIGPIPE ended; 1 where the library that writes the help has noticed it first.
    assert process.wait(timeout=60) in (1, 141)
    assert errors == b""


def test_output_that_breaks_at_the_last_flush():
    code = (
        "import sys, os, gym_batchnav.cli.app as app\n"
        "app._run = lambda given: print('much') or 0\n"
        "sys.stdin.read()\n"
        "sys.exit(app.main([]))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 141
