"""Typed reading of JSON objects that come from files nobody has checked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import SceneError


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object, the file it is from and its place in there (for messages).

    Every reader raises ``SceneError`` that names file, place, value and what was expected.
    """

    values: dict[str, Any]
    file: str
    place: str

    def error(self, key: str, message: str) -> SceneError:
        """Return (not raise) the error for field ``key`` of this object."""
        where = f"{self.place}.{key}" if key else self.place
        return SceneError(f"{self.file}: {where} {message}")

    def has(self, key: str) -> bool:
        """Whether the field is present."""
        return key in self.values

    def integer(self, key: str, default: int | None = None, *, low: int = 0, high: int = 2**53) -> int:
        """Read an integer in [low, high]; required where there is no default."""
        value = self._required(key) if default is None else self.values.get(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"is {value!r:.80}; expected a whole number from {low} to {high}")
        return value

    def number(self, key: str, default: float) -> float:
        """Read a finite number."""
        return self._finite(key, self.values.get(key, default))

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Read a list of as many finite numbers as the default has."""
        value = self.values.get(key, default)
        if not isinstance(value, list | tuple) or len(value) != len(default):
            raise self.error(key, f"is {value!r:.80}; expected {len(default)} numbers")
        return tuple(self._finite(key, item) for item in value)

    def number_list(self, key: str) -> tuple[float, ...]:
        """Read a list of any length of finite numbers, empty where it is absent."""
        return tuple(self._finite(key, item) for item in self._list(key))

    def text(self, key: str, default: str | None = None) -> str:
        """Read a string; required where there is no default."""
        value = self._required(key) if default is None else self.values.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"is {value!r:.80}; expected a string")
        return value

    def flag(self, key: str) -> bool:
        """Read a boolean that is false where it is absent."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"is {value!r:.80}; expected true or false")
        return value

    def child(self, key: str) -> Fields | None:
        """Read an object, or None where it is absent."""
        return self._object(key, key, self.values[key]) if key in self.values else None

    def child_or_empty(self, key: str) -> Fields:
        """Read an object, or an empty one where it is absent."""
        return self._object(key, key, self.values.get(key, {}))

    def items(self, key: str) -> list[Fields]:
        """Read a list of objects, empty where it is absent."""
        return [self._object(key, f"{key}[{number}]", value) for number, value in enumerate(self._list(key))]

    def texts(self, key: str) -> list[str]:
        """Read a list of strings, empty where it is absent."""
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            raise self.error(key, f"is {values!r:.80}; expected strings")
        return values

    def integers(self, key: str) -> Iterator[int]:
        """Read a list of whole numbers that are not negative, empty where it is absent."""
        for item in self._list(key):
            value = int(item) if isinstance(item, float) and item.is_integer() else item
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise self.error(key, f"holds {value!r:.80}; expected whole numbers from 0")
            yield value

    def _required(self, key: str) -> Any:
        if key not in self.values:
            raise self.error(key, "is missing")
        return self.values[key]

    def _finite(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise self.error(key, f"holds {value!r:.80}; expected finite numbers")
        assert math.isfinite(value)
        return float(value)

    def _list(self, key: str) -> list[Any]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"is {value!r:.80}; expected a list")
        return value

    def _object(self, key: str, place: str, value: Any) -> Fields:
        if not isinstance(value, dict):
            raise self.error(key, f"holds {value!r:.80}; expected an object")
        return Fields(value, self.file, f"{self.place}.{place}" if self.place else place)
