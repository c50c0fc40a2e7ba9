"""Generated parts of pages, between two comments that name the script which makes them."""

from __future__ import annotations

from collections.abc import Mapping


def filled(text: str, parts: Mapping[str, str], script: str) -> str:
    """The text with its generated parts made anew; raises ``ValueError`` where one has no place in it.

    Args:
        text: of a page.
        parts: by name.
        script: what makes them, as the comments name it.
    """
    for name, part in parts.items():
        begin, end = f"<!-- {name}: made by {script} -->", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"there is no place for {name!r}; write {begin!r} and {end!r} into the page")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{part}\n{end}{rest.partition(end)[2]}"
    return text
