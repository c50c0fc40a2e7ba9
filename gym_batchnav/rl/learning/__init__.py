"""The update: advantages, losses, optimisers, schedules."""
