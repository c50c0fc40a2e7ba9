"""Your own scene: load it, look at its walkable ground, plan a way, and walk it in the environment.

python examples/own_scene.py home.glb --navmesh home.navmesh

Without a file, a built-in house takes its place.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium as gym
import numpy as np

import gym_batchnav
from gym_batchnav.nav import navmesh_for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", nargs="?", default="houses:val/0")
    parser.add_argument("--navmesh", type=Path)
    args = parser.parse_args()

    (reference,) = gym_batchnav.resolve_scenes(args.scene, args.navmesh)
    scene = reference.load()
    print(f"{scene.scene_id}: {len(scene.triangles):,} triangles")
    ground = navmesh_for(scene)
    print(f"walkable: {ground.area_m2:.1f} m2 on {ground.num_islands} island(s)")

    generator = np.random.default_rng(0)
    starts, goals = ground.sample(100, generator), ground.sample(100, generator)
    distances = ground.geodesic_distance(starts, goals)
    farthest = int(np.argmax(np.where(np.isfinite(distances), distances, -1.0)))
    way = ground.shortest_path(starts[farthest], goals[farthest])
    print(f"longest of 100 ways: {distances[farthest]:.1f} m with {len(way)} corners")

    env = gym.make("BatchPointNav-v0", scenes=args.scene, navmesh=args.navmesh)
    observation, info = env.reset(seed=0)
    print(f"goal: {observation['pointgoal'][0]:.1f} m away as the crow flies", end=", ")
    print(f"{info['distance_to_goal']:.1f} m on foot")
    for _ in range(10):
        observation, reward, terminated, truncated, info = env.step(1)
    print(f"after ten steps ahead: {info['distance_to_goal']:.1f} m on foot, collision: {info['collision']}")
    env.close()


if __name__ == "__main__":
    main()
