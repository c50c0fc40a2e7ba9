"""Walkable ground: navigation meshes, motion with sliding, geodesic distance.

Importing this package loads numba; ``import gym_batchnav`` does not.
"""

from gym_batchnav.nav.crowd import Crowd
from gym_batchnav.nav.navmesh import NavMesh
from gym_batchnav.nav.scene_ground import SceneLike, navmesh_for

__all__ = ["Crowd", "NavMesh", "SceneLike", "navmesh_for"]
