"""Adapters to other libraries; empty so far."""
