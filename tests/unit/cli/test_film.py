"""Films: what a player gets out of the files, and what is left when something goes wrong."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from PIL import Image, ImageSequence

from gym_batchnav.cli.watching.film import durations, open_film
from gym_batchnav.errors import ConfigError

COLORS = [(200, 40, 30), (30, 60, 190), (240, 240, 240), (20, 150, 60)]


def pictures(height=41, width=61):
    """A square of another colour on grey, each time further to the right."""
    for number, color in enumerate(COLORS):
        picture = np.full((height, width, 3), 90, np.uint8)
        picture[10:30, 10 * number : 10 * number + 20] = color
        yield picture


def decoded(path):
    """Frames (n, H, W, 3) and the rate of an .mp4."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    reader = ffmpeg.read_frames(str(path))
    facts = next(reader)
    width, height = facts["size"]
    return np.array([np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]), facts[
        "fps"
    ]


def test_mp4_holds_all_pictures_with_even_sides(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    path = tmp_path / "new" / "film.mp4"
    with open_film(path, 5.0) as film:
        for picture in pictures():
            film.add(picture)
        film.add(picture, 1.0)
    frames, rate = decoded(path)
    # Four pictures, and the last one for a second more at 5 a second.
    assert frames.shape == (4 + 5, 42, 62, 3)
    assert rate == 5.0
    for number, (color, frame) in enumerate(zip(COLORS, frames, strict=False)):
        inside = frame[15:25, 10 * number + 5 : 10 * number + 15].astype(int)
        assert np.abs(inside - color).max() < 30
        assert np.abs(frame[35:40].astype(int) - 90).max() < 12
    assert list(path.parent.iterdir()) == [path]


def test_gif_holds_pictures_colours_and_times(tmp_path):
    path = tmp_path / "film.gif"
    with open_film(path, 20.0, colors=32) as film:
        for picture in pictures():
            film.add(picture)
        film.add(picture[:, ::-1], 1.5)
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        frames = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(image)]
    assert [time for _, time in frames] == [50, 50, 50, 50, 1500]
    wanted = [*pictures(), picture[:, ::-1]]
    for (frame, _), right in zip(frames, wanted, strict=True):
        assert np.abs(np.asarray(frame).astype(int) - right).max() < 12


def test_gif_of_few_colours_is_smaller(tmp_path, rng):
    noise = rng.integers(0, 256, (4, 48, 48, 3), dtype=np.uint8)
    sizes = {}
    for colors in (16, 256):
        path = tmp_path / f"{colors}.gif"
        with open_film(path, 10.0, colors=colors) as film:
            for picture in noise:
                film.add(picture)
        sizes[colors] = path.stat().st_size
    assert sizes[16] < 0.7 * sizes[256]


def test_times_of_a_gif_do_not_drift():
    # A 30th of a second is 3.33 hundredths: 30 ms or 40 ms, 1 s in all.
    times = durations([1 / 30] * 30)
    assert set(times) == {30, 40}
    assert sum(times) == 1000
    # Browsers slow down what is shorter than 20 ms.
    assert durations([0.004, 0.5]) == [20, 500]


def fill(path):
    with open_film(path, 10.0) as film:
        film.add(next(pictures()))


def cut_short(path, error, **options):
    """Film all pictures, and then something happens."""
    with open_film(path, 10.0, **options) as film:
        for picture in pictures():
            film.add(picture)
        raise error


@pytest.mark.parametrize("others", [0, 1])
def test_ctrl_c_while_ffmpeg_starts_is_not_lost(tmp_path, monkeypatch, others):
    # The system gives Ctrl-C to any thread that does not block it.
    over = threading.Event()
    for _ in range(others):
        threading.Thread(target=over.wait, daemon=True).start()
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    write, heard = ffmpeg.write_frames, []

    def pressed(*arguments, **options):
        writer = write(*arguments, **options)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        heard.append("started")
        yield from writer

    monkeypatch.setattr(ffmpeg, "write_frames", pressed)
    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path / "film.mp4")
    over.set()
    assert heard == ["started"]
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("ending", ["mp4", "gif"])
@pytest.mark.parametrize(
    ("error", "keep", "left"),
    [(KeyboardInterrupt, True, True), (KeyboardInterrupt, False, False), (ValueError, True, False)],
)
def test_what_is_left_of_a_film_that_is_cut_short(tmp_path, ending, error, keep, left):
    if ending == "mp4":
        pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    path = tmp_path / f"film.{ending}"
    with pytest.raises(error):
        cut_short(path, error, keep_cut=keep)
    assert [file.name for file in tmp_path.iterdir()] == ([path.name] if left else [])
    if left and ending == "gif":
        assert Image.open(path).n_frames == 4
    if left and ending == "mp4":
        assert len(decoded(path)[0]) == 4


def test_an_empty_film_is_no_file(tmp_path):
    with open_film(tmp_path / "film.gif", 10.0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_older_film_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "film.gif"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        cut_short(path, ZeroDivisionError)
    assert path.read_bytes() == b"old"


def test_wrong_names_and_numbers_and_a_missing_library_are_named(tmp_path, monkeypatch):
    for name, options, words in (
        ("film.avi", {}, r"expected \.mp4 or \.gif"),
        ("film", {}, r"expected \.mp4 or \.gif"),
        ("film.gif", {"colors": 8}, "--colors 8 is not allowed; expected 16 to 256"),
    ):
        with pytest.raises(ConfigError, match=words):
            open_film(tmp_path / name, 10.0, **options)
    with pytest.raises(ConfigError, match="--fps 0 is not allowed"):
        open_film(tmp_path / "film.mp4", 0.0)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ConfigError, match=r'pip install "gym-batchnav\[viewer\]", or write a \.gif'):
        open_film(tmp_path / "film.mp4", 10.0)
    assert list(tmp_path.iterdir()) == []
