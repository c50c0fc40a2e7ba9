"""Stepping vector environments and storing what they gave."""
