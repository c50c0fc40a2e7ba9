"""Shader files and their errors."""

from __future__ import annotations

from batchnav_renderer import RendererError, ShaderError
from batchnav_renderer.gl.shaders import shader_folder, specialise


def test_every_shader_is_found():
    names = {path.name for path in shader_folder().iterdir()}
    assert {"cull.comp", "mesh.vert", "mesh.frag", "layer.geom"} <= names


def test_defines_keep_line_numbers():
    source = specialise("#version 450 core\nsecond line\n", {"A": "1", "B": "2"})
    assert source == "#version 450 core\n#define A 1\n#define B 2\n#line 2\nsecond line\n"


def test_shader_errors_carry_file_line_and_log():
    error = ShaderError("a.vert:3: wrong", file="a.vert", line=3, log="wrong")
    assert isinstance(error, RendererError)
    assert (error.file, error.line, error.log) == ("a.vert", 3, "wrong")
