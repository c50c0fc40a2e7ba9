"""MiniWorld: rooms of a few dozen polygons, drawn with OpenGL, one image a call."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .peer import Peer
from .task import Task

_SCENE = "MiniWorld-FourRooms-v0"
_NUM_PLACES = 64


def setup(task: Task) -> Callable[[], int]:
    """The rooms, and random places in them."""
    import pyglet

    pyglet.options["headless"] = True
    import gymnasium as gym
    import miniworld  # noqa: F401  (makes its environments known)

    made = gym.make(_SCENE, obs_width=task.width, obs_height=task.height)
    made.reset(seed=task.seed)
    env: Any = made.unwrapped
    places = []
    for _ in range(_NUM_PLACES):
        env.place_entity(env.agent)
        places.append((env.agent.pos.copy(), env.agent.dir))
    turns = itertools.cycle(places)

    def draw() -> int:
        env.agent.pos, env.agent.dir = next(turns)
        if "rgb" in task.outputs:
            env.render_obs()
        if "depth" in task.outputs:
            env.render_depth()
        return 1

    return draw


PEER = Peer(
    name="miniworld",
    file=__file__,
    distribution="miniworld",
    benchmark="render",
    outputs=("depth", "rgb"),
    scene=_SCENE,
    setup=setup,
    images_per_call=1,
    processes=None,
    # With a process on each core, threads of the software renderer only stand in each other's way.
    environment={"LP_NUM_THREADS": "0"},
)
