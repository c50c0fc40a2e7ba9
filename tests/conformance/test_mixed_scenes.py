"""Training on built-in houses and scanned scenes together, fewer held at once than there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.rl import TrainConfig, load_checkpoint, train
from gym_batchnav.rl.config import PolicyConfig, PPOConfig

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "scenes"
FILES = ("aws_small_house.glb", "gazebo_cafe.glb", "recast_dungeon.obj")
UPDATES, ROWS, STEPS = 8, 12, 12


@pytest.mark.slow
def test_training_on_houses_and_files(tmp_path: Path) -> None:
    files = [SHARED / name for name in FILES]
    missing = [path for path in files if not path.is_file()]
    if missing:
        pytest.skip(f"{missing[0]} is not there")
    config = EnvConfig(
        scenes=("houses:train[:5]", *files), num_resident_scenes=4, swap_episodes=3, max_episode_steps=6,
        resolution=(16, 16), sensors=("depth", "rgb"), device="cpu", scene_workers=1,
    )  # fmt: skip
    seen: set[str] = set()

    class Watched(BatchPointNavEnv):
        def step(self, actions):
            seen.update(self.agent_state()["scene_id"])
            assert self.num_loaded_scenes <= 8  # four, and as many that are prepared or about to leave
            return super().step(actions)

    result = train(
        TrainConfig(
            policy=PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(1,)),
            ppo=PPOConfig(rollout_length=STEPS, minibatches=2, epochs=1),
            total_frames=UPDATES * ROWS * STEPS, threads=1, precision="float32", tensorboard=False,
        ),
        lambda: Watched(ROWS, config),
        tmp_path / "run",
    )  # fmt: skip
    assert load_checkpoint(result.checkpoint)["progress"]["frames"] == UPDATES * ROWS * STEPS
    # 1,152 steps in episodes of six: 16 episodes a row; a slot of three rows has swapped some 16 times.
    assert {str(path) for path in files} <= seen
    assert sum(name.startswith("houses-v2/train/") for name in seen) >= 4
