"""Draws on CPUs with Embree; nothing here is imported before the backend is made."""
