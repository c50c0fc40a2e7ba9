"""Bytes of text files to lines, whatever wrote them."""

from __future__ import annotations

import codecs

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode_text(content: bytes) -> str:
    """Text of UTF-8 or, with a byte order mark, UTF-16; of Windows' Western code page where it is neither.

    Lines end in a line feed, whatever ended them in the file; bytes that mean nothing are replaced.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _lines(content[len(mark) :].decode(encoding, "replace"))
    try:
        return _lines(content.decode("utf-8"))
    except UnicodeDecodeError:
        return _lines(content.decode("cp1252", "replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
