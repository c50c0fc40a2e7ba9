"""The HTML page itself: one file, no scripts, nothing fetched."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path

from ...envs.maps import GOAL, SHORTEST, START, WAY
from ...rl.intervals import Interval
from . import charts
from .animation import episode_gif
from .comparing import differences_section, strata_section
from .maps import caption, choose_episodes, episode_map
from .records import AgentResult, EpisodeTrace, ReportData

COLUMNS = (
    ("success", "Success", "{:.1%}"),
    ("spl", "SPL", "{:.3f}"),
    ("soft_spl", "SoftSPL", "{:.3f}"),
    ("distance_to_goal", "Left to goal, m", "{:.2f}"),
    ("steps", "Steps", "{:.0f}"),
    ("collisions", "Collisions", "{:.1f}"),
    ("return", "Return", "{:.2f}"),
)
NUM_MAPS = (8, 8)
NUM_CLIPS = (3, 3)


def write_report(data: ReportData, path: Path) -> Path:
    """Write the page.

    Args:
        data: What to show.
        path: The HTML file to write; its folder is made.

    Returns:
        The path written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(render_page(data), encoding="utf-8")
    partial.replace(path)
    return path


def render_page(data: ReportData) -> str:
    """The whole page as text."""
    style = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    body = [
        f"<header><h1>{escape(data.title)}</h1><p>{escape(data.subtitle)}</p></header>",
        _facts(data.facts),
        _results(data),
        differences_section(data.differences),
        strata_section(data.strata, data.agents),
        _learning(data),
        _maps(data),
        _clips(data),
        _details(data.tables),
        "<footer>SPL: success weighted by path length (Anderson et al. 2018, arXiv 1807.06757). "
        "Ranges are 95% intervals; from ten scenes on they come from resampling whole scenes.</footer>",
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(data.title)}</title><style>{style}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _facts(facts: Mapping[str, str]) -> str:
    tiles = [f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts.items()]
    return f'<dl class="facts">{"".join(tiles)}</dl>' if tiles else ""


def _results(data: ReportData) -> str:
    shown = [c for c in COLUMNS if any(c[0] in agent.summary for agent in data.agents)]
    head = "".join(f"<th>{escape(title)}</th>" for _, title, _ in shown)
    colors = charts.agent_colors(data.agents)
    rows = "".join(_result_row(agent, colors[agent.name], shown) for agent in data.agents)
    first = data.agents[0].episodes
    scenes = len({episode.scene_id for episode in first})
    return (
        "<section><h2>How well it finds the goal</h2>"
        f'<p class="note">The same {len(first)} episodes for every agent, none of them seen in training; '
        f"scenes: {scenes}. The straight walker turns to the goal, walks at it, slides along what is in its "
        "way, and stops at the goal; the expert knows the shortest way.</p>"
        f'<div class="scroll"><table><thead><tr><th>Agent</th>{head}</tr></thead><tbody>{rows}</tbody>'
        f'</table></div><div class="charts">{_pictures(data, colors)}</div></section>'
    )


def _pictures(data: ReportData, colors: Mapping[str, str]) -> str:
    # Agents that hardly ever or always arrive would only take the room of the others.
    told = [agent for agent in data.agents if agent.name not in ("random", "untrained", "expert")]
    pictures = [
        _image(charts.success_by(kind, data.strata, told, colors), f"Success by {kind}")
        for kind in dict.fromkeys(part.kind for part in data.strata)
    ]
    first = data.agents[0].actions
    alike = [agent for agent in told if agent.actions in ("", first)]
    return "".join((*pictures, _image(charts.spl_histogram(alike, colors), "Histogram of SPL")))


def _result_row(agent: AgentResult, color: str, columns: Sequence[tuple[str, str, str]]) -> str:
    cells = "".join(f"<td>{_interval(agent.summary.get(key), form)}</td>" for key, _, form in columns)
    swatch = f'<span class="swatch" style="background:{color}"></span>'
    return f"<tr><td>{swatch}{escape(agent.label)}</td>{cells}</tr>"


def _interval(value: Interval | None, form: str) -> str:
    if value is None or math.isnan(value.mean):
        return "–"
    low, high = form.format(value.low), form.format(value.high)
    return f'{form.format(value.mean)}<span class="range">{low} … {high}</span>'


def _learning(data: ReportData) -> str:
    if not data.log:
        return ""
    picture = _image(
        charts.learning_curves(data.log, data.agents, data.validations), "Learning curves", "wide"
    )
    return (
        "<section><h2>How it learned</h2>"
        '<p class="note">Over the training episodes that ended in each update, in which the agent still '
        "explores; the bold line is a moving mean, and dots are validations on other episodes.</p>"
        f"{picture}</section>"
    )


def _maps(data: ReportData) -> str:
    known = [e for e in data.agents[0].episodes if e.scene_id in data.maps and len(e.way)]
    if not known:
        return ""
    good, bad = choose_episodes(known, *NUM_MAPS)
    key = (
        f'<ul class="key"><li><i class="line" style="color:{WAY}"></i>the agent&#39;s way</li>'
        f'<li><i class="line dash" style="color:{SHORTEST}"></i>shortest way</li>'
        f'<li><i class="dot" style="background:{START}"></i>start</li>'
        f'<li><i class="dot" style="background:{GOAL}"></i>goal</li></ul>'
    )
    groups = "".join(
        f'<h3>{title}</h3><div class="maps">{"".join(_map(e, data) for e in group)}</div>'
        for title, group in (("Reached", good), ("Not reached", bad))
        if group
    )
    return (
        '<section><h2>Where it went</h2><p class="note">The first episodes of either kind by their number, '
        f"from as many scenes as there are; white is where the robot can stand.</p>{key}{groups}</section>"
    )


def _map(episode: EpisodeTrace, data: ReportData) -> str:
    svg = episode_map(episode, data.maps[episode.scene_id], data.success_distance)
    return f'<figure class="{_kind(episode)}">{svg}{_caption(episode)}</figure>'


def _clips(data: ReportData) -> str:
    recorded = [e for e in data.agents[0].episodes if e.frames and e.scene_id in data.maps]
    good, bad = choose_episodes(recorded, *NUM_CLIPS)
    if not good and not bad:
        return ""
    clips = "".join(_clip(e, data) for e in [*good, *bad])
    return (
        '<section><h2>Through its eyes</h2><p class="note">What the robot sees (depth: bright is near) '
        f'beside where it is. Long episodes are shown faster.</p><div class="clips">{clips}</div></section>'
    )


def _clip(episode: EpisodeTrace, data: ReportData) -> str:
    gif = episode_gif(episode, data.maps[episode.scene_id], success_distance=data.success_distance)
    source = "data:image/gif;base64," + base64.b64encode(gif).decode("ascii")
    alt = escape(f"Animation: {caption(episode)}")
    return f'<figure class="{_kind(episode)}"><img src="{source}" alt="{alt}">{_caption(episode)}</figure>'


def _caption(episode: EpisodeTrace) -> str:
    first, rest = caption(episode).split(" · ", 1)
    return (
        f"<figcaption><b>{escape(first)}</b> · {escape(rest)}<br>{escape(episode.scene_id)}, "
        f"episode {episode.number}</figcaption>"
    )


def _kind(episode: EpisodeTrace) -> str:
    return "ok" if episode.success else "bad"


def _details(tables: Mapping[str, Mapping[str, object]]) -> str:
    parts = []
    for title, values in tables.items():
        rows = "".join(f"<tr><td>{escape(k)}</td><td>{escape(str(v))}</td></tr>" for k, v in values.items())
        parts.append(
            f"<details><summary>{escape(title)}</summary>"
            f'<table class="pairs"><tbody>{rows}</tbody></table></details>'
        )
    return f"<section><h2>How it was made</h2>{''.join(parts)}</section>" if parts else ""


def _image(svg: str, alt: str, kind: str = "") -> str:
    """An SVG as an image of its own, so that its ids cannot meet those of another."""
    source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")
    return f'<img class="{kind}" src="{source}" alt="{escape(alt)}">'
