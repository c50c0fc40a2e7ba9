"""Habitat's scene data sets: what a ``.scene_dataset_config.json`` describes."""

from __future__ import annotations

from .dataset import CONFIG_SUFFIX, SceneDataSet, load_data_set_scene

__all__ = ["CONFIG_SUFFIX", "SceneDataSet", "load_data_set_scene"]
