"""What Windows and macOS lack is asked for before it is used; there, importing and walking work as well."""

from __future__ import annotations

import ast
import ctypes
import io
import mmap
import os
import select
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer.gl import egl
from gym_batchnav import BatchPointNavEnv
from gym_batchnav.cli import app
from gym_batchnav.cli.machine import machine_facts
from gym_batchnav.envs import worker
from gym_batchnav.scenes.cache import SceneCache
from gym_batchnav.scenes.packing import PackingError, read_value, write_value

ROOT = Path(__file__).resolve().parents[2]
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
NOT_ON_WINDOWS = {
    "os": {
        "chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getpriority",
        "getuid", "killpg", "mkfifo", "nice", "openpty", "pread", "pwrite", "register_at_fork",
        "sched_getaffinity", "sched_setaffinity", "setpgid", "setpriority", "setsid", "statvfs", "sync",
        "sysconf", "uname", "wait",
    },
    "select": {"epoll", "kqueue", "poll"},
    "signal": {"SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "alarm", "pthread_sigmask"},
}  # fmt: skip
"""By the documentation of Python's library; macOS lacks only the affinities of these (and epoll)."""
NOT_ON_MACOS = {"os": {"sched_getaffinity", "sched_setaffinity"}, "select": {"epoll"}, "signal": set()}


def sources() -> list[Path]:
    folders = (ROOT / "gym_batchnav", ROOT / "renderer" / "batchnav_renderer")
    found = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(found) > 200
    return found


def unguarded(source: str) -> list[str]:
    """Uses of what Windows lacks in functions that neither ask for it by ``hasattr`` nor for the platform."""
    found = []
    tree = ast.parse(source)
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        module, name = node.value.id, node.attr
        if name not in NOT_ON_WINDOWS.get(module, ()):
            continue
        around = [s for s in scopes if s.lineno <= node.lineno <= (s.end_lineno or s.lineno)]
        texts = [ast.unparse(scope) for scope in around]
        guards = (f"hasattr({module}, '", "sys.platform", "os.name")
        if not any(guard in text for text in texts for guard in guards):
            found.append(f"{module}.{name} in line {node.lineno}")
    return found


def test_unguarded_uses_are_found():
    assert unguarded("import os\ndef f():\n    return os.nice(1)") == ["os.nice in line 3"]
    assert unguarded("import os\nos.getuid()") == ["os.getuid in line 2"]
    assert unguarded("import os\ndef f():\n    return os.nice(1) if hasattr(os, 'nice') else 0") == []
    assert unguarded("import os\ndef f():\n    return os.getpid()") == []


def test_nothing_is_used_that_windows_lacks():
    found = {path.name: uses for path in sources() if (uses := unguarded(path.read_text(encoding="utf-8")))}
    assert found == {}


def test_modules_of_posix_are_imported_where_they_are_needed():
    for path in sources():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert POSIX_MODULES.isdisjoint(names), f"{path} imports {names} for good"


@pytest.fixture(params=["win32", "darwin"])
def elsewhere(request, monkeypatch):
    """This system, without what another one lacks, and without EGL."""
    lacking = {"win32": NOT_ON_WINDOWS, "darwin": NOT_ON_MACOS}[request.param]
    for module in (os, select, signal):
        for name in lacking[module.__name__]:
            monkeypatch.delattr(module, name, raising=False)
    for name in POSIX_MODULES if request.param == "win32" else ():
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(sys, "platform", request.param)
    load = ctypes.CDLL

    def without_egl(name, *arguments, **options):
        if name is not None and "EGL" in str(name):
            raise OSError(f"{name}: not on this system")
        return load(name, *arguments, **options)

    monkeypatch.setattr(egl.ctypes, "CDLL", without_egl)
    return request.param


def test_agents_walk_there(elsewhere):
    with BatchPointNavEnv(2, scenes="houses:val/0", resolution=(8, 8), scene_workers=0) as envs:
        observations, _ = envs.reset(seed=0)
        for _ in range(3):
            observations, *_ = envs.step(np.ones(2, np.int64))
        assert envs.render_info["backend"] == "embree"
        assert "no EGL library" in envs.render_info["reason"]
        assert 0.0 < observations["depth"].mean() < 1.0


def test_machine_is_described_there(elsewhere):
    facts = machine_facts()
    assert facts["cores"] >= 1
    assert (facts["memory_gib"] is None) == (elsewhere == "win32")
    assert (facts["load_average"] is None) == (elsewhere == "win32")


def test_command_line_starts_there(elsewhere, capsys):
    assert app.main([]) == 0
    assert "batchnav" in capsys.readouterr().out


def test_cache_of_scenes_is_used_there(elsewhere, tmp_path):
    cache = SceneCache(tmp_path / "cache", 1 << 20)
    cache.put("key", np.arange(3))
    assert cache.get("key").tolist() == [0, 1, 2]


def test_files_of_workers_are_not_mapped_on_windows(elsewhere, monkeypatch):
    path = worker.pack({"a": np.arange(5000), "b": "text"})
    maps = []
    real = mmap.mmap
    monkeypatch.setattr(mmap, "mmap", lambda *a, **o: maps.append(a) or real(*a, **o))
    value = worker.unpack(path)
    # Windows deletes no file that is mapped.
    assert len(maps) == (0 if elsewhere == "win32" else 1)
    assert not Path(path).exists()
    value["a"] += 1
    assert value["a"].sum() == 5000 * 4999 // 2 + 5000
    assert value["b"] == "text"


def test_a_file_that_is_read_is_checked_as_one_that_is_mapped(tmp_path):
    content = io.BytesIO()
    write_value(content, np.arange(100), checked=True)
    path = tmp_path / "value"
    path.write_bytes(content.getvalue()[:-1])
    with path.open("rb") as file, pytest.raises(PackingError, match="its header is broken"):
        read_value(file, mapped=False)
