"""What is said while people wait."""

from __future__ import annotations

import io
import re
import sys
import time

from gym_batchnav.cli import waiting


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_file_gets_lines_with_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr(waiting, "LINES_S", 0.0)
    with waiting.counting("trained policy", 1200) as advance:
        advance()
        advance(1199)
    assert capsys.readouterr().err.splitlines() == [
        "batchnav: trained policy, 1 of 1,200 ...",
        "batchnav: trained policy, 1,200 of 1,200 ...",
    ]
    monkeypatch.setattr(waiting, "LINES_S", 60.0)
    with waiting.counting("trained policy", 2) as advance:
        advance()
    assert capsys.readouterr().err == ""


def test_a_file_gets_a_line_only_where_it_takes_long(capsys, monkeypatch):
    with waiting.waiting("loading scenes"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.0)
    with waiting.waiting("loading scenes"):
        time.sleep(0.1)
    assert capsys.readouterr().err == "batchnav: loading scenes ...\n"


def test_a_terminal_shows_how_much_is_done_and_is_left_clean(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with waiting.counting("houses", 3, still=True) as advance:
        advance()
        advance()
    shown = terminal.getvalue()
    counts = re.findall(r"(\d)/3", shown)
    assert list(dict.fromkeys(counts)) == ["0", "1", "2"]
    # The last thing written takes the line away: "erase in line", 2K.
    assert shown.rstrip("\r").endswith("\x1b[2K")
