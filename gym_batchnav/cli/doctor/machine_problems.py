"""Packages, cores, memory, disks and variables."""

from __future__ import annotations

from collections.abc import Iterator

from .problem import Facts, Problem

LITTLE_MEMORY_GIB = 2.0
LITTLE_DISK_GIB = 1.0
_HARMLESS_PLATFORMS = ("", "egl")


def package_problems(facts: Facts) -> Iterator[Problem]:
    """Packages that do not fit together."""
    for conflict in facts["conflicts"]:
        yield Problem(
            f"{conflict['package']} needs {conflict['needs']}, and {conflict['found']} is there",
            f"pip install '{conflict['needs']}'",
            "error",
        )


def core_problems(facts: Facts) -> Iterator[Problem]:
    """More cores to be seen than may be used, and settings that keep threads off them."""
    processor, threads = facts["processor"], facts["threads"]
    cores, quota = processor["cores"], processor["quota_cores"]
    if quota is not None and quota < 0.75 * cores:
        take = max(1, round(quota))
        yield Problem(
            f"{cores} cores are to be seen, but this container may take the time of {quota:g}: as many "
            "threads as cores slow each other down",
            f"run 'taskset -c 0-{take - 1} batchnav ...', or start the container with --cpuset-cpus instead "
            "of --cpus",
        )
    if threads.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        yield Problem(
            "NUMBA_DISABLE_JIT is set: kernels run as plain Python, hundreds of times slower",
            "unset NUMBA_DISABLE_JIT",
        )
    for name in ("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PROC_BIND"):
        if threads.get(name, "").lower() not in ("", "false", "none", "disabled"):
            yield Problem(
                f"{name}={threads[name]} binds threads to cores; those of this library may all end on one",
                f"unset {name}",
                "hint",
            )
    count = threads.get("OMP_NUM_THREADS", "")
    if count.isdigit() and int(count) < cores and not facts["cuda"]["available"]:
        yield Problem(
            f"OMP_NUM_THREADS={count}: other learners use {count} of {cores} cores (batchnav train has "
            "threads of its own)",
            "unset OMP_NUM_THREADS",
            "hint",
        )


def memory_problems(facts: Facts) -> Iterator[Problem]:
    """Little memory."""
    processor = facts["processor"]
    found = {"available": processor["available_gib"], "the container's limit": processor["memory_limit_gib"]}
    for what, gib in found.items():
        if gib is not None and gib < LITTLE_MEMORY_GIB:
            yield Problem(
                f"{gib:.1f} GiB of memory ({what}) are little; training with 128 environments takes about 2",
                "close other programs or raise the limit; else fewer --num-envs, and "
                "--env num_resident_scenes=4",
            )
            return


def disk_problems(facts: Facts) -> Iterator[Problem]:
    """Folders that cannot be written, or are full."""
    cache, kernels = facts["storage"]["cache"], facts["storage"]["kernels"]
    if "error" in cache:
        yield Problem(cache["error"], "unset the variable, or give it another value", "error")
    elif not cache.get("off") and not cache["writable"]:
        yield Problem(
            f"the cache of scenes, {cache['folder']}, cannot be written: every start prepares scenes anew",
            "export BATCHNAV_CACHE=/a/folder/of/yours",
        )
    elif not cache.get("off") and cache["free_gib"] < LITTLE_DISK_GIB:
        yield Problem(
            f"only {cache['free_gib']:.1f} GiB are free where the cache of scenes lies, {cache['folder']}",
            "export BATCHNAV_CACHE to a folder elsewhere, or 'batchnav scenes cache --down-to 0.5'",
        )
    if not kernels["writable"]:
        yield Problem(
            f"compiled kernels cannot be kept: {kernels['folder']} cannot be written",
            "export NUMBA_CACHE_DIR=/a/folder/of/yours",
            "error",
        )
    here = facts["storage"]["here"]
    if not here["writable"]:
        yield Problem(
            f"runs cannot be written into the current folder, {here['folder']}",
            "change to another folder, or give --run-dir",
            "hint",
        )


def variable_problems(facts: Facts) -> Iterator[Problem]:
    """Variables that others have set."""
    platform = facts["environment"].get("PYOPENGL_PLATFORM", "")
    if platform not in _HARMLESS_PLATFORMS:
        yield Problem(
            f"PYOPENGL_PLATFORM={platform} is set, perhaps by another library: PyOpenGL may fail to load",
            "unset PYOPENGL_PLATFORM, or set it to egl",
            "hint" if facts["self_test"].get("gl", {}).get("ok") else "warning",
        )
    for entry in facts["library_path"]:
        if entry["holds"]:
            yield Problem(
                f"LD_LIBRARY_PATH puts {', '.join(entry['holds'])} of {entry['folder']} before the system's",
                f"take {entry['folder']} out of LD_LIBRARY_PATH, if what draws is not what you expect",
                "hint",
            )


def window_problems(facts: Facts) -> Iterator[Problem]:
    """A display without windows: only ``play`` and render_mode="human" need one."""
    window, environment = facts["window"], facts["environment"]
    has_display = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    if has_display and not window["ok"] and facts["versions"].get("glfw") != "missing":
        yield Problem(
            f"there is a display, but {window['error']}",
            "install the driver's OpenGL, or connect with X forwarding (ssh -Y); --record needs no window",
            "hint",
        )
