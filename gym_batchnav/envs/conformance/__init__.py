"""Whether a vector environment, ours or any other, keeps to what Gymnasium asks of one."""

from __future__ import annotations

from .check import check_vector_env

__all__ = ["check_vector_env"]
