"""Film the policy that comes with the package: its view, the depth it sees, the map, and how it fares.

python examples/record_video.py [--scenes houses:test] [--episodes 3] [-o way.mp4]

``batchnav record --pretrained -n 3 -o way.mp4`` does the same; this is how to film agents of your own.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import imageio_ffmpeg  # pip install "gym-batchnav[viewer]"
import numpy as np

import gym_batchnav  # noqa: F401  (registers BatchPointNav-v0)
from gym_batchnav.rl import load_policy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", default="houses:test")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--most-steps", type=int, default=500)
    parser.add_argument("--side", type=int, default=320, help="height of the views, pixels")
    parser.add_argument("-o", "--output", default="way.mp4")
    args = parser.parse_args()

    # Frames are drawn apart from the observations: the policy still gets its own small depth images. Twice
    # the size that is shown makes edges smooth.
    env = gym.make(
        "BatchPointNav-v0",
        scenes=args.scenes,
        render_mode="rgb_array",
        render_resolution=(2 * args.side, 2 * args.side),
        max_episode_steps=args.most_steps,
    )
    policy, frames = load_policy("pretrained"), []
    for episode in range(args.episodes):
        observation, info = env.reset(seed=7 if episode == 0 else None)
        state, start, over = None, True, False
        while not over:
            frames.append(env.unwrapped.panel(args.side))
            action, state = policy.act(observation, state, start, deterministic=False)
            observation, reward, terminated, truncated, info = env.step(action)
            start, over = False, terminated or truncated
        # The end stands for a second.
        frames += [env.unwrapped.panel(args.side)] * 10
        print(f"episode {episode}: SPL {info['spl']:.2f} after {info['steps']} steps")
    env.close()

    height, width = frames[0].shape[:2]
    writer = imageio_ffmpeg.write_frames(args.output, (width, height), fps=10, macro_block_size=2)
    writer.send(None)
    for frame in frames:
        writer.send(np.ascontiguousarray(frame))
    writer.close()
    print(f"{len(frames)} frames in {args.output}")


if __name__ == "__main__":
    main()
