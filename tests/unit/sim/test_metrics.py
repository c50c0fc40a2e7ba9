import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_batchnav.sim.metrics import path_efficiency, soft_spl, spl


def test_spl_by_hand():
    success = np.array([True, True, False, True, True])
    shortest = np.array([5.0, 5.0, 5.0, 0.0, 5.0])
    walked = np.array([8.0, 5.0, 5.0, 3.0, 4.9])
    # 5/8; 5/5; no success; l = 0 counts S itself; a way shorter than l (stop within 0.2 m) counts 1.
    assert spl(success, shortest, walked) == pytest.approx([0.625, 1.0, 0.0, 1.0, 1.0])


def test_soft_spl_by_hand():
    distance = np.array([1.0, 6.0, 0.0, 0.0, 2.0])
    shortest = np.array([4.0, 4.0, 4.0, 0.0, 0.0])
    walked = np.array([6.0, 2.0, 5.0, 0.0, 2.0])
    # (1 - 1/4) * 4/6 = 0.5; farther than at the start: 0; 1 * 4/5; on the goal of an empty way: 1; off it: 0.
    assert soft_spl(distance, shortest, walked) == pytest.approx([0.5, 0.0, 0.8, 1.0, 0.0])


length = st.floats(0, 1e4, allow_nan=False)


@given(st.booleans(), length, length, length)
def test_laws(success, distance, shortest, walked):
    args = [np.array([value]) for value in (shortest, walked)]
    hard, soft = spl(np.array([success]), *args)[0], soft_spl(np.array([distance]), *args)[0]
    assert 0.0 <= hard <= 1.0
    assert 0.0 <= soft <= 1.0
    assert hard <= path_efficiency(*args)[0]
    assert success or hard == 0.0
