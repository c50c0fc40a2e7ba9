#!/usr/bin/env python3
"""Set everything up in a fresh clone and run one of the two main jobs.

    python3 bootstrap.py train [arguments of "batchnav train"]
    python3 bootstrap.py test [--quick]

Uses only the standard library, so any Python can start it. It makes (or takes) the virtual environment
``.venv`` beside this file, installs the package there with the versions of ``constraints.txt``, checks for
the system libraries that headless rendering needs, and runs the job. Safe to interrupt and to run again; the
second run installs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / ".bootstrap.json"
MINIMUM = (3, 11)
GL_PACKAGES = ["libegl1", "libegl-mesa0", "libgl1", "libopengl0", "libgles2", "libgl1-mesa-dri"]
PARALLEL = ["-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"]
USAGE = "usage: python3 bootstrap.py train [arguments of batchnav train] | test [--quick]"

# Runs in a process of its own: a broken driver may abort instead of answering.
EGL_PROBE = """
import ctypes, sys
egl = ctypes.CDLL("libEGL.so.1")
for name in ("libOpenGL.so.0", "libGL.so.1"):
    try:
        ctypes.CDLL(name)
        break
    except OSError as error:
        missing = error
else:
    sys.exit(str(missing))
egl.eglGetProcAddress.restype = ctypes.c_void_p
egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
def function(name, result, *arguments):
    address = egl.eglGetProcAddress(name)
    return ctypes.CFUNCTYPE(result, *arguments)(address) if address else None
pointer = ctypes.c_void_p
display_of = function(b"eglGetPlatformDisplayEXT", pointer, ctypes.c_uint, pointer, pointer)
devices_of = function(b"eglQueryDevicesEXT", ctypes.c_uint, ctypes.c_int, pointer, pointer)
egl.eglInitialize.argtypes = [pointer, pointer, pointer]
candidates = [(0x31DD, None)]
if devices_of:
    count, devices = ctypes.c_int(), (pointer * 32)()
    if devices_of(32, devices, ctypes.byref(count)):
        candidates += [(0x313F, devices[i]) for i in range(count.value)]
for platform, native in candidates if display_of else []:
    display = display_of(platform, native, None)
    if display and egl.eglInitialize(display, None, None):
        sys.exit(0)
sys.exit("libEGL is there, but no driver gives a headless display")
"""


class SetupError(Exception):
    """Something the user has to do first; the message says what in one line."""


def main(arguments: list[str]) -> int:
    """Run the job named by the first argument; returns the exit status."""
    if not arguments or arguments[0] not in ("train", "test"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    job, rest = arguments[0], arguments[1:]
    if job == "test" and any(argument != "--quick" for argument in rest):
        print(f"test takes no argument but --quick; got {' '.join(rest)}\n{USAGE}", file=sys.stderr)
        return 2
    try:
        check_python()
        ensure_graphics(needed=job == "test")
        if job == "test":
            ensure_screen()
        ensure_venv()
        ensure_packages(dev=job == "test")
    except SetupError as error:
        print(f"bootstrap: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bootstrap: interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    return run_tests(quick="--quick" in rest) if job == "test" else run_training(rest)


def check_python() -> None:
    """Go on with a newer Python where this one is too old; raises ``SetupError`` where there is none."""
    if sys.version_info >= MINIMUM:
        return
    for minor in range(14, MINIMUM[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            os.execv(newer, [newer, str(Path(__file__).resolve()), *sys.argv[1:]])
    have, need = ".".join(map(str, sys.version_info[:3])), ".".join(map(str, MINIMUM))
    raise SetupError(
        f"Python {need} or newer is needed, this is {have} ({sys.executable}); install it and run: "
        f"python{need} bootstrap.py {' '.join(sys.argv[1:])}"
    )


def ensure_graphics(needed: bool) -> None:
    """Install EGL, GL and a driver where they are missing and that is allowed; else say what to install.

    The tests need them; training does not on a machine without a GPU, as Embree draws there.
    """
    if not sys.platform.startswith("linux"):
        say(f"headless rendering is tested on Linux only; this is {sys.platform}")
        return
    problem = egl_problem()
    if problem is None:
        return
    command = "apt-get install -y --no-install-recommends " + " ".join(GL_PACKAGES)
    if may_install():
        say(f"no headless OpenGL ({problem}); running {command}")
        try:
            apt_install(GL_PACKAGES)
        except SetupError:
            if needed:
                raise
        problem = egl_problem()
    if problem is not None:
        nvidia = Path("/proc/driver/nvidia/version").exists()
        hint = "; in a container with an NVIDIA GPU set NVIDIA_DRIVER_CAPABILITIES=all" if nvidia else ""
        message = f"no headless OpenGL ({problem}); install it: sudo {command}{hint}"
        if needed:
            raise SetupError(message)
        say(f"{message} (going on without a GPU: Embree draws)")


def ensure_screen() -> None:
    """Install a screen without a monitor where that is allowed; without it the tests of windows skip."""
    if not sys.platform.startswith("linux") or shutil.which("Xvfb"):
        return
    command = "apt-get install -y --no-install-recommends xvfb"
    if may_install():
        say(f"no Xvfb; running {command}")
        try:
            apt_install(["xvfb"])
            return
        except SetupError as error:
            say(str(error))
    say(f"tests of windows will skip: there is no Xvfb; install it: sudo {command}")


def egl_problem() -> str | None:
    """What keeps EGL from giving a headless display; None where it works."""
    probe = subprocess.run([sys.executable, "-c", EGL_PROBE], capture_output=True, text=True, check=False)
    if probe.returncode == 0:
        return None
    lines = probe.stderr.strip().splitlines()
    return lines[-1] if lines else f"the EGL probe ended with status {probe.returncode}"


def may_install() -> bool:
    """Whether this process may install Debian packages."""
    return shutil.which("apt-get") is not None and hasattr(os, "geteuid") and os.geteuid() == 0


def apt_install(packages: list[str]) -> None:
    """Install Debian packages; raises ``SetupError`` where apt-get fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    # A package list that is too old fails to install; a failing update alone is no reason to stop.
    subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False, stdout=subprocess.DEVNULL)
    if subprocess.run(install, env=environment, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        raise SetupError(f"this command failed, run it by hand: {' '.join(install)}")


def venv_python() -> Path:
    """The interpreter inside the virtual environment."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def ensure_venv() -> None:
    """Make ``.venv``, or make it anew where it does not work (interrupted before, or its Python is gone)."""
    probe = f"import pip, sys; sys.exit(sys.version_info < {MINIMUM})"
    if venv_python().exists() and works([str(venv_python()), "-c", probe]):
        return
    require_ensurepip()
    say(f"making the virtual environment {VENV}")
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
    if made.returncode != 0:
        raise SetupError(f"could not make {VENV} (status {made.returncode}); the lines above say why")


def require_ensurepip() -> None:
    """Debian splits ensurepip from Python; install that part, or say what to install."""
    if works([sys.executable, "-c", "import ensurepip, venv"]):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if may_install():
        say(f"this Python has no ensurepip; installing {package}")
        apt_install([package])
        if works([sys.executable, "-c", "import ensurepip, venv"]):
            return
    raise SetupError(f"this Python makes no virtual environments; install it: sudo apt-get install {package}")


def works(command: list[str]) -> bool:
    """Whether a command can be run and ends with status 0."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def ensure_packages(dev: bool) -> None:
    """Install the package and what it needs, unless the stamp of an earlier run says that this is done."""
    wanted = fingerprint()
    stamp = read_stamp()
    if stamp.get("fingerprint") == wanted and (stamp.get("dev") or not dev):
        return
    # The stamp goes first and comes back last, so that an interrupted run is never taken for a finished one.
    STAMP.unlink(missing_ok=True)
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    command += ["-c", "constraints.txt", "-e", ".[dev]" if dev else "."]
    say(f"installing the packages of constraints.txt into {VENV}; the first time takes some minutes")
    started = time.monotonic()
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        raise SetupError("pip failed; the lines above say why (no network? a proxy? a full disk?)")
    STAMP.write_text(json.dumps({"fingerprint": wanted, "dev": dev}), encoding="utf-8")
    say(f"installed in {time.monotonic() - started:.0f} s")


def fingerprint() -> str:
    """A hash of all that decides what is installed: the two files, the place and the Python of ``.venv``."""
    version = subprocess.run([str(venv_python()), "-VV"], capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256(f"{version}\0{ROOT}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update(b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()


def read_stamp() -> dict[str, object]:
    """What the last finished installation wrote; empty where there is none."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def run_training(arguments: list[str]) -> int:
    """Train, evaluate and write the report, with the quick preset unless another one or a plan is given."""
    command = [str(venv_python().parent / "batchnav"), "train"]
    if not any(argument.split("=")[0] in ("--preset", "--config") for argument in arguments):
        command += ["--preset", "quick"]
    command += arguments
    if os.name != "nt":
        os.execv(command[0], command)
    return call(command, cwd=None)


def run_tests(quick: bool) -> int:
    """Run every check, all of them even after a failure; the slow tests are left out by ``quick``."""
    python = str(venv_python())
    scripts = venv_python().parent
    checks = {
        "ruff check": [str(scripts / "ruff"), "check", "."],
        "ruff format": [str(scripts / "ruff"), "format", "--check", "."],
        "mypy": [str(scripts / "mypy")],
        "import contracts": [str(scripts / "lint-imports")],
        "docs": [python, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", "build/docs"],
        "pytest": [python, "-m", "pytest", *PARALLEL, *([] if quick else ["-m", "slow or not slow"])],
    }
    failed = []
    for name, command in checks.items():
        say(f"{name}: {' '.join([Path(command[0]).name, *command[1:]])}")
        started = time.monotonic()
        if call(command, cwd=ROOT) != 0:
            failed.append(name)
        say(f"{name}: {'FAILED' if name in failed else 'passed'} in {time.monotonic() - started:.0f} s")
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def call(command: list[str], cwd: Path | None) -> int:
    """Run a command; a Ctrl-C reaches it by itself, and it is waited for."""
    process = subprocess.Popen(command, cwd=cwd)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def say(text: str) -> None:
    """Tell the user what is going on."""
    print(f"bootstrap: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
