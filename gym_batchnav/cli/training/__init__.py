"""``batchnav train``: from presets, plan files and flags to a run and its folder."""
