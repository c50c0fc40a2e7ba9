"""Walkable ground: navigation meshes, motion with sliding, geodesic distance.

Importing this package loads numba; ``import gym_batchnav`` does not.
"""

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake import bake_key
from gym_batchnav.nav.crowd import Crowd
from gym_batchnav.nav.navmesh import NavMesh
from gym_batchnav.nav.scene_ground import SceneLike, bake_navmesh, navmesh_for

__all__ = ["AgentSettings", "Crowd", "NavMesh", "SceneLike", "bake_key", "bake_navmesh", "navmesh_for"]
