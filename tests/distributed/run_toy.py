"""Trains the toy run as a rank of torchrun: ``run_toy.py FOLDER``.

Rank 1 kills itself in the third update. When the ranks are started anew, every step takes a while.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from gym_batchnav.errors import BatchNavError
from gym_batchnav.rl import train
from gym_batchnav.rl.distributed import find_launch
from tests.distributed.toys import ROWS, STEPS, Listener, RowsEnv, toy


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    folder, launch = Path(sys.argv[1]), find_launch()

    def before_step(number: int) -> None:
        if launch.restart:
            time.sleep(0.02)
        elif launch.rank == 1 and number == 2 * STEPS + 3:
            os.kill(os.getpid(), 9)

    config = toy(checkpoint_every_s=0.0, total_frames=10**6)
    listener = Listener()
    try:
        result = train(
            config,
            lambda: RowsEnv(ROWS // launch.size, before_step),
            folder,
            resume=True,
            callbacks=[listener],
        )
    except BatchNavError as error:
        say(f"rank {launch.rank} says: {error}")
        return 2
    for message in listener.messages:
        say(message)
    say(f"rank {launch.rank} ended by {result.reason} after {result.updates}")
    return 130


if __name__ == "__main__":
    sys.exit(main())
