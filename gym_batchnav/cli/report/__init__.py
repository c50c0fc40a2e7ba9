"""The report: one HTML page that opens offline, made from the records of a run."""

from __future__ import annotations

from .page import write_report
from .records import AgentResult, EpisodeRecord, Frame, ReportData, SceneMap

__all__ = ["AgentResult", "EpisodeRecord", "Frame", "ReportData", "SceneMap", "write_report"]
