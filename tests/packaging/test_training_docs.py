"""The page about training says what is true of presets and plans."""

from __future__ import annotations

import re
from pathlib import Path

from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.cli.training.presets import PRESETS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def test_the_table_lists_the_presets():
    rows = {
        row[0]: row for row in re.findall(r"\| `([\w-]+)` \| (.+) \| (.+) \| (\d+) \| (.+) \| .+ \|", PAGE)
    }
    assert set(rows) == set(PRESETS)
    for name, (_, _, frames, envs, network) in rows.items():
        plan = plan_training(TrainArgs(preset=name))
        policy = plan.learner.policy
        assert int(envs) == plan.num_envs
        assert str(policy.sizes.hidden) in network
        assert policy.encoder in network.lower()
        assert policy.recurrence.upper() in network
        million = plan.learner.total_frames / 1e6
        assert frames in (f"{million:g} million", f"{million / 1000:g} billion", "at most 9 minutes")


def test_the_plan_in_the_docs_is_one(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    plan = plan_training(TrainArgs(config=path))
    assert (plan.preset, plan.num_envs, plan.learner.total_frames) == ("cpu", 64, 3_000_000)
    assert (plan.learner.ppo.learning_rate, plan.learner.ppo.epochs) == (5e-4, 3)
    assert (plan.env.hfov_deg, plan.eval_env.scenes, plan.num_episodes) == (79.0, ("houses:val",), 500)
