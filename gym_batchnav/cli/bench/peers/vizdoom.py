"""ViZDoom: the engine of Doom, whose time passes with each image; one image a call."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

from .peer import Peer
from .task import Task

_SCENE = "my_way_home"
_SIZES = (
    (160, 120), (200, 125), (200, 150), (256, 144), (256, 160), (256, 192), (320, 180), (320, 200),
    (320, 240), (400, 225), (400, 250), (400, 300), (512, 288), (512, 320), (512, 384), (640, 360),
    (640, 400), (640, 480), (800, 450), (800, 500), (800, 600), (1024, 576), (1024, 640), (1024, 768),
    (1280, 720), (1280, 800), (1280, 960), (1280, 1024), (1920, 1080),
)  # fmt: skip


def smallest(height: int, width: int) -> tuple[int, int]:
    """The smallest (height, width) of the engine that holds an image; its largest where none does."""
    holding = [size for size in _SIZES if size[0] >= width and size[1] >= height]
    columns, rows = min(holding or _SIZES[-1:], key=lambda size: size[0] * size[1])
    return rows, columns


def setup(task: Task) -> Callable[[], int]:
    """A game without a window, in which the agent acts at random."""
    import vizdoom

    game = vizdoom.DoomGame()
    game.load_config(os.path.join(vizdoom.scenarios_path, f"{_SCENE}.cfg"))
    game.set_screen_resolution(getattr(vizdoom.ScreenResolution, f"RES_{task.width}X{task.height}"))
    game.set_screen_format(
        vizdoom.ScreenFormat.RGB24 if "rgb" in task.outputs else vizdoom.ScreenFormat.GRAY8
    )
    game.set_depth_buffer_enabled("depth" in task.outputs)
    game.set_labels_buffer_enabled("semantic" in task.outputs)
    game.set_window_visible(False)
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_seed(task.seed)
    game.init()
    generator = random.Random(task.seed)
    buttons = range(game.get_available_buttons_size())

    def draw() -> int:
        if game.is_episode_finished():
            game.new_episode()
        game.make_action([generator.random() < 0.5 for _ in buttons])
        game.get_state()
        return 1

    return draw


PEER = Peer(
    name="vizdoom",
    file=__file__,
    distribution="vizdoom",
    benchmark="render",
    outputs=("depth", "rgb", "semantic"),
    scene=_SCENE,
    setup=setup,
    images_per_call=1,
    processes=None,
    resolution=smallest,
)
