"""``python -m gym_batchnav.cli``: as ``batchnav``, for launchers like torchrun that start modules."""

from __future__ import annotations

import sys

from .app import main

if __name__ == "__main__":
    sys.exit(main())
