"""Backends that do not draw, draw wrong, draw slowly, or draw elsewhere than they should."""

from __future__ import annotations

from collections.abc import Iterator

from .interop import interop_answer
from .problem import Facts, Problem, first_line, hides_gpus, sees_nvidia, working_cores
from .speed_figures import STORED, STORED_CORES

STEERING = (
    "__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS", "MESA_GL_VERSION_OVERRIDE",
    "GALLIUM_DRIVER", "EGL_PLATFORM",
)  # fmt: skip
"""Variables that choose GL's driver or what it offers."""
SLOW = 1 / 3
"""Share of a stored figure, core for core, below which a machine is worth a look."""


def embree_problems(facts: Facts) -> Iterator[Problem]:
    """No Embree: the CPU then draws with software GL, which is ten times slower."""
    if "error" in facts["embree"]:
        yield Problem(first_line(facts["embree"]["error"]), "pip install --force-reinstall embreex")


def picture_problems(facts: Facts) -> Iterator[Problem]:
    """What the self-tests say, unless the cause has been told."""
    known = {first_line(facts[part].get("error", "")) for part in ("egl", "embree")}
    tests = facts["self_test"]
    right = [name for name, found in tests.items() if found["ok"]]
    other = f"take backend={right[0]!r} meanwhile" if right else "report it with 'batchnav doctor --json -'"
    for backend, found in tests.items():
        if "error" in found:
            if first_line(found["error"]) not in known and not _same_cause(backend, facts):
                yield Problem(
                    f"{backend} cannot draw: {first_line(found['error'])}",
                    _steered(backend, facts) or _fix_in(found["error"]),
                    "warning" if right else "error",
                )
        elif not found["ok"]:
            yield Problem(
                f"{backend} draws a wrong picture: {found['wrong_pixels']} of 256 pixels, up to "
                f"{found['worst_error_m']:.3g} m off",
                f"update the graphics driver, and {other}",
                "error",
            )


def _steered(backend: str, facts: Facts) -> str:
    """The fix where variables choose the driver, or hide it; empty where there are none."""
    names = [name for name in STEERING if name in facts["environment"]] if backend != "embree" else []
    return f"unset {' and '.join(names)}, by which the driver is chosen, and try again" if names else ""


def _same_cause(backend: str, facts: Facts) -> bool:
    """Both GL backends fail alike where there is no context."""
    tests = facts["self_test"]
    return backend == "gl-raycast" and tests["gl-raycast"].get("error") == tests.get("gl", {}).get("error")


def software_problems(facts: Facts) -> Iterator[Problem]:
    """A GPU is there, and the CPU draws; variables that make it so."""
    info = facts["self_test"].get("gl", {}).get("info", {})
    if not sees_nvidia(facts) or hides_gpus(facts) or facts["device"] == "cpu":
        return
    if forced := facts["environment"].get("LIBGL_ALWAYS_SOFTWARE", "0").strip("0"):
        yield Problem(
            f"LIBGL_ALWAYS_SOFTWARE={forced} asks for drawing in software",
            "unset LIBGL_ALWAYS_SOFTWARE",
            "hint",
        )
    if info.get("software"):
        yield Problem(
            f"gl draws in software ({info['gl_renderer']}) though EGL shows an NVIDIA device",
            "pass device='cuda:0' to see why",
        )


def extension_problems(facts: Facts) -> Iterator[Problem]:
    """Extensions that the driver lacks; the needed ones show as a backend that cannot draw."""
    if not facts["self_test"].get("gl", {}).get("ok"):
        return
    for name, there in facts["gl"].get("extensions", {}).items():
        if not there:
            yield Problem(
                f"the GL driver {facts['gl']['gl_renderer']} lacks {name}",
                "update the driver (Mesa 20.2, NVIDIA 450)",
            )


def interop_problems(facts: Facts) -> Iterator[Problem]:
    """Images are copied though a GPU draws them."""
    answer = interop_answer(facts)
    if answer.fix is not None and str(facts["auto"].get("info", {}).get("device", "")).startswith("cuda"):
        yield Problem(f"images reach torch by a copy: {answer.why}", answer.fix)


def speed_problems(facts: Facts) -> Iterator[Problem]:
    """Backends of the CPU that are far slower than they should be, core for core."""
    cores, load = working_cores(facts), facts["processor"]["load"] or 0.0
    for found in facts["speed"].values():
        stored = STORED.get(found.get("compared_with", ""))
        if stored is None or "per_second" not in found:
            continue
        share = found["per_second"] / cores / (stored / STORED_CORES)
        if share < SLOW:
            busy = f"other programs keep {load:.1f} cores busy" if load > 1 else "cores run slowly"
            yield Problem(
                f"{found['compared_with']}: {found['per_second']:,}/s on {cores:g} cores is {share:.0%} of "
                f"the stored figure, core for core ({busy})",
                "close other programs, plug in the laptop, and look for a CPU limit above; then "
                "'batchnav bench render'",
                "hint",
            )
            return


def _fix_in(message: str) -> str:
    """The fix that an error of ours carries, else where to look."""
    for line in message.splitlines():
        if line.startswith("Fix: "):
            return line.removeprefix("Fix: ")
    return "the message says what to do" if ";" in message else "report it with 'batchnav doctor --json -'"
