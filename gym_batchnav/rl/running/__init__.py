"""A run as a whole: its loop, checkpoints, logs, progress and clean end."""
