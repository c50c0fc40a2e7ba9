"""What a built-in house may look like."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseConfig:
    """Bounds for ``make_house``; the defaults are those of the ``houses-v2`` sets."""

    min_area: float = 60.0
    """Smallest floor area, m2, walls not counted."""
    max_area: float = 150.0
    """Largest floor area, m2."""
    min_rooms: int = 4
    """Fewest rooms, the hall included."""
    max_rooms: int = 8
    """Most rooms."""
    agent_radius: float = 0.1
    """Metres by which the walkable ground keeps off walls and furniture; a multiple of 0.01."""
    furnished: bool = True
    """False leaves the rooms empty."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError`` naming the first that is not allowed."""
        if not 40.0 <= self.min_area < self.max_area <= 250.0 or self.max_area - self.min_area < 20.0:
            raise ConfigError(
                f"HouseConfig: min_area={self.min_area}, max_area={self.max_area}; allowed: 40 <= min_area, "
                "max_area <= 250, at least 20 apart"
            )
        if not 3 <= self.min_rooms <= self.max_rooms <= 10:
            raise ConfigError(
                f"HouseConfig: min_rooms={self.min_rooms}, max_rooms={self.max_rooms}; allowed: "
                "3 <= min_rooms <= max_rooms <= 10"
            )
        centimetres = round(self.agent_radius * 100)
        if not 5 <= centimetres <= 30 or abs(centimetres - self.agent_radius * 100) > 1e-6:
            raise ConfigError(
                f"HouseConfig: agent_radius={self.agent_radius}; allowed: 0.05 to 0.3 in steps of 0.01"
            )

    @property
    def agent_radius_mm(self) -> int:
        """The agent's radius in millimetres."""
        return round(self.agent_radius * 100) * 10
