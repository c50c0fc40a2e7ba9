"""The checker itself: the laws in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ...errors import ConfigError, ConformanceError
from .rollout import Rollout
from .shapes import check_spaces
from .values import AnyVectorEnv, difference

STEPS_BEFORE_PARTIAL_RESET = 5


def check_vector_env(
    env: AnyVectorEnv,
    *,
    seed: int = 0,
    steps: int = 100,
    partial_reset: bool = True,
    views: bool = False,
    close: bool = True,
) -> None:
    """Check that a vector environment keeps to Gymnasium's rules, by acting at random in it.

    Asked of any ``gymnasium.vector.VectorEnv``, ours or not: spaces are batched rightly; observations are in
    them, of the very dtype, and finite; shapes and dtypes of all that ``step`` returns; each key of the infos
    has its mask; equal seeds and actions give equal runs, bit by bit; what a call returned stays as it was;
    the autoreset mode that ``metadata`` declares is obeyed (NEXT_STEP: a step of rest with reward 0 and no
    effect of the action; SAME_STEP: ``final_obs`` and ``final_info``, masked; DISABLED: rows that are over
    are refused until they are reset); ``options["reset_mask"]`` leaves all other rows alone; ``render`` gives
    N frames; ``close`` works twice.

    Args:
        env: the environment; it is reset, and closed at the end.
        seed: of its resets and of the actions, which its action space samples.
        steps: of each of the three runs; enough that episodes end.
        partial_reset: whether ``options["reset_mask"]`` is offered where autoreset is not disabled.
        views: observations are documented to be overwritten by the next call.
        close: whether to check ``close``, after which the environment cannot be used.

    Raises:
        ConformanceError: a law is broken; the message names it, the row, what was expected and found.
        ConfigError: no episode ended within ``steps``, so autoreset was not seen.
    """
    if steps < 1:
        raise ConfigError(f"steps={steps} is not allowed; expected at least 1")
    check_spaces(env)
    mode = _declared_mode(env)
    env.action_space.seed(seed)
    actions, others = ([env.action_space.sample() for _ in range(steps)] for _ in range(2))
    run = _Check(env, mode, seed, views)
    first = run.rollout(actions)
    if not any(moment.ended.any() for moment in first.moments):
        raise ConfigError(f"no episode ended within steps={steps}; give more, so that autoreset is seen")
    _check_first_observations(first, mode)
    run.compare(first, run.rollout(actions), "equal seeds")
    if mode == AutoresetMode.NEXT_STEP:
        run.compare(first, run.rollout(actions, others), "autoreset NEXT_STEP")
    if partial_reset or mode == AutoresetMode.DISABLED:
        run.check_partial_reset(first, actions)
    _check_render(env)
    if mode == AutoresetMode.DISABLED:
        run.check_refusal(actions)
    if close:
        _check_close(env)


class _Check:
    """Runs of one environment that start from the same seed."""

    def __init__(self, env: AnyVectorEnv, mode: AutoresetMode, seed: int, views: bool) -> None:
        self.env, self.mode, self.seed, self.views = env, mode, seed, views

    def rollout(self, actions: list[Any], others: list[Any] | None = None) -> Rollout:
        """A run of these actions."""
        rollout = Rollout(self.env, self.mode, views=self.views)
        rollout.reset(self.seed)
        rollout.run(actions, others)
        return rollout

    def compare(self, one: Rollout, two: Rollout, law: str) -> None:
        """Two runs are the same."""
        expected = "what a row at rest does to have no effect" if law != "equal seeds" else "equal runs"
        for number, (first, second) in enumerate(zip(one.moments, two.moments, strict=False)):
            for row in range(self.env.num_envs):
                if found := first.row_difference(second, row):
                    raise ConformanceError(law, f"expected {expected}; found, call {number}, {found}", row)

    def check_partial_reset(self, whole: Rollout, actions: list[Any]) -> None:
        """Rows that are not reset go on as if nothing had been, until their episode ends."""
        count = min(STEPS_BEFORE_PARTIAL_RESET, len(actions) - 1)
        rollout = self.rollout(actions[:count])
        running = ~rollout.last.ended
        mask = np.arange(self.env.num_envs) % 2 == 0
        rollout.reset_rows(mask, self.seed)
        _check_was_reset(rollout, mask)
        running &= ~mask
        for number, chosen in enumerate(actions[count:], start=count):
            if not running.any():
                return
            rollout.step(chosen)
            expected, found = whole.steps[number], rollout.steps[number]
            for row in map(int, np.flatnonzero(running)):
                if differs := expected.row_difference(found, row):
                    raise ConformanceError(
                        "partial reset",
                        "expected a row to go on as without the reset of others; found, "
                        f"step {number + 1}, {differs}",
                        row,
                    )
            running &= ~found.ended

    def check_refusal(self, actions: list[Any]) -> None:
        """DISABLED: a row whose episode is over cannot be stepped."""
        self.env.reset(seed=self.seed)
        for chosen in actions:
            *_, terminations, truncations, _ = self.env.step(chosen)
            ended = np.asarray(terminations) | np.asarray(truncations)
            if ended.any():
                try:
                    self.env.step(chosen)
                except Exception:  # whichever error it is, the row was refused
                    return
                raise ConformanceError(
                    "autoreset DISABLED",
                    "expected step to refuse a row whose episode is over until it is reset, "
                    "found that it went on",
                    int(np.argmax(ended)),
                )


def _declared_mode(env: AnyVectorEnv) -> AutoresetMode:
    mode = (env.metadata or {}).get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        raise ConformanceError(
            "autoreset mode", f"expected metadata['autoreset_mode'] to be an AutoresetMode, found {mode!r}"
        )
    return mode


def _check_first_observations(rollout: Rollout, mode: AutoresetMode) -> None:
    """SAME_STEP: what is returned at an end is the next episode's beginning, not the end once more."""
    if mode != AutoresetMode.SAME_STEP:
        return
    ends = [
        (difference(moment.infos["final_obs"][row], moment.observations[row]), row)
        for moment in rollout.moments
        for row in map(int, np.flatnonzero(moment.ended))
    ]
    start = rollout.moments[0].observations
    varied = any(
        difference(moment.observations[row], start[row])
        for moment in rollout.moments
        for row in range(len(start))
    )
    if varied and all(found is None for found, _ in ends):
        raise ConformanceError(
            "autoreset SAME_STEP",
            "expected final_obs to be the last observation of the old episode, the observations the first "
            f"of the new one, found them the same at all {len(ends)} ends",
            ends[0][1],
        )


def _check_was_reset(rollout: Rollout, mask: Any) -> None:
    """Rows of the mask begin anew: where they show what they showed before, that is their first sight."""
    first, before, after = rollout.moments[0], rollout.moments[-2], rollout.moments[-1]
    for row in map(int, np.flatnonzero(mask)):
        stayed = difference(before.observations[row], after.observations[row]) is None
        if stayed and difference(after.observations[row], first.observations[row]):
            raise ConformanceError(
                "partial reset",
                "expected a row of reset_mask to begin anew, found its observation unchanged",
                row,
            )


def _check_render(env: AnyVectorEnv) -> None:
    """With ``rgb_array``, ``render`` gives N frames."""
    mode = env.render_mode
    if mode is None:
        return
    if mode not in (env.metadata or {}).get("render_modes", ()):
        raise ConformanceError("render", f"expected render_mode {mode!r} in metadata['render_modes']")
    if mode != "rgb_array":
        return
    frames = env.render()
    if not isinstance(frames, tuple | list) or len(frames) != env.num_envs:
        raise ConformanceError(
            "render", f"expected a tuple of {env.num_envs} frames, found {type(frames).__name__}"
        )
    for row, frame in enumerate(frames):
        array = np.asarray(frame)
        if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
            raise ConformanceError(
                "render", f"expected a frame (H, W, 3) of uint8, found {array.shape} of {array.dtype}", row
            )


def _check_close(env: AnyVectorEnv) -> None:
    env.close()
    try:
        env.close()
    except Exception as error:
        raise ConformanceError(
            "close", f"expected a second close() to do nothing, found {error!r}"
        ) from error
