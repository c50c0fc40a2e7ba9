"""The report: its statistics, its choice of episodes, its maps, GIFs and page."""

from __future__ import annotations

import dataclasses
import io
import math
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageColor

from gym_batchnav.cli.report import (
    AgentResult,
    Difference,
    EpisodeTrace,
    Frame,
    ReportData,
    SceneMap,
    Stratum,
    write_report,
)
from gym_batchnav.cli.report.animation import PANEL, episode_gif, picture_of
from gym_batchnav.cli.report.charts import agent_colors, learning_curves, smooth, success_by
from gym_batchnav.cli.report.maps import choose_episodes, episode_map
from gym_batchnav.cli.report.stats import distance_bins
from gym_batchnav.envs.maps import GOAL, START, WAY, cropped
from gym_batchnav.rl.intervals import Interval, wilson_interval


def make_map() -> SceneMap:
    """Two rooms of 4 x 5 m and a door between, at x = -2 .. 6, z = 1 .. 6, in a map with an empty rim."""
    mask = np.zeros((70, 100), dtype=bool)
    mask[10:60, 10:49] = True
    mask[10:60, 51:90] = True
    mask[30:40, 49:51] = True
    return SceneMap(mask=mask, origin_xz=np.array([-3.0, 0.0]), meters_per_pixel=0.1)


def make_episode(number: int, success: bool, *, scene: str = "house/0", frames: bool = False) -> EpisodeTrace:
    """A walk from the left room through the door into the right one, or into the wall beside it."""
    rng = np.random.default_rng(number)
    start, door = np.array([-1.0, 0.0, 1.8]), np.array([2.0, 0.0, 3.5])
    goal = np.array([4.0 + rng.uniform(-1, 1), 0.0, 4.5])
    corners = [start, door, goal] if success else [start, [1.8, 0.0, 5.2]]
    way = np.concatenate([np.linspace(a, b, 12)[:-1] for a, b in pairwise(corners)])
    way = np.concatenate([way, [corners[-1]]]) + rng.normal(0, 0.03, (1, 3)) * [1, 0, 1]
    step = np.diff(way, axis=0, append=way[-1:])
    headings = np.arctan2(-step[:, 0], -step[:, 2])
    length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    shortest = np.stack([start, door, goal])
    distance = float(np.linalg.norm(np.diff(shortest, axis=0), axis=1).sum())
    seen = tuple(
        Frame(
            images={"depth": np.full((16, 16, 1), 10 * i, np.uint8)}, distance_to_goal=5.0 - 0.2 * i, action=1
        )
        for i in range(len(way) - 1)
    )
    return EpisodeTrace(
        number=number,
        scene_id=scene,
        start=start,
        goal=goal,
        start_distance=distance,
        metrics={
            "success": float(success),
            "spl": min(1.0, distance / length) if success else 0.0,
            "path_length": length,
            "steps": float(len(way) - 1),
            "distance_to_goal": 0.1 if success else 3.0,
        },
        way=way,
        headings=headings,
        shortest=shortest,
        frames=seen if frames else (),
    )


def make_agent(name: str, successes: int, count: int = 20, frames: bool = False) -> AgentResult:
    episodes = [
        make_episode(i, i < successes, scene=f"house/{i % 4}", frames=frames and i % 3 == 0)
        for i in range(count)
    ]
    spl = float(np.mean([e.metrics["spl"] for e in episodes]))
    summary = {"success": wilson_interval(successes, count), "spl": Interval(spl, spl - 0.1, spl + 0.1)}
    return AgentResult(name=name, label=f"the {name} <agent>", summary=summary, episodes=episodes)


def make_parts(agents: list[AgentResult]) -> tuple[list[Difference], list[Stratum]]:
    """The first agent less the second, and two parts of the episodes."""
    gain = {"success": Interval(0.4, 0.3, 0.5), "spl": Interval(-0.1, -0.2, 0.05)}
    share = {"success": Interval(0.625, 0.5, 0.7), "spl": Interval(0.321, 0.2, 0.4)}
    metrics = {agent.name: share for agent in agents}
    ranges = [("distance", 3.0, 6.0), ("ratio", 2.0, math.inf)]
    strata = [
        Stratum(kind=kind, low=low, high=high, members=np.arange(17), metrics=metrics)
        for kind, low, high in ranges
    ]
    return [Difference(agent=agents[0], than=agents[1], metrics=gain)], strata


def make_data() -> ReportData:
    agents = [make_agent("trained", 13, frames=True), make_agent("straight", 5), make_agent("random", 0)]
    differences, strata = make_parts(agents)
    rows = [
        {"frames": 1000.0 * i, "success": i / 50, "spl": i / 60, "return": i / 20, "frames_per_second": 900.0}
        for i in range(1, 41)
    ]
    return ReportData(
        title="A <run>",
        subtitle="houses & more",
        agents=agents,
        differences=differences,
        strata=strata,
        validations=[{"frames": 20_000.0, "success": 0.4, "spl": 0.3, "return": 1.0}],
        maps={f"house/{i}": make_map() for i in range(4)},
        log=rows,
        facts={"Success": "65%"},
        tables={"Configuration": {"num_envs": 64, "scenes": "houses:train"}},
    )


def test_distance_bins_hold_every_finite_episode_once():
    bins = distance_bins([0.5, 2.0, 3.9, 11.5, math.inf, 2.0])
    # 11.5 < 2 * 6: width 2; bins [0, 2), [2, 4), [10, 12)
    assert [(b.low, b.high) for b in bins] == [(0, 2), (2, 4), (10, 12)]
    assert [b.members.tolist() for b in bins] == [[0], [1, 2, 5], [3]]
    assert distance_bins([]) == []


def test_smooth_keeps_a_line_and_its_ends():
    line = np.arange(100.0)
    np.testing.assert_allclose(smooth(line), line)
    spike = np.zeros(100)
    spike[50] = 7.0
    # share 0.06 of 100 rows: three to either side, so a spike becomes 7 values of 1.
    np.testing.assert_allclose(smooth(spike)[47:54], 1.0)
    assert smooth(spike).sum() == pytest.approx(7.0)


def test_choice_prefers_different_scenes_and_low_numbers():
    episodes = [make_episode(i, i != 2, scene="a" if i < 4 else "b") for i in range(6)]
    good, bad = choose_episodes(episodes, 3, 2)
    assert [e.number for e in good] == [0, 4, 1]
    assert [e.number for e in bad] == [2]


def test_cropped_map_keeps_metres():
    small, (x0, z0, x1, z1) = cropped(make_map(), np.array([[0.0, 0.0, 2.0]]))
    # Ground spans x -2 .. 6 and z 1 .. 6; 0.6 m more on each side.
    assert (x0, z0, x1, z1) == pytest.approx((-2.6, 0.4, 6.6, 6.6), abs=0.11)
    assert small.mask.sum() == make_map().mask.sum()
    row, column = int((2.0 - small.origin_xz[1]) / 0.1), int((0.0 - small.origin_xz[0]) / 0.1)
    assert small.mask[row, column]
    assert not small.mask[0].any()


def test_episode_map_draws_way_and_shortest_in_metres():
    episode = make_episode(0, True)
    svg = episode_map(episode, make_map())
    lines = re.findall(r'polyline points="([^"]+)"', svg)
    assert len(lines) == 2
    drawn = np.array([[float(v) for v in pair.split(",")] for pair in lines[1].split()])
    np.testing.assert_allclose(drawn, episode.way[:, [0, 2]], atol=0.006)


def test_depth_is_brightest_where_near():
    near, far = np.zeros((4, 4, 1), np.uint8), np.full((4, 4, 1), 255, np.uint8)
    light = [np.asarray(picture_of({"depth": d}, 8)[0]).astype(float).mean() for d in (near, far)]
    assert light[0] > 200
    assert light[1] < 10


def test_gif_has_the_pictures_asked_for():
    episode = make_episode(3, True, frames=True)
    with Image.open(io.BytesIO(episode_gif(episode, make_map(), max_frames=10))) as gif:
        assert gif.n_frames == 11
        assert gif.width == 2 * PANEL + 24
        gif.seek(10)
        assert gif.info["duration"] == 1800


def test_gif_keeps_the_colours_of_the_map_beside_a_colourful_view():
    episode = make_episode(3, True, frames=True)
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    frames = [dataclasses.replace(frame, images={"rgb": noise}) for frame in episode.frames]
    gif = episode_gif(dataclasses.replace(episode, frames=frames), make_map())
    with Image.open(io.BytesIO(gif)) as picture:
        picture.seek(picture.n_frames - 1)
        panel = np.asarray(picture.convert("RGB"))[:PANEL, -PANEL:].reshape(-1, 3)
    for color in (WAY, GOAL, START):
        assert (panel == ImageColor.getrgb(color)).all(axis=1).any(), color


class Links(HTMLParser):
    """Collects whatever would be fetched, and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "link", "iframe"):
            self.outside.append(tag)
        for name, value in attributes:
            if name in ("src", "href") and not str(value).startswith("data:"):
                self.outside.append(str(value))


def test_page_is_whole_and_fetches_nothing(tmp_path):
    path = write_report(make_data(), tmp_path / "deep" / "report.html")
    text = path.read_text(encoding="utf-8")
    links = Links()
    links.feed(text)
    assert links.outside == []
    assert "A &lt;run&gt;" in text
    assert "the straight &lt;agent&gt;" in text
    assert "65.0%" in text  # 13 of 20
    assert text.count("data:image/gif") == 5  # 3 of the reached, 15 and 18 of the others
    assert text.count("<figure") == 8 + 7 + 5
    assert "houses:train" in text
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_page_tells_by_how_much_and_where(tmp_path):
    text = write_report(make_data(), tmp_path / "r.html").read_text(encoding="utf-8")
    assert '+40.0<span class="range">+30.0 … +50.0</span>' in text
    assert '-0.100<span class="range">-0.200 … +0.050</span>' in text
    for label in ("3 to 6 m", "over 2"):
        # 17 episodes, and both agents and the random one in its row.
        row = text.partition(f"<tr><td>{label}</td>")[2].partition("</tr>")[0]
        assert row.startswith("<td>17</td>")
        assert row.count('<td>62.5%<span class="range">0.321</span></td>') == 3
    alone = dataclasses.replace(make_data(), differences=(), strata=())
    text = write_report(alone, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "How much better" not in text
    assert "Where it is hard" not in text


def test_charts_show_intervals_and_validations():
    data = make_data()
    colors = agent_colors(data.agents)
    assert len(set(colors.values())) == 3
    more = agent_colors([*data.agents, make_agent("blind", 3)])
    assert {name: more[name] for name in colors} == colors
    plain, dotted = (learning_curves(data.log, data.agents, rows) for rows in ((), data.validations))
    # One more label, and dots for success, SPL and return.
    assert len(dotted) > len(plain)
    assert success_by("ratio", data.strata, data.agents[:2], colors) != success_by(
        "distance", data.strata, data.agents[:2], colors
    )


def test_page_of_an_evaluation_without_log_or_maps(tmp_path):
    data = ReportData(title="t", subtitle="s", agents=[make_agent("trained", 2, count=3)])
    text = write_report(data, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "How it learned" not in text
    assert "Where it went" not in text
