"""Interior styles: which woods, colours and patterns go together in one house."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

Rgb = tuple[int, int, int]


class Scheme(NamedTuple):
    """Colours that go together, sRGB."""

    wall: Rgb
    """Most walls."""
    accents: tuple[Rgb, ...]
    """Other walls, wallpapers and tiles."""
    fabrics: tuple[Rgb, ...]
    """Upholstery, curtains, towels; the first is the most common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One style of interior."""

    woods: tuple[tuple[Rgb, Rgb], ...]
    """Pairs of the common wood and a second one."""
    schemes: tuple[Scheme, ...]
    fronts: tuple[Rgb, ...]
    """Doors of kitchen units."""
    stones: tuple[tuple[str, Rgb], ...]
    """Worktops: texture and tint."""
    metals: tuple[Rgb, ...]
    trims: tuple[Rgb, ...]
    """Skirting boards, door frames and windows."""
    pots: tuple[Rgb, ...]
    fabrics: tuple[str, ...]
    """Textures of upholstery, the common one first."""
    floors: tuple[str, ...]
    """Wooden floors."""
    tiles: tuple[str, ...]
    """Floors of kitchens and bathrooms."""
    carpets: tuple[str, ...]
    walls: tuple[str, ...]
    """Textures of walls; the more often a name, the more common."""
    rugs: tuple[int, ...]
    """Numbers of the designs of rugs."""


def rgb(code: str) -> Rgb:
    """Colour of six hexadecimal digits."""
    value = int(code, 16)
    return value >> 16, value >> 8 & 255, value & 255


def _colors(codes: str) -> tuple[Rgb, ...]:
    return tuple(rgb(code) for code in codes.split())


def _woods(*pairs: str) -> tuple[tuple[Rgb, Rgb], ...]:
    return tuple((rgb(a), rgb(b)) for a, b in (pair.split() for pair in pairs))


def _schemes(*lines: str) -> tuple[Scheme, ...]:
    """One line each: the wall, two accents and three fabrics."""
    rows = [_colors(line) for line in lines]
    return tuple(Scheme(row[0], row[1:3], row[3:]) for row in rows)


THEMES: MappingProxyType[str, Theme] = MappingProxyType(
    {
        "scandinavian": Theme(
            woods=_woods("DDBF94 A87C52", "E4CDA8 6E5138"),
            schemes=_schemes(
                "F3F1EA C4D0C9 DCE3E4 A9AFB1 7D8F9B D8CBB6",
                "F4F2EE D9C9BC C9D3DB 8F9DA6 C99B5B E2DDD3",
                "EFEFEA B7C4BE E7DDD0 C2B7A6 6F8A86 E6E0D6",
                "F2F0EC A9B8C2 E3D6D0 B98F86 9AA3A6 DCD6CC",
            ),
            fronts=_colors("F0F0EC D3DAD6 C9CFD2 DDC9A6"),
            stones=(("stone", rgb("D9D7D2")), ("marble", rgb("ECEAE6")), ("wood", rgb("C79B66"))),
            metals=_colors("B4B8BB 2B2C2E"),
            trims=_colors("F4F4F0"),
            pots=_colors("E4DED4 8F9490 C98D6A"),
            fabrics=("linen", "fabric", "knit"),
            floors=("boards", "planks", "herringbone"),
            tiles=("tiles", "hexagon", "slabs"),
            carpets=("carpet_loop", "carpet"),
            walls=("plaster", "plaster", "plaster", "plaster", "foliage"),
            rugs=(3, 4, 5),
        ),
        "modern": Theme(
            woods=_woods("7F5B40 C19B6C", "A99A88 4B3B31"),
            schemes=_schemes(
                "EFEEEB 7C858A C9C7C2 5D6167 A7A7A5 3C5570",
                "EAE8E4 59646E D8CFC4 8A8C8E B5533C D0CCC6",
                "E6E6E6 A39081 BFC4C4 3F4449 8E7F72 C8B79E",
                "F1EFEB 6D7B73 D5D6D2 70756F B9B2A6 C2923F",
            ),
            fronts=_colors("3D4247 EDEDEB 8C9092 54615F"),
            stones=(("marble", rgb("F0EEEA")), ("granite", rgb("4A4A4C")), ("concrete", rgb("A8A6A2"))),
            metals=_colors("B9BCBF 26272A"),
            trims=_colors("F2F2F0 3A3B3D"),
            pots=_colors("3C3D40 D9D7D2 8E8B86"),
            fabrics=("fabric", "leather", "linen"),
            floors=("boards", "concrete", "parquet"),
            tiles=("slabs", "marble_tiles", "concrete"),
            carpets=("carpet", "carpet_fleck"),
            walls=("plaster", "plaster", "plaster", "concrete", "plaster"),
            rugs=(3, 5, 6),
        ),
        "rustic": Theme(
            woods=_woods("A6743F 7A4E2C", "C49A63 8A5C37"),
            schemes=_schemes(
                "F0E5CF C29A6E A5A077 96533F 7C7A52 CBB18A",
                "EADBBC B4745A DCCBA8 6D7A5C A0876A D9C6A4",
                "EFE7D8 8F9A78 D8B48C 5F6F7C B08D5E D4C5AB",
                "E9DDC6 A8584A C9B48E 8A6A4C 5C6B50 DDCFB4",
            ),
            fronts=_colors("D8C8A6 8E9C86 B48452 E8DFCB"),
            stones=(("wood", rgb("96683C")), ("stone", rgb("B5A78F")), ("granite", rgb("6B6259"))),
            metals=_colors("4A4643 A58A5A"),
            trims=_colors("8A5C37 E9DDC6 A6743F"),
            pots=_colors("B4694A 8E5A3C CBB694"),
            fabrics=("fabric", "checked", "knit"),
            floors=("boards", "planks", "planks"),
            tiles=("terracotta", "slabs", "checker"),
            carpets=("carpet_loop", "carpet_fleck"),
            walls=("rough_plaster", "plaster", "rough_plaster", "red_brick", "panelling"),
            rugs=(0, 1, 2),
        ),
        "classic": Theme(
            woods=_woods("8A5233 5E3423", "A06A42 6A4028"),
            schemes=_schemes(
                "ECE3CF 7A2F33 C9BFA0 7A2F33 C2A56A E0D5BD",
                "E6E4D6 2F4F45 B9C4AE 2F5A4D B08D57 D8CDB4",
                "E9DFD3 34456A C6B7A4 3A4C74 A68A64 DDD2C4",
                "EFE6D8 A67C6D D9C8B0 8C5A4A 6F7A66 E3D8C6",
            ),
            fronts=_colors("E8E0CE 7A4A30 B9C0B4 F0ECE2"),
            stones=(("marble", rgb("E9E4DA")), ("granite", rgb("5A4F4A")), ("marble", rgb("6D7A70"))),
            metals=_colors("B3924F A9A9A6"),
            trims=_colors("F0EBDD F3F1EA 7A4A30"),
            pots=_colors("E4DCCB 40566B A8552F"),
            fabrics=("velvet", "fabric", "leather"),
            floors=("parquet", "herringbone", "planks"),
            tiles=("checker", "marble_tiles", "mosaic"),
            carpets=("carpet", "carpet_loop"),
            walls=("plaster", "damask", "stripes", "plaster", "panelling"),
            rugs=(0, 1, 2),
        ),
        "loft": Theme(
            woods=_woods("9A7450 5B4535", "B8926A 3F342C"),
            schemes=_schemes(
                "D6D2CB B0674C 9C9A96 7A4A2E 4A4B4D 8E9488",
                "E6E3DD 8F4F3C B9B6B0 4F5356 A5683F C2B8A8",
                "C9C7C3 5D6468 D9D4CA 6B4630 7F8A78 B7A58A",
                "DEDAD2 A65B45 7F827F 3E4A52 9A6A3C CFC6B8",
            ),
            fronts=_colors("3A3C3E 6F7274 9A7450 D6D4CF"),
            stones=(("concrete", rgb("9A9894")), ("granite", rgb("3E3E40")), ("wood", rgb("8A6440"))),
            metals=_colors("2A2A2C 77797B"),
            trims=_colors("3A3A3C D6D4CF"),
            pots=_colors("5A5A5A A4583C 2E3032"),
            fabrics=("leather", "fabric", "linen"),
            floors=("boards", "concrete", "planks"),
            tiles=("concrete", "slabs", "hexagon"),
            carpets=("carpet_fleck", "carpet"),
            walls=("red_brick", "plaster", "concrete", "plaster", "brick"),
            rugs=(0, 5, 6),
        ),
        "coastal": Theme(
            woods=_woods("D9CBB4 A08C70", "E0D2B4 8FA0A4"),
            schemes=_schemes(
                "F3F4F1 9FC0C8 DCE8E8 5F8FA3 E6DFCF 2F5A78",
                "F1F0EA 7FA7B5 E9DFC8 8FB3B0 D9C9A6 3F6F86",
                "EEF2F1 B5D0CC F0E4D0 3C6A86 C98A6A E8E2D4",
                "F4F1E8 A7B9A8 CFE0E6 6F9A94 E2CBA4 486A88",
            ),
            fronts=_colors("F4F4F0 A9C2C8 D7E0DC 6F93A0"),
            stones=(("stone", rgb("E3DED2")), ("marble", rgb("EFEFEC")), ("wood", rgb("D0B88E"))),
            metals=_colors("B9BEC0 C0A268"),
            trims=_colors("F6F6F3"),
            pots=_colors("DCE3E2 5F8496 D9C3A0"),
            fabrics=("linen", "checked", "fabric"),
            floors=("boards", "planks", "boards"),
            tiles=("tiles", "mosaic", "hexagon"),
            carpets=("carpet_loop", "carpet"),
            walls=("plaster", "panelling", "plaster", "stripes", "plaster"),
            rugs=(3, 4, 6),
        ),
        "midcentury": Theme(
            woods=_woods("A8693A 6B4226", "B98150 4E3526"),
            schemes=_schemes(
                "EFEADD C9A23F 7C9A8C C77B30 5A7A6E D8C7A3",
                "EDE6D6 4F7A82 D9B48A 3F6F78 B5542F D6CCB4",
                "F0ECE2 B7653F A9B29A 7F8A4A C98F3A E0D6C2",
                "E9E6DC 6F8468 D8A85A A04A32 55707C CFC0A0",
            ),
            fronts=_colors("B98150 EDE7DA 5E7F84 C9A94E"),
            stones=(("terrazzo", rgb("E2DCD0")), ("stone", rgb("CFC6B8")), ("marble", rgb("EDE8DF"))),
            metals=_colors("B08D4A 2C2A28"),
            trims=_colors("F0ECE2 A8693A"),
            pots=_colors("E9E2D2 C06A3A 3F6F78"),
            fabrics=("fabric", "velvet", "knit"),
            floors=("parquet", "planks", "herringbone"),
            tiles=("terrazzo", "mosaic", "tiles"),
            carpets=("carpet", "carpet_fleck"),
            walls=("plaster", "plaster", "foliage", "plaster", "retro"),
            rugs=(4, 5, 6),
        ),
        "bohemian": Theme(
            woods=_woods("B88A58 7A5636", "CDA877 5E4029"),
            schemes=_schemes(
                "F1EADC B5654A 8A9A6A A8503F D09A4A 4F7F7C",
                "EDE3D2 3F6F6A D6A07A 2F6A66 B8473F E0B864",
                "F2ECE0 8A5A78 C9A66A 7F4A6E C58A3F 5F7F5A",
                "E8DDCB C98A5A 6F8A7C C0622F 54708A D9B98A",
            ),
            fronts=_colors("CDA877 E9E0CE 5F7F7A C97F5A"),
            stones=(("wood", rgb("B08450")), ("terrazzo", rgb("DDD3C2")), ("stone", rgb("C9B79C"))),
            metals=_colors("A5823F 4A4540"),
            trims=_colors("F0E8D8 B88A58"),
            pots=_colors("BE6E48 3F6F78 E2D6BE"),
            fabrics=("knit", "fabric", "linen"),
            floors=("planks", "parquet", "boards"),
            tiles=("terracotta", "mosaic", "hexagon"),
            carpets=("carpet_loop", "carpet_fleck"),
            walls=("rough_plaster", "plaster", "foliage", "plaster", "damask"),
            rugs=(0, 1, 2, 4, 5),
        ),
    }
)
"""All styles by name."""

COMBINATIONS: tuple[tuple[str, int, int], ...] = tuple(
    (name, pair, scheme)
    for name, theme in THEMES.items()
    for pair in range(len(theme.woods))
    for scheme in range(len(theme.schemes))
)
"""Interiors to choose from: name of the theme, number of its woods and of its scheme."""
