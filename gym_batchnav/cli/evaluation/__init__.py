"""``batchnav eval`` and ``export``: agents on the same episodes, and what comes of it."""
