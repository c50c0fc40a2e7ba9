"""Whole runs of several ranks."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest
import torch

from gym_batchnav.rl import PolicyConfig, load_checkpoint, load_policy, read_log, train
from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.distributed import Launch
from gym_batchnav.rl.running import trainer
from tests.distributed.toys import ROWS, STEPS, TOY, Listener, RowsEnv, toy


def train_as(launch, *arguments, **options):
    """``train`` as a rank, whose place torchrun would tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "find_launch", lambda: launch)
        return train(*arguments, **options)


def train_rank(launch, config, folder, resume=False, stop_after=0, rows=ROWS):
    listener = Listener(stop_after)
    result = train_as(
        launch, config, lambda: RowsEnv(rows // launch.size), folder, resume=resume, callbacks=[listener]
    )
    return result.frames, result.updates, result.reason, listener.messages, result.metrics


def weights(folder):
    return load_checkpoint(sorted((folder / "checkpoints").glob("update-*.pt"))[-1])["policy"]


def assert_close(ours, theirs, atol):
    assert ours.keys() == theirs.keys()
    for name, weight in theirs.items():
        torch.testing.assert_close(ours[name], weight, atol=atol, rtol=1e-4, msg=name)


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_run_of_ranks_is_the_run_of_one(ranks, tmp_path, size):
    train_rank(Launch(), TOY, tmp_path / "one")
    results = ranks(size, train_rank, TOY, tmp_path / "many")
    one, many = weights(tmp_path / "one"), weights(tmp_path / "many")
    fresh = load_policy(tmp_path / "one").policy
    torch.manual_seed(0)
    assert any(
        not torch.allclose(one[k], v) for k, v in type(fresh)(fresh.config, fresh.spec).state_dict().items()
    )
    assert_close(many, one, 1e-5)
    assert [result[:3] for result in results] == [(256, 4, "frames")] * size
    logs = [read_log(tmp_path / name) for name in ("one", "many")]
    for ours, theirs in zip(*logs, strict=True):
        for key in ("frames", "episodes", "learning_rate"):
            assert ours[key] == theirs[key]
        assert theirs["losses"] == pytest.approx(ours["losses"], abs=1e-4)
        assert theirs["metrics"] == pytest.approx(ours["metrics"])
    assert logs[1][-1]["steps"] == [STEPS] * size
    run = read_log(tmp_path / "many", "run")[0]
    assert (run["ranks"], run["num_envs"]) == (size, ROWS)


def navigate(launch, folder):
    # Imported here: else the ranks of all tests would import it too, which takes seconds.
    from gym_batchnav import BatchPointNavEnv
    from gym_batchnav.config import EnvConfig

    config = toy(
        policy=PolicyConfig(
            hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
        ),
        ppo=PPOConfig(rollout_length=8, minibatches=1, epochs=1),
        total_frames=8 * 4 * 3,
        metric_keys=("success", "spl"),
    )
    rows = 4 // launch.size

    def make():
        env = EnvConfig(
            scenes="houses:train[:2]", resolution=(16, 16), max_episode_steps=6, render_backend="constant",
            scene_workers=0, index_offset=launch.rank * rows, total_envs=4,
        )  # fmt: skip
        return BatchPointNavEnv(rows, env)

    listener = Listener()
    result = train_as(launch, config, make, folder, callbacks=[listener])
    return result.frames


@pytest.mark.slow
def test_ranks_that_navigate_are_one_large_run(ranks, tmp_path):
    ranks(1, navigate, tmp_path / "one")
    ranks(2, navigate, tmp_path / "two")
    assert_close(weights(tmp_path / "two"), weights(tmp_path / "one"), 1e-5)
    logs = [read_log(tmp_path / name) for name in ("one", "two")]
    assert [r["episodes"] for r in logs[0]] == [r["episodes"] for r in logs[1]]
    assert logs[0][-1]["episodes"] >= 8
    assert logs[1][-1]["metrics"] == pytest.approx(logs[0][-1]["metrics"])


def test_resume_is_exact_for_all_ranks(ranks, tmp_path):
    ranks(2, train_rank, TOY, tmp_path / "whole")
    ranks(2, train_rank, TOY, tmp_path / "parts", False, 2)
    results = ranks(2, train_rank, TOY, tmp_path / "parts", True)
    assert results[0][3] == ["resumed at 128 frames, exactly"]
    assert results[1][3] == []
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    logs = [
        [(r["losses"], r["metrics"], r["episodes"]) for r in read_log(tmp_path / n)]
        for n in ("whole", "parts")
    ]
    assert logs[0] == logs[1]


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2)])
def test_another_number_of_ranks_begins_new_episodes_and_says_so(ranks, tmp_path, before, after):
    ranks(before, train_rank, TOY, tmp_path, False, 2)
    first = read_log(tmp_path)[-1]
    results = ranks(after, train_rank, toy(total_frames=STEPS * ROWS * 2 + 1), tmp_path, True)
    assert results[0][3] == [
        f"resumed at 128 frames with new episodes (there were {before} ranks, now there are {after})"
    ]
    assert results[0][:2] == (192, 3)
    assert read_log(tmp_path)[-1]["episodes"] > first["episodes"]


class Slow(RowsEnv):
    """Waits in a step until three other ranks are at the update."""

    def __init__(self, rows, world_of, at):
        super().__init__(rows, self.wait)
        self.world_of, self.at = world_of, at

    def wait(self, number):
        while number == self.at and self.world_of().waiting() < 3:
            time.sleep(0.005)


def preempted(launch, folder, at):
    made = []
    with pytest.MonkeyPatch.context() as patch:
        join = trainer.join_world

        def remember(*arguments):
            context = join(*arguments)

            class Kept:
                def __enter__(self):
                    made.append(context.__enter__())
                    return made[0]

                def __exit__(self, *error):
                    return context.__exit__(*error)

            return Kept()

        patch.setattr(trainer, "join_world", remember)
        make = (lambda: Slow(2, lambda: made[0], at)) if launch.rank == 3 else (lambda: RowsEnv(2))
        config = toy(distributed={"preempt_share": 0.6}, total_frames=2 * 4 * STEPS * 2)
        return train_as(launch, config, make, folder).frames


# Step 4 of 8 is 0.5 of T: then it may stop. At step 0 it must go on to a quarter, which is 2.
@pytest.mark.parametrize(("at", "taken"), [(4, 5), (0, 2)])
def test_a_slow_rank_ends_its_rollout_early(ranks, tmp_path, at, taken):
    frames = ranks(4, preempted, tmp_path, at)
    log = read_log(tmp_path)
    # 60% of four ranks are 2.4, so three must wait before the fourth may stop.
    assert log[0]["steps"] == [8, 8, 8, taken]
    assert log[0]["frames"] == 2 * (8 + 8 + 8 + taken)
    # Later rollouts may be cut by chance, on a machine whose cores are shared.
    assert len(set(frames)) == 1
    assert frames[0] == log[-1]["frames"] == sum(2 * sum(record["steps"]) for record in log)


def signalled(launch, folder, number):
    act = lambda count: os.kill(os.getpid(), number) if count == STEPS + 3 and launch.rank == 1 else None  # noqa: E731
    result = train_as(launch, TOY, lambda: RowsEnv(4, act), folder)
    return result.reason, result.updates


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_one_rank_stops_all_after_the_same_update(ranks, tmp_path, number):
    assert ranks(2, signalled, tmp_path, number) == [(number.name, 2)] * 2
    assert load_checkpoint(tmp_path / "checkpoints" / "update-00000002.pt")["progress"]["updates"] == 2


def dying(launch, folder):
    act = lambda count: os.kill(os.getpid(), 9) if count == STEPS + 3 and launch.rank == 1 else None  # noqa: E731
    train_as(launch, TOY, lambda: RowsEnv(4, act), folder)


@pytest.mark.slow
def test_a_rank_that_dies_ends_the_others_with_its_name(ranks, tmp_path):
    began = time.monotonic()
    results = ranks(2, dying, tmp_path, errors=True)
    assert results[1] is None
    assert str(results[0]).startswith("DistributedError: rank 1 of 2 gave no sign of life")
    assert "rank 1 was at update 1" in str(results[0])
    assert time.monotonic() - began < 20


def unequal(launch, folder):
    train_as(launch, TOY, lambda: RowsEnv(4 - launch.rank), folder)


def test_ranks_with_unequal_environments_are_refused(ranks, tmp_path):
    for text in ranks(2, unequal, tmp_path, errors=True):
        assert "the number of environments is 3 on rank 1, but 4 on the others" in str(text)


def disturbed(launch, folder):
    calls = []

    def act(count):
        # After the first update, before the second: as broken memory would.
        if count == STEPS and launch.rank == 1:
            import gc

            from gym_batchnav.rl.nets.policy import ActorCritic

            (policy,) = [found for found in gc.get_objects() if isinstance(found, ActorCritic)]
            with torch.no_grad():
                policy.actor.bias[0] += 1e-7
            calls.append(count)

    train_as(launch, TOY, lambda: RowsEnv(4, act), folder)


def test_weights_that_drift_apart_end_the_run(ranks, tmp_path):
    for text in ranks(2, disturbed, tmp_path, errors=True):
        assert str(text).startswith("DistributedError: the weights of rank 1 differ")


def test_rows_of_ranks_draw_as_one_large_run():
    from gym_batchnav.rl.nets.policy import sample_actions

    logits = torch.log_softmax(torch.randn(6, 4, generator=torch.Generator().manual_seed(1)), 1)
    whole = sample_actions(logits, torch.Generator().manual_seed(2))
    parts = [
        sample_actions(logits[2 * rank : 2 * rank + 2], torch.Generator().manual_seed(2), rank, 3)
        for rank in range(3)
    ]
    assert torch.equal(torch.cat(parts), whole)
    assert len(np.unique(whole)) > 1
