"""What a short benchmark is compared with: medians of docs/benchmarks, rounded."""

from __future__ import annotations

STORED_CORES = 2
STORED_ON = "2 cores of an AMD EPYC"
STORED = {"embree": 7500.0, "gl in software": 1000.0, "step": 9800.0}
"""Images/s and steps/s with 256 views of 64 x 64 in built-in houses; no GPU has been measured yet."""
