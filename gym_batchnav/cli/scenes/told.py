"""How findings are printed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .findings import Findings

SHOWN_ISLANDS = 5


def tell(found: Findings, out: Console) -> None:
    """Print a scene's block: facts, then warnings, then what cannot be done."""
    table = Table(title=escape(found["name"]), title_justify="left", title_style="bold", show_header=False)
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for name, value in _rows(found):
        table.add_row(name, escape(value))
    if table.row_count:
        out.print(table)
    for warning in (*found["warnings"], *found.get("advice", ())):
        out.print(f"[yellow]warning[/] {escape(warning)}", soft_wrap=True)
    if "error" in found:
        out.print(f"[red]cannot be used[/] {escape(found['error'])}", soft_wrap=True)


def summary_table(found: Sequence[Findings]) -> Table:
    """A line for each scene."""
    table = Table(title=f"{len(found)} scenes", title_justify="left", title_style="bold")
    table.add_column("scene", overflow="fold")
    for heading in ("triangles", "walkable, m2", "storeys", "islands", "largest", "warnings"):
        table.add_column(heading, justify="right")
    for one in found:
        if "walkable_m2" in one:
            cells = [
                f"{one['triangles']:,}",
                f"{one['walkable_m2']:,.1f}",
                str(len(one["storeys"])),
                str(one["num_islands"]),
                f"{one['largest_island_share']:.0%}",
                str(len(one["warnings"]) + len(one["advice"])),
            ]
        else:
            cells = [f"{one['triangles']:,}" if "triangles" in one else "", "[red]cannot be used[/]"]
        table.add_row(escape(one["name"]), *cells)
    return table


def _rows(found: Findings) -> list[tuple[str, str]]:
    rows = []
    if "triangles" in found:
        rows += [
            ("triangles", f"{found['triangles']:,} ({found['vertices']:,} vertices)"),
            ("materials", f"{found['materials']}, {_textures(found)}"),
            ("objects", str(found["objects"])),
            ("size", f"{' x '.join(f'{side:.2f}' for side in found['size_m'])} m (x, y, z)"),
            ("up and unit", _frame(found)),
            ("memory", _memory(found)),
            ("time to load", f"{found['load_s']:.2f} s"),
        ]
    if "walkable_m2" in found:
        rows += [
            ("ground", f"{found['ground_from']}, {found['polygons']:,} polygons, {found['ground_s']:.2f} s"),
            ("walkable", f"{found['walkable_m2']:,.1f} m2"),
            ("storeys", "\n".join(_storey(level, found) for level in found["storeys"])),
            ("islands", _islands(found)),
        ]
    if "preview" in found:
        rows.append(("preview", f"{found['preview']} (drawn by {found['drawn_by']})"))
    return rows


def _textures(found: Findings) -> str:
    standins = sum("stand-in" in warning for warning in found["warnings"])
    text = "1 texture" if found["textures"] == 1 else f"{found['textures']} textures"
    if found["textures"]:
        text += f" (largest side {found['largest_texture']})"
    return f"{text}, {standins} of them missing or broken" if standins else text


def _frame(found: Findings) -> str:
    odd = [
        part
        for part in ("as if z were up", "centimetres", "millimetres", "too small")
        if _warned(found, part)
    ]
    return (
        f"looks {'as if it were in ' if 'metres' in odd[0] else ''}{odd[0]}"
        if odd
        else "+Y and metres, as it looks"
    )


def _warned(found: Findings, part: str) -> bool:
    return any("(y is up)" in warning and part in warning for warning in found["warnings"])


def _memory(found: Findings) -> str:
    text = f"{found['memory_mib']:,.1f} MiB as loaded"
    if "renderer_memory_mib" in found:
        text += f", {found['renderer_memory_mib']:,.1f} MiB to draw"
    return text


def _storey(level: dict[str, float], found: Findings) -> str:
    text = f"floor at y = {level['height_m']:.2f} m: {level['area_m2']:,.1f} m2"
    share = level["largest_island_share"]
    return text if found["num_islands"] == 1 else f"{text}, {share:.0%} of it on the largest island"


def _islands(found: Findings) -> str:
    lines = [
        f"{island['area_m2']:,.1f} m2, radius {island['radius_m']:.1f} m, at y = {island['height_m']:.2f} m"
        for island in found["islands"][:SHOWN_ISLANDS]
    ]
    more = found["num_islands"] - len(lines)
    head = f"{found['num_islands']}, the largest with {found['largest_island_share']:.0%} of the ground"
    return "\n".join([head, *lines, *([f"and {more} smaller ones"] if more else [])])
