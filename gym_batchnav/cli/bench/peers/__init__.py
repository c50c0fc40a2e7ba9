"""What others draw and step with, to be measured beside this library.

Everything here also runs in the interpreters that the peers are installed in: it needs Python 3.10 and NumPy,
imports nothing of gym_batchnav, and a peer's own library only when it is set up.
"""

from __future__ import annotations

from . import (
    act_threads,
    embreex,
    gymnasium_async,
    gymnasium_sync,
    miniworld,
    mujoco,
    overlap,
    pyrender,
    sb3,
    sb3_recurrent,
    vizdoom,
)
from .peer import Peer

PEERS: dict[str, Peer] = {
    module.PEER.name: module.PEER
    for module in (
        embreex,
        mujoco,
        pyrender,
        miniworld,
        vizdoom,
        gymnasium_sync,
        gymnasium_async,
        overlap,
        act_threads,
        sb3,
        sb3_recurrent,
    )
}
"""All peers by name."""
