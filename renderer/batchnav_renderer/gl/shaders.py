"""Finds, specialises and compiles the GLSL programs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from ..errors import ShaderError
from .api import GLApi

_STAGES = {".vert": "GL_VERTEX_SHADER", ".geom": "GL_GEOMETRY_SHADER", ".frag": "GL_FRAGMENT_SHADER"}
_STAGES[".comp"] = "GL_COMPUTE_SHADER"
_LINE = re.compile(r"\b\d+[:(](\d+)")
_INCLUDE = re.compile(r'#include "(\w+\.glsl)"')


@cache
def shader_folder() -> Path:
    """The folder of the GLSL files: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "shaders", package.parents[1] / "shaders"):
        if (folder / "cull.comp").is_file():
            return folder
    raise ShaderError(
        f"the shaders are missing: neither {package / 'shaders'} nor the checkout holds cull.comp"
    )


def specialise(source: str, defines: Mapping[str, str]) -> str:
    """Insert ``#define`` lines after the ``#version`` line without changing the line numbers of the rest."""
    version, rest = source.split("\n", 1)
    lines = "".join(f"#define {name} {value}\n" for name, value in defines.items())
    return f"{version}\n{lines}#line 2\n{rest}"


def load_source(file: str) -> str:
    """A file of the shader folder with its ``#include "x.glsl"`` lines filled in, its own lines numbered."""
    lines = (shader_folder() / file).read_text().split("\n")
    for number, line in enumerate(lines, start=1):
        if match := _INCLUDE.fullmatch(line):
            lines[number - 1] = load_source(match.group(1)).rstrip("\n") + f"\n#line {number + 1}"
    return "\n".join(lines)


def build_program(api: GLApi, files: Sequence[str], defines: Mapping[str, str]) -> int:
    """Compile and link files of the shader folder; raises ``ShaderError`` with file, line and log."""
    program = int(api.glCreateProgram())
    for file in files:
        shader = _compile(api, file, specialise(load_source(file), defines))
        api.glAttachShader(program, shader)
        api.glDeleteShader(shader)
    api.glLinkProgram(program)
    status = ctypes.c_int()
    api.glGetProgramiv(program, api.GL_LINK_STATUS, ctypes.byref(status))
    if not status.value:
        log = _log(api.glGetProgramInfoLog, program)
        raise ShaderError(f"linking {', '.join(files)} failed with {dict(defines)}: {log}", log=log)
    return program


def _compile(api: GLApi, file: str, source: str) -> int:
    shader = int(api.glCreateShader(getattr(api, _STAGES[Path(file).suffix])))
    text = ctypes.c_char_p(source.encode())
    api.glShaderSource(shader, 1, ctypes.byref(text), None)
    api.glCompileShader(shader)
    status = ctypes.c_int()
    api.glGetShaderiv(shader, api.GL_COMPILE_STATUS, ctypes.byref(status))
    if not status.value:
        log = _log(api.glGetShaderInfoLog, shader)
        match = _LINE.search(log)
        line = int(match.group(1)) if match else None
        raise ShaderError(f"{shader_folder() / file}:{line or '?'}: {log}", file=file, line=line, log=log)
    return shader


def _log(query: object, name: int) -> str:
    text = ctypes.create_string_buffer(8192)
    query(name, len(text), None, text)  # type: ignore[operator]
    return text.value.decode(errors="replace").strip()
