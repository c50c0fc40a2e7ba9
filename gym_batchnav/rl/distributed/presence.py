"""Which ranks are there: heartbeats, arrivals and last words, kept in a store that all can reach."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Sequence
from datetime import timedelta

import torch.distributed as dist
from torch.distributed import PrefixStore, Store, TCPStore  # type: ignore[attr-defined]

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.distributed.launch import Launch

_BEAT_S = 0.5
_LOOK_S = 1.0
"""Seconds between two looks at those who are late."""


class Presence:
    """The signs that a rank gives to the others.

    A thread of each rank counts up its heartbeat. At points that all ranks pass, each says that it is there
    and waits for the rest; who has to wait too long finds out who is late and whether those are alive.

    Args:
        launch: of this process.
        timeout_s: longest wait for ranks that are alive.
        heartbeat_s: longest silence of a rank that is waited for.

    Raises:
        DistributedError: the store cannot be reached.
    """

    def __init__(self, launch: Launch, timeout_s: float, heartbeat_s: float) -> None:
        self.launch, self.timeout_s, self.heartbeat_s = launch, timeout_s, heartbeat_s
        self.store = self._connect(hosts=launch.hosts_store)
        self._arrivals, self._point = 0, "the start"
        self._stop = threading.Event()
        # A connection of its own: the other one is busy while this rank waits.
        self._thread = threading.Thread(
            target=self._beat, args=(self._connect(hosts=False),), name="batchnav-heartbeat", daemon=True
        )
        self._thread.start()

    def _connect(self, *, hosts: bool) -> Store:
        launch = self.launch
        try:
            store = TCPStore(
                launch.host,
                launch.port,
                is_master=hosts,
                wait_for_workers=False,
                timeout=timedelta(seconds=self.timeout_s),
            )
        except RuntimeError as error:
            what, place = "open" if hosts else "reach", f"{launch.host}:{launch.port}"
            raise DistributedError(
                f"rank {launch.rank} cannot {what} the ranks' store at {place} ({error}); look whether rank "
                "0 runs there and the port is free and not blocked (MASTER_ADDR, MASTER_PORT)"
            ) from error
        return PrefixStore(f"batchnav/{launch.attempt}", store)

    def _beat(self, store: Store) -> None:
        key = f"beat/{self.launch.rank}"
        while not self._stop.is_set():
            try:
                store.add(key, 1)
            except RuntimeError:
                # The store is gone, with rank 0 or with torchrun; the main thread says so when it needs it.
                return
            self._stop.wait(_BEAT_S)

    def arrive(self, point: str, *, patient: bool = False) -> None:
        """Says that this rank is at ``point`` and waits until all are there.

        Args:
            point: its name, for errors.
            patient: waits for ranks that are alive as long as it takes.

        Raises:
            DistributedError: a rank has failed, is dead or does not come in time; the message names it.
        """
        self._arrivals, self._point = self._arrivals + 1, point
        number, size = self._arrivals, self.launch.size
        try:
            self.store.set(f"at/{self.launch.rank}", f"{number} {point}")
            if self.store.add(f"count/{number}", 1) == size:
                self.store.set(f"all/{number}", "1")
            if self.launch.is_main and number > 2:
                # Whoever is here has left the point before the last one.
                self.store.delete_key(f"count/{number - 2}")
                self.store.delete_key(f"all/{number - 2}")
            self._wait(number, math.inf if patient else self.timeout_s)
        except dist.DistError as error:
            raise self._store_is_gone(error) from error

    def waiting(self) -> int:
        """How many ranks already wait at the point that this one comes to next."""
        try:
            return int(self.store.add(f"count/{self._arrivals + 1}", 0))
        except dist.DistError as error:
            raise self._store_is_gone(error) from error

    def _wait(self, number: int, limit_s: float) -> None:
        began = time.monotonic()
        pulse = _Pulse(self)
        while not self._is_there(f"all/{number}", min(_LOOK_S, self.timeout_s / 4)):
            self.raise_failure()
            late = [rank for rank in range(self.launch.size) if self._position(rank)[0] < number]
            if not late:
                # The last one came, and died before it could say that it was the last.
                return
            waited = time.monotonic() - began
            dead = pulse.silent(late, self.heartbeat_s)
            if dead:
                self.raise_failure()
                raise DistributedError(self._dead(dead), dead)
            if waited >= limit_s:
                raise DistributedError(self._late(late, waited), late)

    def _is_there(self, key: str, seconds: float) -> bool:
        """Looks for a key for some time, the less often the longer it takes."""
        began = time.monotonic()
        # Not ``store.wait``: it writes a warning whenever its time is over.
        while not self.store.check([key]):
            waited = time.monotonic() - began
            if waited >= seconds:
                return False
            time.sleep(min(max(waited / 20, 0.0005), 0.02))
        return True

    def _position(self, rank: int) -> tuple[int, str]:
        """How many points a rank has come to, and the last one's name."""
        if not self.store.check([f"at/{rank}"]):
            return 0, "nowhere yet"
        number, _, point = self.store.get(f"at/{rank}").decode().partition(" ")
        return int(number), point

    def fail(self, error: BaseException) -> None:
        """Leaves last words for the others; the first to do so is believed.

        A rank that found out about a dead one speaks for it: else the next would miss both.
        """
        ranks = list(error.ranks) if isinstance(error, DistributedError) else []
        text = str(error) if ranks else f"{type(error).__name__}: {error}"
        words = {"rank": self.launch.rank, "ranks": ranks or [self.launch.rank], "text": text}
        try:
            self.store.compare_set("failed", "", json.dumps(words))
        except RuntimeError:
            # The store died with whoever held it; the others find that out by themselves.
            return

    def raise_failure(self) -> None:
        """Raises ``DistributedError`` where another rank has left last words."""
        if not self.store.check(["failed"]):
            return
        words = json.loads(self.store.get("failed"))
        rank, ranks, text = words["rank"], words["ranks"], words["text"]
        if ranks == [rank]:
            text = f"rank {rank} failed, so rank {self.launch.rank} ends too; rank {rank} said: {text}"
        else:
            text = f"{text} (found by rank {rank})"
        raise DistributedError(text, ranks)

    def explain(self, error: Exception) -> DistributedError:
        """Finds out whose fault it is that a collective failed; takes ``heartbeat_s`` at most."""
        others = [rank for rank in range(self.launch.size) if rank != self.launch.rank]
        pulse, began = _Pulse(self), time.monotonic()
        patience = min(self.heartbeat_s, 8 * _BEAT_S)
        try:
            while time.monotonic() - began < patience:
                self.raise_failure()
                pulse.silent(others, patience)
                time.sleep(_BEAT_S / 2)
            dead = pulse.silent(others, patience - _BEAT_S)
            # Silent too is who has found out before: but not without having said so.
            self.raise_failure()
        except DistributedError as known:
            return known
        except dist.DistError as gone:
            return self._store_is_gone(gone)
        if dead:
            return DistributedError(self._dead(dead), dead)
        return DistributedError(
            f"rank {self.launch.rank} could not talk to the others after {self._point} ({error}), though all "
            "are alive; look at the network between the machines (GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME) "
            "and at distributed.timeout_s"
        )

    def _dead(self, ranks: Sequence[int]) -> str:
        places = ", ".join(f"rank {rank} was at {self._position(rank)[1]}" for rank in ranks)
        return (
            f"{_names(ranks)} of {self.launch.size} gave no sign of life for some seconds ({places}), so "
            f"rank {self.launch.rank} ends too; look at the log of {_names(ranks)}, and at memory"
        )

    def _late(self, ranks: Sequence[int], waited: float) -> str:
        places = ", ".join(f"rank {rank} is at {self._position(rank)[1]}" for rank in ranks)
        return (
            f"{_names(ranks)} of {self.launch.size} did not come to {self._point} within {waited:.0f} s, "
            f"though alive ({places}); look what holds it up, or raise distributed.timeout_s"
        )

    def _store_is_gone(self, error: Exception) -> DistributedError:
        launch = self.launch
        return DistributedError(
            f"rank {launch.rank} lost the ranks' store at {launch.host}:{launch.port} ({error}); the process "
            "that held it, rank 0 or torchrun, has ended: look at its log"
        )

    def close(self) -> None:
        """Ends the heartbeat."""
        self._stop.set()
        self._thread.join(timeout=5 * _BEAT_S)


class _Pulse:
    """Heartbeats as this rank sees them; clocks of other machines do not matter."""

    def __init__(self, presence: Presence) -> None:
        self.presence = presence
        self._seen: dict[int, tuple[int, float]] = {}

    def silent(self, ranks: Sequence[int], limit_s: float) -> list[int]:
        """Those of ``ranks`` whose heart has not beaten for ``limit_s`` while they were looked at."""
        now, silent = time.monotonic(), []
        for rank in ranks:
            beats = self.presence.store.add(f"beat/{rank}", 0)
            before, since = self._seen.get(rank, (-1, now))
            if beats != before:
                since = now
            self._seen[rank] = (beats, since)
            if now - since >= limit_s:
                silent.append(rank)
        return silent


def _names(ranks: Sequence[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
