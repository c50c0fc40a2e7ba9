"""Recipes: what stands where in each kind of room."""
