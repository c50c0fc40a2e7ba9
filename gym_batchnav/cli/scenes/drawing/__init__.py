"""Pictures of scenes: chosen views at eye level, storeys from above, pages of both."""

from __future__ import annotations
