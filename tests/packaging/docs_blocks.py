"""Finds the code blocks of README.md and docs/**/*.md, and what the comments above them say.

HTML comments directly above a block, which readers do not see, say how a test runs it:

``<!-- not run: REASON -->`` it is not run; Python must still compile, and commands of ours must parse. Above
    the mark of a generated part it holds for the whole part.
``<!-- run with: A -> B; C -> D -->`` it runs with these texts replaced, to be small; each must be there.
``<!-- prints: REGEX -->`` what it prints, as a whole.
``<!-- setup`` ... ``-->`` Python that runs before it.

Python blocks of a page run in order in one namespace, in an empty folder.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^ *(?P=fence) *$", re.M | re.S
)
COMMENT = re.compile(r"<!--\s*(?P<text>.*?)\s*-->\s*$", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block."""

    page: str
    """Its page, from the root."""
    line: int
    """Line of its first line of code."""
    language: str
    code: str
    """As it stands there."""
    reason: str | None
    """Why it is not run."""
    changes: tuple[tuple[str, str], ...]
    """Texts that are replaced when it runs."""
    prints: str | None
    """What it prints, a regular expression."""
    setup: str
    """Python that runs before it."""

    @property
    def small(self) -> str:
        """The code with its replacements; raises ``ValueError`` where a text is not there."""
        code = self.code
        for old, new in self.changes:
            if old not in code:
                raise ValueError(f"{self}: 'run with' names {old!r}, which is not in the block")
            code = code.replace(old, new)
        return code

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path) -> list[Block]:
    """All fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    return [_block(path, text, match) for match in FENCE.finditer(text)]


def _block(path: Path, text: str, match: re.Match[str]) -> Block:
    said = _comments(text[: match.start()])
    pairs = [pair.partition(" -> ") for pair in said.get("run with", "").split("; ") if pair]
    reason = said.get("not run") or _reason_of_part(text, match.start())
    lines = [line.removeprefix(match["indent"]) for line in match["code"].splitlines()]
    return Block(
        page=path.relative_to(ROOT).as_posix(),
        line=text[: match.start()].count("\n") + 2,
        language=match["language"].strip(),
        code="\n".join(lines) + "\n",
        reason=reason,
        changes=tuple((old.strip(), new.strip()) for old, _, new in pairs),
        prints=said.get("prints"),
        setup=said.get("setup", ""),
    )


def _comments(before: str) -> dict[str, str]:
    """What the comments at the end of a text say, by their first words."""
    said: dict[str, str] = {}
    while (start := before.rfind("<!--")) >= 0 and (found := COMMENT.fullmatch(before, start)):
        name, _, rest = re.sub(r"^setup\n", "setup:", found["text"]).partition(":")
        said[name] = rest if name == "setup" else rest.strip()
        before = before[:start]
    return said


def _reason_of_part(text: str, place: int) -> str | None:
    """Why the generated part that holds a place is not run; None where there is none, or it is run."""
    before = text[:place]
    for mark in re.finditer(r"<!-- (?P<name>[\w ]+): made by [^>]*-->", before):
        if f"<!-- end of {mark['name']} -->" not in before:
            return _comments(before[: mark.start()]).get("not run")
    return None


def commands(block: Block, code: str | None = None) -> list[list[str]]:
    """The commands of a shell block, a list of words each; comments are left out."""
    text = (block.code if code is None else code).replace("\\\n", " ")
    found = (shlex.split(line, comments=True) for line in text.splitlines())
    return [words for words in found if words]
