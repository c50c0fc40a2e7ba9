"""A shader that does not compile names its file and line."""

from __future__ import annotations

import pytest

from batchnav_renderer import ShaderError
from batchnav_renderer.gl import shaders


def test_compile_error(make_renderer, tmp_path, monkeypatch):
    worker = make_renderer()._backend._workers[0]
    (tmp_path / "broken.comp").write_text("#version 450 core\nvoid main() {\n    nonsense;\n}\n")
    monkeypatch.setattr(shaders, "shader_folder", lambda: tmp_path)
    with pytest.raises(ShaderError) as caught:
        worker.run(shaders.build_program, worker.api, ("broken.comp",), {"A": "1"})
    assert caught.value.file == "broken.comp"
    assert caught.value.line == 3
    assert "nonsense" in caught.value.log
    assert "broken.comp:3" in str(caught.value)
