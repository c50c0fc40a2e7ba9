"""One start of environments in a process of its own; run as a script, so that it imports nothing before.

Input: JSON of the search path and of the task; output: JSON of what took how long.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Import, make the environments, begin their first episodes, and say how long each took, seconds."""
    sys.path[:], task = json.load(sys.stdin)
    times = [time.perf_counter()]
    import gymnasium

    import gym_batchnav

    times.append(time.perf_counter())
    config = gym_batchnav.EnvConfig.from_kwargs(task["config"])
    envs = gymnasium.make_vec(
        "BatchPointNav-v0",
        num_envs=task["num_envs"],
        config=config,
        max_episode_steps=config.max_episode_steps,
    )
    times.append(time.perf_counter())
    envs.reset(seed=task["seed"])
    times.append(time.perf_counter())
    names = ("import", "make", "reset")
    found = {name: end - begin for name, begin, end in zip(names, times[:-1], times[1:], strict=True)}
    bare = envs.unwrapped
    found |= {"renderer": bare.render_info, "timings": bare.timings}  # type: ignore[attr-defined]
    envs.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
