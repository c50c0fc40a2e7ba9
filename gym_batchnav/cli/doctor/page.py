"""The findings for people: sections, then problems, then the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .devices import device_map
from .interop import interop_answer
from .problem import Facts, Problem, working_cores
from .software import MISSING
from .speed_figures import STORED, STORED_CORES, STORED_ON
from .verdict import rounded

Row = tuple[str, str]
_STYLES = {"error": "bold red", "warning": "yellow", "hint": "cyan"}


def show(facts: Facts, problems: Sequence[Problem], out: Console) -> None:
    """Print all of it."""
    for title, rows in sections(facts):
        table = Table(
            title=title, title_justify="left", title_style="bold", show_header=False, box=None, padding=(0, 1)
        )
        table.add_column(no_wrap=True, width=16)
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(f"  {name}", Text(value))
        out.print(table)
    out.print()
    for problem in problems:
        out.print(
            Text.assemble((problem.severity, _STYLES[problem.severity]), f": {problem.what}"), soft_wrap=True
        )
        out.print(Text(f"  fix: {problem.fix}"), soft_wrap=True)
    if problems:
        out.print()
    out.print(Text(facts["verdict"], "bold"), soft_wrap=True)


def sections(facts: Facts) -> list[tuple[str, list[Row]]]:
    """Titles with their rows."""
    return [
        ("Drawing", list(_drawing(facts))),
        ("Speed", list(_speed(facts))),
        ("GPU and GL", list(_graphics(facts))),
        ("Machine", list(_machine(facts))),
        ("Packages", list(_packages(facts))),
    ]


def _drawing(facts: Facts) -> Iterator[Row]:
    auto = facts["auto"]
    info = auto.get("info", {})
    yield "auto takes", f"{info.get('backend', 'nothing')}: {info.get('reason', auto.get('error'))}"
    for name, found in facts["self_test"].items():
        yield name, _test(found)
    answer = interop_answer(facts)
    yield "interop", f"{'yes' if answer.shared else 'no'}, {answer.why}"
    window = facts["window"]
    yield "window", "can be opened" if window["ok"] else f"none: {window['error']} (only people need one)"


def _test(found: Facts) -> str:
    if "error" in found:
        return f"cannot draw: {found['error'].splitlines()[0]}"
    info = found["info"]
    by = "; ".join(str(info[name]) for name in ("gl_renderer", "gl_version", "gl_layers") if name in info)
    verdict = "draws right" if found["ok"] else f"WRONG in {found['wrong_pixels']} of 256 pixels"
    return f"{verdict}{f' ({by} layers)' if by else ''}, on {info['device']}"


def _speed(facts: Facts) -> Iterator[Row]:
    if not facts["speed"]:
        yield "", "not measured"
    cores = working_cores(facts)
    for name, found in facts["speed"].items():
        if "error" in found:
            yield name, f"failed: {found['error']}"
            continue
        unit = f"steps/s with {found['backend']}" if name == "step" else "images/s"
        stored = STORED.get(found["compared_with"])
        text = f"{rounded(found['per_second'])} {unit}"
        if stored is not None:
            share = found["per_second"] / cores / (stored / STORED_CORES)
            text += f", {share:.2f} of the stored {stored:,.0f} core for core ({STORED_ON})"
        yield name, text


def _graphics(facts: Facts) -> Iterator[Row]:
    cuda, egl, gl = facts["cuda"], facts["egl"], facts["gl"]
    built = cuda["torch_built_for"]
    yield "NVIDIA driver", cuda["driver"] or "none"
    yield "torch", cuda["torch_error"] or f"built for {f'CUDA {built}' if built else 'the CPU'}"
    for row in device_map(facts):
        where = "no EGL device" if row.egl_index is None else f"EGL device {row.egl_index}"
        yield row.name, f"{row.model}, {where}{f', {row.uuid}' if row.uuid else ''}"
    yield "EGL devices", "\n".join(map(_egl_device, egl["devices"])) or egl.get("error", "none")
    yield "EGL vendors", ", ".join(egl["vendor_files"]) or "none"
    yield "libEGL", ", ".join(egl["libraries"]) or "none"
    yield "/dev/dri", _nodes(facts["dri"])
    if facts["nvidia"]:
        yield "/dev/nvidia*", _nodes(facts["nvidia"])
    if gl["ok"]:
        yield "GL driver", f"{gl['gl_renderer']}; {gl['gl_version']}"
        yield "GL limits", ", ".join(f"{name} {value:,}" for name, value in gl["limits"].items())
        yield (
            "GL extensions",
            ", ".join(f"{name}{'' if there else ' MISSING'}" for name, there in gl["extensions"].items()),
        )
    else:
        yield "GL driver", f"none: {gl['error'].splitlines()[0]}"
    yield "Vulkan", "not used"


def _machine(facts: Facts) -> Iterator[Row]:
    processor, storage = facts["processor"], facts["storage"]
    cores = f"{processor['cores']} of {processor['all_cores']} cores"
    quota = processor["quota_cores"]
    yield (
        "processor",
        f"{processor['model']}, {cores}{f', time of {quota:g}' if quota else ''}, load {processor['load']}",
    )
    limit = processor["memory_limit_gib"]
    yield (
        "memory",
        (
            f"{processor['available_gib']} of {processor['memory_gib']} GiB free"
            f"{f', limit {limit} GiB' if limit else ''}"
        ),
    )
    yield "container", f"{facts['container'] or 'no'}{', WSL2' if facts['wsl'] else ''}"
    cache = storage["cache"]
    if "error" in cache or cache.get("off"):
        yield "scene cache", cache.get("error", "off (BATCHNAV_CACHE=off)")
    else:
        yield "scene cache", (f"{_folder(cache)}, {cache['mib']:,.0f} of {cache['limit_mib']:,} MiB taken")
    yield (
        "kernels",
        f"{_folder(storage['kernels'])}; on threads of their own, numba's threading layer is not used",
    )
    yield "here", _folder(storage["here"])
    variables = {**facts["environment"], **facts["threads"]}
    yield "variables", ", ".join(f"{name}={value}" for name, value in variables.items()) or "none set"


def _packages(facts: Facts) -> Iterator[Row]:
    there = {name: version for name, version in facts["versions"].items() if version != MISSING}
    yield "versions", ", ".join(f"{name} {version}" for name, version in there.items())
    embree = facts["embree"]
    yield (
        "Embree",
        embree.get("error") or "{version}, {packet_rays} rays a packet, {library}".format(**embree),
    )
    for extra, missing in facts["extras"].items():
        yield (
            extra,
            "there" if not missing else f"lacks {', '.join(missing)}: pip install 'gym-batchnav[{extra}]'",
        )


def _folder(entry: dict[str, Any]) -> str:
    return (
        f"{entry['folder']} ({'' if entry['writable'] else 'NOT '}writable, {entry['free_gib']:,} GiB free)"
    )


def _nodes(nodes: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{node['path']}{'' if node['usable'] else ' (no access)'}" for node in nodes) or "none"


def _egl_device(device: dict[str, Any]) -> str:
    kind = "software" if device["software"] else "other GPU"
    if device["cuda_ordinal"] is not None:
        kind = f"CUDA device {device['cuda_ordinal']}"
    return ", ".join(
        str(part) for part in (f"{device['index']}: {kind}", device["uuid"], device["drm"]) if part
    )
