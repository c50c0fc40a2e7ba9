"""What a built-in house may look like."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import ConfigError

LEAST_ROOMS_OF_TWO_STOREYS = 6
"""Hall, living room and kitchen below; landing, bedroom and bathroom above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseConfig:
    """Bounds for ``make_house``; the defaults are those of the ``houses-v2`` sets."""

    min_area: float = 25.0
    """Smallest floor area over all storeys, m2, walls not counted."""
    max_area: float = 175.0
    """Largest floor area, m2."""
    min_rooms: int = 2
    """Fewest rooms over all storeys, halls and landings included."""
    max_rooms: int = 12
    """Most rooms; most of the houses have 4 to 8 where the bounds allow it."""
    storeys: int | None = None
    """1 or 2; None draws: about a fifth of the default houses have two."""
    clutter: float = 0.5
    """How many small things lie about: 0 for none to 1 for many."""
    agent_radius: float = 0.1
    """Metres by which the walkable ground keeps off walls and furniture; a multiple of 0.01."""
    furnished: bool = True
    """False leaves the rooms empty."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError`` naming the first that is not allowed."""
        if not 25.0 <= self.min_area < self.max_area <= 300.0 or self.max_area - self.min_area < 10.0:
            raise ConfigError(
                f"HouseConfig: min_area={self.min_area}, max_area={self.max_area}; allowed: 25 <= min_area, "
                "max_area <= 300, at least 10 apart"
            )
        if not 2 <= self.min_rooms <= self.max_rooms <= 12:
            raise ConfigError(
                f"HouseConfig: min_rooms={self.min_rooms}, max_rooms={self.max_rooms}; allowed: "
                "2 <= min_rooms <= max_rooms <= 12"
            )
        if self.storeys not in (None, 1, 2):
            raise ConfigError(f"HouseConfig: storeys={self.storeys}; allowed: 1, 2, or None to draw")
        if self.storeys == 2 and self.max_rooms < LEAST_ROOMS_OF_TWO_STOREYS:
            raise ConfigError(
                f"HouseConfig: max_rooms={self.max_rooms} with storeys=2; two storeys take at least "
                f"{LEAST_ROOMS_OF_TWO_STOREYS} rooms"
            )
        if not 0.0 <= self.clutter <= 1.0:
            raise ConfigError(f"HouseConfig: clutter={self.clutter}; allowed: 0 to 1")
        self._check_radius()

    def _check_radius(self) -> None:
        centimetres = self.agent_radius * 100
        whole = math.isfinite(centimetres) and abs(round(centimetres) - centimetres) <= 1e-6
        if not whole or not 5 <= round(centimetres) <= 30:
            raise ConfigError(
                f"HouseConfig: agent_radius={self.agent_radius}; allowed: 0.05 to 0.3 in steps of 0.01"
            )

    @property
    def agent_radius_mm(self) -> int:
        """The agent's radius in millimetres."""
        return round(self.agent_radius * 100) * 10

    @property
    def clutter_percent(self) -> int:
        """``clutter`` in whole per cent."""
        return round(self.clutter * 100)
