"""Half precision in compiled code, which knows no float16 on CPUs."""

from __future__ import annotations

import numpy as np

from ._jit import Real, part

_INFINITE = np.float32(65520.0)  # from here on the nearest is infinity
_SMALLEST_NORMAL = np.float32(2.0**-14)
_STEPS = np.float32(2.0**24)


@part
def half_of(value: Real) -> np.uint16:
    """The bits of the float16 nearest to a number that is not negative, ties to even (IEEE 754 binary16).

    Args:
        value: float32, at least 0 and not NaN.

    """
    if value >= _INFINITE:
        return np.uint16(0x7C00)
    if value < _SMALLEST_NORMAL:
        steps = value * _STEPS  # subnormal numbers are whole multiples of 2^-24
        whole = np.int64(steps)
        rest = np.float64(steps) - whole
        return np.uint16(whole + (1 if rest > 0.5 or (rest == 0.5 and whole & 1) else 0))
    bits = np.int64(np.float32(value).view(np.uint32)) - (
        112 << 23
    )  # exponents are biased by 127 here, by 15 there
    return np.uint16((bits + 0xFFF + ((bits >> 13) & 1)) >> 13)
