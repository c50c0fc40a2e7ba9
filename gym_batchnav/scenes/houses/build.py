"""Puts a house together: plan, shell, furniture and walkable ground."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import ConfigError, SceneError
from ..scene import Scene, SceneRoom
from .brush import Footprint
from .config import HouseConfig
from .dice import Dice
from .furnish import furnish
from .furniture import Decor, make_decor
from .joinery import DOOR_PATTERNS, add_door, add_entrance, add_leaf
from .mesh import MeshBuilder
from .palette import Style, floor_finish, make_style, wall_finish, wood_floor
from .placing import RoomPlacer
from .plan import DOOR_WIDTH, Door, Plan, Room
from .program import draw_plans
from .shell import add_ceiling, add_floor, add_walls
from .stairwork import add_stairs
from .walkable import Region, ground_of, joins_all_rooms, main_islands
from .windows import add_window

_FEW_ROOMS = 3
"""Rooms up to which light is baked more finely, as there are triangles to spare."""


def make_house(seed: int, config: HouseConfig | None = None, *, scene_id: str | None = None) -> Scene:
    """Make a furnished house of one or two storeys.

    Args:
        seed: decides everything; 0 to 2**63 - 1.
        config: bounds of area, rooms and so on; None for the defaults.
        scene_id: id of the scene; None for ``houses-v2/seed/<seed>``.

    Returns:
        A scene with its walkable ground, equal bytes for equal arguments. Floor at y = 0, a second one at
        y = 2.8, the footprint from the origin towards +x and +z. Object ids count the floors, ceilings and
        walls of rooms, doors, windows and pieces of furniture from 1.

    Raises:
        ConfigError: the seed is out of range.
        SceneError: the config leaves no room for a house.
    """
    return build_house(seed, config).scene(scene_id or f"houses-v2/seed/{seed}")


def build_house(seed: int, config: HouseConfig | None = None) -> House:
    """As ``make_house``, before it is turned into a scene."""
    if not 0 <= seed < 2**63:
        raise ConfigError(f"seed={seed} of a house; allowed: 0 to 2**63 - 1")
    config = HouseConfig() if config is None else config
    for dice, plan in draw_plans(seed, config):
        style = make_style(dice)
        decor = make_decor(dice, style, config.clutter_percent)
        house = House(plan, style, decor, dice, config)
        if house.build():
            return house
    raise SceneError(f"house seed={seed}: found no house within {config}; widen the bounds")


@dataclass(slots=True)
class House:
    """A house on its way: its plan, what has been drawn, and what stands in the way."""

    plan: Plan
    style: Style
    decor: Decor
    dice: Dice
    config: HouseConfig
    mesh: MeshBuilder = field(default_factory=MeshBuilder)
    footprints: list[Footprint] = field(default_factory=list)
    islands: list[Region] = field(default_factory=list)
    """The walkable ground of each storey."""

    def build(self) -> bool:
        """Add everything; False where furniture does not fit or leaves a room unreachable."""
        self.mesh.fineness = 2 if len(self.plan.rooms) <= _FEW_ROOMS else 1
        self._doors()
        if not all(self._furnish(number) for number in range(len(self.plan.rooms))):
            return False
        if not joins_all_rooms(self.plan, self.footprints):
            return False
        islands = main_islands(self.plan, self.footprints, self.config.agent_radius_mm)
        if islands is None:
            return False
        self.islands = islands
        self._shell()
        return True

    def scene(self, scene_id: str) -> Scene:
        """Turn the finished house into a scene."""
        arrays = self.mesh.finish(self.style.palette)
        return Scene(
            scene_id=scene_id,
            arrays=arrays,
            walkable=ground_of(self.islands, self.plan.stairs, self.config.agent_radius_mm),
            object_classes=tuple(self.mesh.object_classes),
            rooms=tuple(_described(room) for room in self.plan.rooms),
        )

    def _doors(self) -> None:
        """Frames of all doors between rooms, and the leaves of most."""
        rooms, pattern = self.plan.rooms, self.dice.below(DOOR_PATTERNS)
        for door in self.plan.doors:
            owner = self.mesh.new_object("door")
            add_door(self.mesh, rooms, door, self.style, owner)
            leaf = self._leaf(door)
            if leaf is not None:
                which, hinge_low = leaf
                room, opening = rooms[door.rooms[which]], door.openings[which]
                add_leaf(self.mesh, self.footprints, room, opening, hinge_low, self.style, pattern, owner)

    def _leaf(self, door: Door) -> tuple[int, bool] | None:
        """Which room the leaf of a door opens into, never a hall, and on which end its hinges are."""
        kinds = [self.plan.rooms[room].kind for room in door.rooms]
        if door.width != DOOR_WIDTH or door.openings[0].kind == "arch" or not self.dice.chance(70):
            return None
        which = self.dice.below(2)
        if kinds[which] == "hall":
            which = 1 - which
        if kinds[which] == "hall":
            return None
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
        )
        return furnish(placer, self.decor)

    def _shell(self) -> None:
        """Floors, ceilings, walls, windows, the entrance and the stairs."""
        plan, style, mesh, dice = self.plan, self.style, self.mesh, self.dice
        woods = wood_floor(dice, style)
        white = style.palette.finish("plaster", (250, 250, 248), 800)
        # One finish for the halls, which the stairwell joins.
        hall = wall_finish(dice, style, "hall")
        views = [style.view(dice) for _ in range(4)]
        for room, openings in zip(plan.rooms, plan.openings, strict=True):
            well = plan.stairs.well if plan.stairs and room.stairs else None
            floor = floor_finish(dice, style, room.kind, woods)
            add_floor(mesh, room, floor, mesh.new_object("floor"), well if room.storey else None)
            add_ceiling(mesh, room, white, mesh.new_object("ceiling"), None if room.storey else well)
            wall = hall if room.stairs else wall_finish(dice, style, room.kind)
            add_walls(mesh, room, openings, (wall, style.trim), mesh.new_object("wall"))
            for opening in openings:
                if opening.kind == "window":
                    view, owner = views[opening.side], mesh.new_object("window")
                    add_window(mesh, room, opening, view, dice, style, owner)
                elif opening.kind == "entrance":
                    add_entrance(mesh, room, opening, dice, style, mesh.new_object("door"))
        if plan.stairs:
            add_stairs(mesh, plan.stairs, style, hall if dice.chance(60) else style.trim)


def _described(room: Room) -> SceneRoom:
    x0, z0, x1, z1 = room.inner
    bounds = (x0 / 1000, z0 / 1000, x1 / 1000, z1 / 1000)
    return SceneRoom(kind=room.kind, storey=room.storey, floor=room.y / 1000, bounds=bounds)
