"""Writes pictures as films: .mp4 with ffmpeg, .gif with Pillow."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from ...envs.maps import FAILED, SHORTEST, START, WAY
from ...envs.watching.theme import ACCENT, BAD, GOOD, INK, PAGE
from ...errors import ConfigError

Picture = NDArray[np.uint8]
ENDINGS = (".mp4", ".gif")
_SAMPLES = 24
"""Pictures that the palette of a .gif is made from."""
_ROUNDS = 4
"""By which the colours move to the middle of what they stand for."""
_NEAREST = Image.Resampling.NEAREST
_MOST_COLORS = 255
"""One of 256 is for pixels that stay as they were."""


class Film(ABC):
    """A film in the making; the file appears under its name when it is whole.

    Used in a ``with`` block: an error leaves no file. Ctrl-C leaves the film so far where ``keep_cut`` is
    set, else none either.

    Args:
        path: of the file.
        fps: pictures a second.
        keep_cut: whether a film that is cut short by Ctrl-C is kept.
    """

    def __init__(self, path: Path, fps: float, *, keep_cut: bool = True) -> None:
        self.path, self.fps = path, fps
        self._keep_cut = keep_cut
        self._shape: tuple[int, ...] | None = None
        self._empty = True
        self._part = path.with_name(f".{path.stem}.part{path.suffix}")

    def add(self, picture: Picture, seconds: float | None = None) -> None:
        """Show a picture (H, W, 3) for so long; None is one picture of the film.

        All pictures have one size.
        """
        if self._shape is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._shape = picture.shape
            self._begin(picture)
        assert picture.shape == self._shape
        self._write(picture, 1.0 / self.fps if seconds is None else seconds)
        self._empty = False

    def __enter__(self) -> Self:
        """The film itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Make the file whole, or leave none."""
        if self._shape is None:
            return
        kept = kind is None or (self._keep_cut and issubclass(kind, KeyboardInterrupt))
        wanted = kept and not self._empty
        try:
            self._end(wanted)
            if wanted:
                os.replace(self._part, self.path)
        finally:
            self._part.unlink(missing_ok=True)

    @abstractmethod
    def _begin(self, picture: Picture) -> None: ...

    @abstractmethod
    def _write(self, picture: Picture, seconds: float) -> None: ...

    @abstractmethod
    def _end(self, wanted: bool) -> None:
        """Finish the file ``_part``, or drop what there is of it."""


class Mp4(Film):
    """H.264, which browsers and players show."""

    def __init__(self, path: Path, fps: float, *, keep_cut: bool = True) -> None:
        """Raises ``ConfigError`` where the library is missing."""
        super().__init__(path, fps, keep_cut=keep_cut)
        try:
            import imageio_ffmpeg
        except ImportError as error:
            raise ConfigError(
                f"an .mp4 needs imageio-ffmpeg, which is missing ({error}); install it with: "
                'pip install "gym-batchnav[viewer]", or write a .gif'
            ) from error
        self._library: Any = imageio_ffmpeg
        self._writer: Any = None

    def _begin(self, picture: Picture) -> None:
        height, width = (side + side % 2 for side in picture.shape[:2])
        options = ["-crf", "20", "-preset", "veryfast", "-movflags", "+faststart"]
        self._writer = self._library.write_frames(
            str(self._part), (width, height), fps=self.fps, codec="libx264", pix_fmt_out="yuv420p",
            quality=None, macro_block_size=2, output_params=options, ffmpeg_log_level="error",
        )  # fmt: skip
        try:
            with _undisturbed():
                self._writer.send(None)
        except RuntimeError as error:
            raise ConfigError(f"ffmpeg cannot be started: {error}; write a .gif instead") from error

    def _write(self, picture: Picture, seconds: float) -> None:
        # The colours of H.264 have half the resolution, so sides are even.
        height, width = picture.shape[:2]
        even = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        for _ in range(max(1, round(seconds * self.fps))):
            self._writer.send(np.ascontiguousarray(even))

    def _end(self, wanted: bool) -> None:
        if self._writer is not None:
            self._writer.close()


class Gif(Film):
    """An animation that loops; ``colors`` of one palette, 8 to 255.

    Pictures wait in a temporary file, since the palette is made of all of them.
    """

    def __init__(self, path: Path, fps: float, *, colors: int = 128, keep_cut: bool = True) -> None:
        super().__init__(path, fps, keep_cut=keep_cut)
        self._colors = min(colors, _MOST_COLORS)
        self._seconds: list[float] = []

    def _begin(self, picture: Picture) -> None:
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115  (closed at the film's end)

    def _write(self, picture: Picture, seconds: float) -> None:
        self._spool.write(np.ascontiguousarray(picture).data)
        self._seconds.append(seconds)

    def _end(self, wanted: bool) -> None:
        with self._spool:
            if not wanted:
                return
            chosen = np.unique(np.linspace(0, len(self._seconds) - 1, _SAMPLES).round().astype(int))
            palette = _palette([self._picture(int(number)) for number in chosen], self._colors)
            first, *rest = durations(self._seconds)
            pictures = self._flat(palette)
            next(pictures).save(
                self._part, format="GIF", save_all=True, append_images=pictures,
                duration=[first, *rest], loop=0, optimize=True, disposal=1,
            )  # fmt: skip

    def _flat(self, palette: Image.Image) -> Iterator[Image.Image]:
        for number in range(len(self._seconds)):
            yield self._picture(number).quantize(palette=palette, dither=Image.Dither.NONE)

    def _picture(self, number: int) -> Image.Image:
        assert self._shape is not None
        size = int(np.prod(self._shape))
        self._spool.seek(number * size)
        return Image.fromarray(np.frombuffer(self._spool.read(size), np.uint8).reshape(self._shape))


def open_film(path: Path, fps: float, *, colors: int = 128, keep_cut: bool = True) -> Film:
    """A film of the kind that the name's ending says.

    Raises:
        ConfigError: another ending, or a number out of its range.
    """
    if not 0.5 <= fps <= 100.0:
        raise ConfigError(f"--fps {fps:g} is not allowed; expected 0.5 to 100")
    if path.suffix.lower() == ".gif":
        if not 16 <= colors <= 256:
            raise ConfigError(f"--colors {colors} is not allowed; expected 16 to 256")
        return Gif(path, fps, colors=colors, keep_cut=keep_cut)
    if path.suffix.lower() == ".mp4":
        return Mp4(path, fps, keep_cut=keep_cut)
    raise ConfigError(f"{path} has no ending of a film; expected {' or '.join(ENDINGS)}")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits: while a process is started Python would lose it, and ffmpeg should not hear of it."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    # The mask is handed on to ffmpeg; another thread of this process may hear Ctrl-C in spite of it.
    handler = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler)
    if heard:
        signal.raise_signal(signal.SIGINT)


def durations(seconds: list[float]) -> list[int]:
    """Milliseconds of each picture in the tens that a .gif can hold; rounding does not add up."""
    ends = np.rint(np.cumsum(seconds) * 100.0).astype(int)
    return [10 * max(2, int(step)) for step in np.diff(ends, prepend=0)]


def _palette(samples: list[Image.Image], count: int) -> Image.Image:
    """Colours for all pictures: those of lines and letters, and the best ones for the rest."""
    named = [ImageColor.getrgb(color)[:3] for color in (WAY, SHORTEST, START, FAILED)]
    fixed = np.array([*named, GOOD, BAD, ACCENT, INK, PAGE, (255, 255, 255)])
    # A quarter of the pixels tells as much.
    small = [sample.resize((-(-sample.width // 2), -(-sample.height // 2)), _NEAREST) for sample in samples]
    strip = Image.new("RGB", (small[0].width, sum(sample.height for sample in small)))
    for number, sample in enumerate(small):
        strip.paste(sample, (0, number * sample.height))
    found = strip.quantize(count - len(fixed), kmeans=_ROUNDS, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*found[: 3 * (count - len(fixed))], *fixed.ravel().tolist()])
    return palette
