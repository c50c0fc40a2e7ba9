"""Pictures of environments for people: what the agent sees, where it is, and how it fares."""

from __future__ import annotations

from .panel import Moment, Outcome, draw_panel, panel_size

__all__ = ["Moment", "Outcome", "draw_panel", "panel_size"]
