"""Memory for what arrives: used again once nothing lies over it, and not before."""

from __future__ import annotations

import numpy as np

from dataflow.actors.transfers.lanes import bodies
from dataflow.actors.transfers.lanes.bodies import Bodies

LARGE = 2 << 20


def test_it_is_used_again_after_the_last_array() -> None:
    pool = Bodies()
    body = pool.take(LARGE)
    place = body.ctypes.data
    array = np.frombuffer(body.data[64:128], np.float32).reshape(4, 4)[1:]
    del body
    other = pool.take(LARGE)
    assert other.ctypes.data != place
    del array
    again = pool.take(LARGE - 100)
    assert again.ctypes.data == place and again.nbytes == LARGE - 100
    assert pool.take(LARGE).ctypes.data not in (place, other.ctypes.data)


def test_small_and_much_smaller_needs_leave_it_alone() -> None:
    pool = Bodies()
    pool.take(100)
    assert len(pool) == 0
    place = pool.take(4 * LARGE).ctypes.data
    assert pool.take(LARGE).ctypes.data != place
    assert len(pool) == 2


def test_what_is_kept_is_bounded() -> None:
    pool = Bodies()
    held = [pool.take(LARGE) for _ in range(20)]
    assert len(pool) == bodies._MOST
    del held
    for factor in range(2, 12):
        pool.take(LARGE * factor)
    assert len(pool) <= bodies._MOST
