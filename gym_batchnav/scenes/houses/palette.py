"""Finishes that run through one house, drawn from one style of interior."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from .dice import Dice
from .finishes import FIT, Palette
from .textures import BOOKS, PICTURES, VIEWS
from .themes import COMBINATIONS, THEMES, Rgb, Scheme, Theme, rgb

__all__ = ["FIT", "Palette", "Style", "floor_finish", "make_style", "wall_finish", "wood_floor"]

_BRIGHT = ("C8503C", "3F7FB0", "E3B23C", "5F9A55", "8A5A9A", "E08A3C", "F0EEE8", "3F9A98")
_TOWELS = ("F2F0EA", "D9CFC0", "9FB4BC", "B9C4AE", "D8B4A6")
_WOOD_REPEAT = 1500
_FABRIC_REPEATS = {
    "fabric": 4000,
    "linen": 3000,
    "knit": 4000,
    "checked": 2000,
    "leather": 2000,
    "velvet": 2000,
}

_COMMON: MappingProxyType[str, tuple[str, Rgb, int]] = MappingProxyType(
    {
        "white": ("", rgb("F0F0EE"), 1000),
        "steel": ("brushed", rgb("B9BCBF"), 2000),
        "chrome": ("", rgb("C9CCCF"), 1000),
        "brass": ("", rgb("B8924A"), 1000),
        "black": ("", rgb("28282C"), 1000),
        "linen": ("linen", rgb("EEECE4"), _FABRIC_REPEATS["linen"]),
        "leather": ("leather", rgb("7A4B32"), _FABRIC_REPEATS["leather"]),
        "towel": ("towel", rgb("EDE9E0"), 4000),
        "ceramic": ("", rgb("F6F6F4"), 1000),
        "glass": ("", rgb("B4CDD2"), 1000),
        "leaf": ("leaves", rgb("5C8A48"), 3000),
        "dark_leaf": ("leaves", rgb("3A6440"), 3000),
        "bark": ("bark", rgb("7A5E46"), 3000),
        "soil": ("soil", rgb("4A382B"), 4000),
        "basket": ("rattan", rgb("C09A66"), 4000),
        "cardboard": ("cardboard", rgb("C4A072"), 2000),
        "paper": ("", rgb("F2EFE6"), 1000),
        "plastic": ("", rgb("8FA3AE"), 1000),
        "rubber": ("", rgb("3A3A3C"), 1000),
        "books": ("books0", (255, 255, 255), 1600),
        "mirror": ("mirror", (255, 255, 255), FIT),
    }
)


@dataclass(frozen=True, slots=True)
class Style:
    """Finishes that run through one house."""

    palette: Palette
    theme: Theme
    scheme: Scheme
    floor_wood: Rgb
    """Tint of wooden floors."""
    views: tuple[int, int]
    """What is to be seen from windows, of two sides."""
    wood: int
    dark_wood: int
    white: int
    front: int
    """Doors of kitchen units."""
    stone: int
    """Worktops."""
    metal: int
    """Handles, legs, lamps."""
    steel: int
    """Brushed, of appliances and sinks."""
    chrome: int
    """Taps, rails."""
    brass: int
    black: int
    fabric: int
    second_fabric: int
    linen: int
    """Pale, of bed clothes and table cloths."""
    leather: int
    curtain: int
    towel: int
    ceramic: int
    glass: int
    """Panes that one does not look through."""
    etched_glass: int
    """Panes with a dense pattern of holes, such as those of showers; to be seen from both sides."""
    leaf: int
    dark_leaf: int
    bark: int
    soil: int
    pot: int
    basket: int
    """Woven."""
    cardboard: int
    paper: int
    plastic: int
    rubber: int
    lamp: int
    """Glowing."""
    books: int
    screen: int
    """Glowing, once a face."""
    mirror: int
    """Once a face."""
    trim: int
    """Skirting boards and door frames."""
    door: int

    def fabric_of(self, dice: Dice) -> int:
        """Some other fabric of the house."""
        texture, color = (
            dice.pick(self.theme.fabrics),
            dice.pick((*self.scheme.fabrics, *self.scheme.accents)),
        )
        return _fabric(self.palette, texture, color)

    def picture(self, dice: Dice) -> int:
        """Some picture."""
        return self.palette.finish(f"picture{dice.below(PICTURES)}", repeat=FIT)

    def rug(self, dice: Dice) -> int:
        """Some rug that suits the house."""
        return self.palette.finish(f"rug{dice.pick(self.theme.rugs)}", repeat=FIT)

    def view(self, dice: Dice) -> int:
        """Some view out of a window; glows."""
        return self.palette.finish(f"view{dice.pick(self.views)}", repeat=FIT, glow=True)

    def books_of(self, dice: Dice) -> int:
        """Some row of books; v up, a height of 250 mm or so once a face."""
        return self.palette.finish(f"books{dice.below(BOOKS)}", repeat=1600)

    def bright(self, dice: Dice) -> int:
        """Some strong plain colour, of toys and small things."""
        return self.palette.finish("", rgb(dice.pick(_BRIGHT)))

    def accent(self, dice: Dice) -> int:
        """A plain colour out of the house's scheme, of painted and glazed things."""
        return self.palette.finish("", dice.pick((*self.scheme.accents, *self.scheme.fabrics)))

    def towel_of(self, dice: Dice) -> int:
        """Some towel."""
        color = dice.pick((*map(rgb, _TOWELS), *self.scheme.accents))
        return self.palette.finish("towel", color, 4000)


def _fabric(palette: Palette, texture: str, color: Rgb) -> int:
    return palette.finish(texture, color, _FABRIC_REPEATS[texture])


def _between(a: Rgb, b: Rgb) -> Rgb:
    return (a[0] + b[0]) // 2, (a[1] + b[1]) // 2, (a[2] + b[2]) // 2


def make_style(dice: Dice) -> Style:
    """Draw the finishes of a house."""
    name, pair, number = dice.pick(COMBINATIONS)
    theme = THEMES[name]
    scheme, woods = theme.schemes[number], theme.woods[pair]
    palette = Palette()
    stone, stone_tint = dice.pick(theme.stones)
    metal, trim, pot = dice.pick(theme.metals), dice.pick(theme.trims), dice.pick(theme.pots)
    common = {name: palette.finish(*arguments) for name, arguments in _COMMON.items()}
    return Style(
        palette=palette,
        theme=theme,
        scheme=scheme,
        floor_wood=dice.pick((woods[0], woods[1], _between(*woods))),
        views=(dice.below(VIEWS), dice.below(VIEWS)),
        wood=palette.finish("wood", woods[0], _WOOD_REPEAT),
        dark_wood=palette.finish("wood", woods[1], _WOOD_REPEAT),
        front=palette.finish("painted", dice.pick(theme.fronts), _WOOD_REPEAT),
        stone=palette.finish(stone, stone_tint, 1000),
        metal=palette.finish("", metal),
        fabric=_fabric(palette, theme.fabrics[0], scheme.fabrics[0]),
        second_fabric=_fabric(palette, theme.fabrics[1], scheme.fabrics[1]),
        curtain=_fabric(palette, "linen", dice.pick((scheme.fabrics[2], scheme.accents[1], rgb("F0EDE4")))),
        pot=palette.finish("", pot),
        etched_glass=palette.finish("etched", (214, 228, 230), 5000),
        lamp=palette.finish("", (255, 238, 208), glow=True),
        screen=palette.finish("screen", repeat=FIT, glow=True),
        trim=palette.finish("painted", trim, _WOOD_REPEAT),
        door=palette.finish("painted", trim, _WOOD_REPEAT)
        if dice.chance(50)
        else palette.finish("wood", dice.pick(woods), _WOOD_REPEAT),
        **common,
    )


_CARPETS = ("C4B8A6", "96A0AC", "B0968C", "929C84", "CECAC4", "7E7A78")
_TILES = ("ECE8E0", "C4CED2", "D6C4AC", "ACB2B0", "E2E2E6", "8A8E90")
_OWN_COLOR = {"terracotta": rgb("B9734F"), "concrete": rgb("A9A7A3"), "terrazzo": rgb("DDD7CC")}
_FLOOR_REPEATS = {
    **{"planks": 800, "boards": 700, "herringbone": 1000, "parquet": 900, "concrete": 500},
    **{"tiles": 1000, "slabs": 800, "checker": 800, "hexagon": 1500, "mosaic": 1600},
    **{"marble_tiles": 800, "terracotta": 800, "terrazzo": 1500},
    **{"carpet": 1500, "carpet_loop": 2000, "carpet_fleck": 1500},
}
_WALL_REPEATS = {
    **{"plaster": 800, "rough_plaster": 700, "stripes": 1200, "damask": 1500, "foliage": 1200, "retro": 1800},
    **{"brick": 1000, "red_brick": 1000, "concrete": 400, "panelling": 1000},
}
_PAPERS = ("stripes", "damask", "foliage", "retro")
_BATH_TILES = (("tiles", 1250), ("metro", 1250), ("mosaic", 1600), ("hexagon", 2000), ("marble_tiles", 800))


def floor_finish(dice: Dice, style: Style, kind: str, woods: str) -> int:
    """A floor that suits the kind of room; ``woods`` is the house's wooden floor."""
    theme, palette = style.theme, style.palette
    if kind in ("bath", "kitchen", "storage"):
        name = dice.pick(theme.tiles)
        tint = _OWN_COLOR.get(name, rgb(dice.pick(_TILES)))
        return palette.finish(name, tint, _FLOOR_REPEATS[name])
    if kind in ("bedroom", "study") and dice.chance(40):
        name = dice.pick(theme.carpets)
        return palette.finish(name, rgb(dice.pick(_CARPETS)), _FLOOR_REPEATS[name])
    tint = _OWN_COLOR.get(woods, style.floor_wood)
    return palette.finish(woods, tint, _FLOOR_REPEATS[woods])


def wood_floor(dice: Dice, style: Style) -> str:
    """The house's floor outside of wet rooms and carpets: its texture."""
    return dice.pick(style.theme.floors)


def wall_finish(dice: Dice, style: Style, kind: str) -> int:
    """A wall that suits the kind of room."""
    scheme, palette = style.scheme, style.palette
    if kind == "bath":
        name, repeat = dice.pick(_BATH_TILES)
        pale = (rgb("F0F2F2"), rgb("E8E4D8"), scheme.wall)
        tint = dice.pick(
            pale if name == "marble_tiles" else (*pale, _between(scheme.wall, scheme.accents[1]))
        )
        return palette.finish(name, tint, repeat)
    name = dice.pick(style.theme.walls)
    soft = [_between(scheme.wall, accent) for accent in scheme.accents]
    if name in _PAPERS:
        tint = dice.pick((scheme.wall, *soft))
    elif name == "concrete":
        tint = _OWN_COLOR[name]
    elif name == "brick":
        tint = dice.pick((rgb("E4DFD6"), scheme.wall))
    elif name == "red_brick":
        tint = (255, 255, 255)
    else:
        tint = dice.pick((scheme.wall, scheme.wall, scheme.wall, *soft))
    return palette.finish(name, tint, _WALL_REPEATS[name])
