"""The report: one HTML page that opens offline, made from the records of a run."""

from __future__ import annotations

from ...envs.maps import SceneMap
from .page import write_report
from .records import AgentResult, Difference, EpisodeTrace, Frame, ReportData, Stratum

__all__ = [
    "AgentResult",
    "Difference",
    "EpisodeTrace",
    "Frame",
    "ReportData",
    "SceneMap",
    "Stratum",
    "write_report",
]
