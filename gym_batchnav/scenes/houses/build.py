"""Puts a house together: plan, shell, furniture and walkable ground."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import ConfigError, SceneError
from ..scene import Scene
from .brush import Brush, Footprint
from .config import HouseConfig
from .dice import Dice
from .furnish import furnish
from .furniture.decoration import ceiling_lamp
from .joinery import add_door, add_outer_opening, add_picture
from .mesh import MeshBuilder, Place
from .palette import Style, floor_finish, make_style, wall_finish, wood_floor
from .placing import RoomPlacer
from .plan import DOOR_WIDTH, WALL_HEIGHT, Door, Plan
from .program import make_plan
from .shell import add_ceiling, add_floor, add_walls
from .walkable import Region, free_region, ground_of, joins_all_rooms, main_island

_ATTEMPTS = 2000


def make_house(seed: int, config: HouseConfig | None = None, *, scene_id: str | None = None) -> Scene:
    """Make a furnished one-storey house.

    Args:
        seed: decides everything; 0 to 2**63 - 1.
        config: bounds of area, rooms and so on; None for the defaults.
        scene_id: id of the scene; None for ``houses-v2/seed/<seed>``.

    Returns:
        A scene with its walkable ground, equal bytes for equal arguments. Floor at y = 0, the footprint from
        the origin towards +x and +z. Object ids count rooms, doors, windows and pieces of furniture from 1.

    Raises:
        ConfigError: the seed is out of range.
        SceneError: the config leaves no room for a house.
    """
    if not 0 <= seed < 2**63:
        raise ConfigError(f"seed={seed} of a house; allowed: 0 to 2**63 - 1")
    config = HouseConfig() if config is None else config
    for attempt in range(_ATTEMPTS):
        dice = Dice(seed, attempt)
        plan = make_plan(dice, config)
        house = None if plan is None else _House(plan, make_style(dice), dice, config).build()
        if house is not None:
            return house.scene(scene_id or f"houses-v2/seed/{seed}")
    raise SceneError(f"house seed={seed}: no house within {config} in {_ATTEMPTS} attempts; widen the bounds")


@dataclass(slots=True)
class _House:
    """A house on its way."""

    plan: Plan
    style: Style
    dice: Dice
    config: HouseConfig
    mesh: MeshBuilder = field(default_factory=MeshBuilder)
    footprints: list[Footprint] = field(default_factory=list)
    island: Region | None = None
    """The walkable ground."""

    def build(self) -> _House | None:
        """Add everything; None where furniture does not fit or leaves a room unreachable."""
        for door in self.plan.doors:
            add_door(
                self.mesh,
                self.footprints,
                self.plan.rooms,
                door,
                self._leaf(door),
                self.style,
                self.mesh.new_object("door"),
            )
        if not all(self._furnish(number) for number in range(len(self.plan.rooms))):
            return None
        if not joins_all_rooms(self.plan, self.footprints):
            return None
        free = free_region(self.plan, self.footprints, self.config.agent_radius_mm)
        self.island = main_island(free)
        if self.island is None:
            return None
        self._shell()
        return self

    def scene(self, scene_id: str) -> Scene:
        """Turn the finished house into a scene."""
        arrays = self.mesh.finish(self.style.palette)
        return Scene(
            scene_id=scene_id,
            arrays=arrays,
            walkable=ground_of(self.island),
            object_classes=tuple(self.mesh.object_classes),
        )

    def _leaf(self, door: Door) -> tuple[int, bool] | None:
        """Which room the leaf of a door opens into, never a hall, and on which end its hinges are."""
        kinds = [self.plan.rooms[room].kind for room in door.rooms]
        if door.width != DOOR_WIDTH or door.openings[0].kind == "arch" or not self.dice.chance(60):
            return None
        which = self.dice.below(2)
        if kinds[which] == "hall":
            which = 1 - which
        opening = door.openings[which]
        low, high = self.plan.rooms[door.rooms[which]].inner.span(opening.side)
        return which, opening.low - low <= high - opening.high

    def _furnish(self, number: int) -> bool:
        """Furnish a room; False where the least of it does not fit."""
        room = self.plan.rooms[number]
        if not self.config.furnished:
            return True
        placer = RoomPlacer(
            room,
            self.plan.openings[number],
            self.dice,
            self.mesh,
            self.footprints,
            lane=self.dice.between(450, 700, 50),
            clutter=self.config.clutter_percent,
        )
        if not furnish(placer, self.style):
            return False
        middle = (room.inner.x0 + room.inner.x1) // 2, (room.inner.z0 + room.inner.z1) // 2
        centre = Place(*middle, y=room.y)
        ceiling_lamp(
            Brush(self.mesh, self.footprints, centre, self.mesh.new_object("lighting")),
            self.style,
            WALL_HEIGHT,
        )
        self._pictures(number, placer)
        return True

    def _pictures(self, number: int, placer: RoomPlacer) -> None:
        """Pictures on stretches of wall without openings."""
        room = self.plan.rooms[number]
        if room.kind in ("bath", "storage", "kitchen"):
            return
        for side in range(4):
            low, high = room.inner.span(side)
            centre = self.dice.between(low + 600, max(high - 600, low + 600), 50)
            clear = all(
                opening.side != side or opening.high + 560 < centre or centre < opening.low - 560
                for opening in placer.openings
            )
            behind = room.inner.strip(side, centre - 480, centre + 480, 300)
            if clear and self.dice.chance(45) and not any(rect.overlaps(behind) for rect in placer.taken):
                add_picture(
                    self.mesh,
                    room.inner,
                    side,
                    centre,
                    self.dice,
                    self.style,
                    self.mesh.new_object("picture"),
                )

    def _shell(self) -> None:
        """Floors, ceilings, walls, windows and the entrance."""
        palette = self.style.palette
        woods = wood_floor(self.dice, self.style)
        white = palette.finish("plaster", (250, 250, 248), 800)
        for room, openings in zip(self.plan.rooms, self.plan.openings, strict=True):
            floor = floor_finish(self.dice, self.style, room.kind, woods)
            add_floor(self.mesh, room, floor, self.mesh.new_object("floor"))
            add_ceiling(self.mesh, room, white, self.mesh.new_object("ceiling"))
            walls = (wall_finish(self.dice, self.style, room.kind), self.style.trim)
            add_walls(self.mesh, room, openings, walls, self.mesh.new_object("wall"))
            for opening in openings:
                if opening.kind in ("window", "entrance"):
                    outer = self.mesh.new_object("window" if opening.kind == "window" else "door")
                    add_outer_opening(self.mesh, room.inner, opening, self.dice, self.style, outer)
