"""``batchnav record``: which episodes are filmed, and how."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from gym_batchnav import BatchPointNavEnv, EpisodeSet
from gym_batchnav.cli import main
from gym_batchnav.cli.evaluation.contestants import Expert
from gym_batchnav.cli.watching.record import film_episode, film_together
from gym_batchnav.cli.watching.walk import Walk
from tests.unit.envs.conftest import fake_renderer, rooms

__all__ = ["fake_renderer", "rooms"]


class Pictures:
    """A film that keeps its pictures."""

    def __init__(self):
        self.shown, self.times = [], []

    def add(self, picture, seconds=None):
        self.shown.append(picture)
        self.times.append(seconds)


@pytest.fixture
def walk(fake_renderer, rooms):
    made = []

    def make(number, agent=Expert):
        envs = BatchPointNavEnv(
            number, scenes=rooms, episodes=EpisodeSet(4, 7), episode_order="sequential", scene_workers=0,
            autoreset_mode="Disabled", render_mode="rgb_array", resolution=(8, 8), straight_ratio=1.0,
        )  # fmt: skip
        made.append(envs)
        return Walk(envs, agent(envs), 0, deterministic=True)

    yield make
    for envs in made:
        envs.close()


def lengths(walk, number):
    """Steps of the first episodes of a fresh walk of one environment."""
    found = []
    for episode in range(number):
        if episode:
            walk.begin(np.ones(1, bool))
        while not walk.over[0]:
            walk.step()
        found.append(int(walk.infos["steps"][0]))
    return found


def test_an_episode_is_shown_from_start_to_end(walk):
    (steps, *_) = lengths(walk(1), 1)
    film = Pictures()
    text = film_episode(walk(1), film, 48, hold=2.0)
    assert text.startswith(f"goal reached in {steps} steps, SPL ")
    # The start and each step.
    assert len(film.shown) == steps + 1
    assert film.times == [None] * steps + [2.0]
    few = Pictures()
    film_episode(walk(1), few, 48, every=3, hold=2.0)
    assert len(few.shown) == -(-steps // 3) + 1
    for one, two in zip(few.shown[:-1], film.shown[::3], strict=False):
        assert np.array_equal(one, two)
    assert np.array_equal(few.shown[-1], film.shown[-1])


def test_together_those_that_have_ended_stand_still(walk):
    steps = lengths(walk(1), 3)
    assert len(set(steps)) == 3
    films, told = [], []
    alone = walk(1)
    for number in range(3):
        if number:
            alone.begin(np.ones(1, bool))
        films.append(Pictures())
        film_episode(alone, films[-1], 48)
    whole = Pictures()
    film_together(walk(3), whole, 48, 1, every=1, hold=1.0, tell=told.append)
    assert len(whole.shown) == max(steps) + 1
    height = films[0].shown[0].shape[0]
    for moment, picture in enumerate(whole.shown):
        for row, film in enumerate(films):
            same = film.shown[min(moment, steps[row])]
            assert np.array_equal(picture[row * height : (row + 1) * height], same), (moment, row)
    order = np.argsort(steps)
    assert [text.split(":")[0] for text in told] == [f"episode {row}" for row in order]
    assert all("goal reached" in text for text in told)
    assert whole.times[-1] == 1.0


@pytest.mark.slow
def test_command_films_an_expert_into_a_folder_and_into_one_file(room, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--expert", "-n", "2", "--scenes", str(room()), "--size", "40", "--format", "gif"]
    options += ["--env", "straight_ratio=1"]
    assert main(["record", *options, "-o", "films", "--every", "4"]) == 0
    assert sorted(path.name for path in (tmp_path / "films").iterdir()) == [
        "episode-000.gif",
        "episode-001.gif",
    ]
    out = capsys.readouterr().out
    assert out.count("goal reached") == 2
    counts = []
    for number in range(2):
        with Image.open(tmp_path / "films" / f"episode-00{number}.gif") as image:
            counts.append(image.n_frames)
            assert image.size == (3 * 40 + 4 * 2, 44)
    assert main(["record", *options, "-o", "all.gif", "--every", "4"]) == 0
    with Image.open("all.gif") as image:
        assert image.n_frames == sum(counts)
    assert main(["record", *options, "-o", "films", "--mosaic", "--every", "4"]) == 0
    with Image.open("films/mosaic.gif") as image:
        assert image.n_frames == max(counts)


@pytest.mark.slow
def test_pretrained_policy_walks_the_episodes_of_eval(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scenes = ["--scenes", "houses:val[:1]", "--seed", "3", "--greedy"]
    options = ["--pretrained", "-n", "2", "--size", "48", "-o", "both.gif", *scenes]
    assert main(["record", *options]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("episode")]
    arguments = ["--pretrained", "--episodes", "2", "--no-baselines", "--episodes-json", "e.jsonl", *scenes]
    assert main(["eval", *arguments]) == 0
    rows = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    for row, line in zip(rows, lines, strict=True):
        assert f"in {row['steps']:.0f} steps, SPL {row['spl']:.2f}" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no checkpoint is given"),
        (["nothing.pt"], "nothing.pt"),
        (["nothing.pt", "--expert"], "--expert is an agent of its own"),
        (["--expert", "-n", "0"], "--episodes 0"),
        (["--expert", "--every", "0"], "--every 0"),
        (["--expert", "--hold", "-1"], "--hold -1"),
        (["--expert", "-o", "film.avi"], "expected a folder, or a file ending in .mp4 or .gif"),
        (["--expert", "--size", "5000"], "--size 5000"),
        (["--expert", "--fps", "0"], "--fps 0"),
        (["--expert", "--mosaic", "-n", "90"], "at most 36"),
        (["--expert", "-o", "a.gif", "--colors", "3"], "--colors 3"),
    ],
)
def test_wrong_arguments_are_named(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["record", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
