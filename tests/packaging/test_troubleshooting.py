"""The page for stuck users quotes errors that this code really gives."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.packaging.docs_blocks import ROOT, blocks

PAGE = ROOT / "docs/troubleshooting.md"
DOCTOR = "doctor: "
CAUSES = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text("utf-8").split("The cause stands behind")[1], re.M)
QUOTES = [
    line
    for block in blocks(PAGE)
    if block.language == "text"
    for line in block.code.splitlines()
]  # fmt: skip


@cache
def told() -> dict[str, list[str]]:
    """Texts of the doctor's code and of all other code; \0 stands for what is filled in."""
    found: dict[str, list[str]] = {"doctor": [], "others": []}
    for package in ("gym_batchnav", "renderer/batchnav_renderer"):
        for file in sorted((ROOT / package).rglob("*.py")):
            where = "doctor" if "doctor" in file.parts else "others"
            found[where] += texts(file)
    return found


def texts(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


def said_by(quote: str, where: str) -> bool:
    """Whether a text of the code becomes the quote, whose "..." stand for anything."""
    pattern = re.compile(r"(?s:.*?)".join(re.escape(part.strip()) for part in quote.split("...")))
    return any(pattern.search(text) for text in told()[where])


def test_the_page_quotes_enough():
    assert len(QUOTES) > 50
    assert len([quote for quote in QUOTES if quote.startswith(DOCTOR)]) > 20
    assert len(CAUSES) == 4


@pytest.mark.parametrize("quote", QUOTES)
def test_quoted_messages_are_ours(quote):
    if quote.startswith(DOCTOR):
        assert said_by(quote.removeprefix(DOCTOR), "doctor")
        return
    # Something of each must be words of ours.
    assert max(len(part) for part in quote.split("...")) > 10
    assert said_by(quote, "others") or said_by(quote, "doctor")


@pytest.mark.parametrize("cause", CAUSES)
def test_causes_of_copies_are_ours(cause):
    assert said_by(
        re.sub(r"\[1\]|cuda:0", lambda found: "cuda:..." if "cuda" in found[0] else "...", cause), "others"
    )


def test_what_is_made_up_is_not_found():
    assert not said_by("the renderer is open; make a new ...", "others")
