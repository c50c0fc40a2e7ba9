"""Every vector wrapper of Gymnasium in every mode does what docs/wrappers.md says."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from tests.conformance.vector_wrappers import CASES, MODES, SIZE, drive, table

DOCS = Path(__file__).resolve().parents[2] / "docs" / "wrappers.md"
BEGIN = "<!-- wrappers: made by tests/conformance/vector_wrappers.py -->\n"
LIMIT, ROWS = 4, 3


def pair(mode, scenes, options) -> tuple[Any, Any]:
    """The batch, and Gymnasium's own vector of single environments."""
    options = {
        "scenes": scenes, "straight_ratio": 1.0, "scene_workers": 0, "resolution": (SIZE, SIZE),
        "sensors": ("depth", "rgb"), "render_backend": "constant", "render_mode": "rgb_array", **options,
    }  # fmt: skip
    own = {"num_envs": ROWS, "max_episode_steps": LIMIT, "autoreset_mode": mode}
    makers = [lambda: gym.make("BatchPointNav-v0", max_episode_steps=LIMIT, **options)] * ROWS
    return gym.make_vec("BatchPointNav-v0", **own, **options), SyncVectorEnv(makers, autoreset_mode=mode)


def assert_in_spaces(env, returned):
    """Observations, the last ones of episodes too, are in the spaces that the wrapper names."""
    for result in returned:
        if isinstance(result[-1], dict):
            assert result[0] in env.observation_space
            for row in np.flatnonzero(result[-1].get("_final_obs", ())):
                assert result[-1]["final_obs"][row] in env.single_observation_space


def plain(value, without=("t",)):
    """Tensors as arrays; without the seconds that RecordEpisodeStatistics measures."""
    if isinstance(value, dict):
        return {key: plain(item, without) for key, item in value.items() if key not in without}
    if isinstance(value, tuple | list):
        return [plain(item, without) for item in value]
    return value.numpy() if hasattr(value, "numpy") else value


@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_wrapper(case, mode, rooms, tmp_path, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    if case.needs:
        pytest.importorskip(case.needs, reason=f"{case.name} needs {case.needs}")
    batch, sync = pair(mode, rooms, case.options)
    warnings.simplefilter("ignore")
    if mode in case.refused:
        error, words, _ = case.refused[mode]
        for number, env in enumerate((batch, sync)):
            with pytest.raises(error, match=words):
                drive(case.wrap(env, str(tmp_path / str(number))), mode)
        return
    ours, theirs = (case.wrap(env, str(tmp_path / name)) for name, env in (("a", batch), ("b", sync)))
    assert ours.observation_space == theirs.observation_space
    first, second = drive(ours, mode), drive(theirs, mode)
    # SyncVectorEnv takes the mask out of the options; the wrapper then forgets the statistics of all rows.
    forgets = case.name == "RecordEpisodeStatistics" and mode == MODES["Disabled"]
    without = ("t", "episode", "_episode") if forgets else ("t",)
    assert data_equivalence(plain(first, without), plain(second, without))
    if case.name not in ("NumpyToTorch", "ArrayConversion"):
        assert_in_spaces(ours, first)
    # Episodes of four steps: each of the three rows has ended at least once.
    ends = sum(int((np.asarray(step[2]) | np.asarray(step[3])).sum()) for step in first if len(step) == 5)
    assert ends >= ROWS
    ours.close()
    theirs.close()
    if case.name == "RecordVideo":
        assert list((tmp_path / "a").glob("*.mp4"))


def test_every_wrapper_is_tried():
    assert {case.name for case in CASES} == set(wrappers.__all__)


def test_table_in_the_docs_is_what_is_tested():
    text = DOCS.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition("\n<!-- end of wrappers -->")[0] == table(), (
        "put what python -m tests.conformance.vector_wrappers prints into docs/wrappers.md"
    )


def test_doc_s_example(rooms):
    """The environment with one image, as the docs put it on."""
    batch, _ = pair(MODES["NextStep"], rooms, {})
    code = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"envs": batch}
    exec(code, names)  # the text of our own docs
    assert names["gray"].reset(seed=0)[0].shape == (ROWS, SIZE, SIZE)
