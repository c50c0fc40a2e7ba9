"""Cores that this process may use."""

from __future__ import annotations

import os

import pytest

from gym_batchnav.cores import usable_cores


def test_cores_are_those_of_the_process_and_not_of_the_machine(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 9}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert usable_cores() == 3


@pytest.mark.parametrize(("count", "cores"), [(7, 7), (None, 1)])
def test_systems_that_cannot_tell_give_all_cores(monkeypatch, count, cores):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert usable_cores() == cores
