"""The order of unordered containers: what TensorFlow 1.15's ProcessInputV4 gave for nodes."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

from dataflow.kernels.tensor_forest.hash_order import HashOrder

_DIGESTS = {
    3: 4277180767,
    6: 3098749112,
    9: 2279579846,
    16: 3545045188,
    17: 2927868376,
    30: 2892560474,
    36: 3631514285,
    37: 3217439700,
    40: 1841545473,
    78: 2943967036,
    79: 2605934917,
    100: 393600992,
    166: 3732674767,
    167: 95911296,
    168: 4242461886,
    300: 1475784529,
    336: 2309043837,
    337: 3208224324,
    400: 564159326,
    708: 448309273,
    709: 3865506911,
    1000: 2171932228,
    1492: 4100362202,
    1493: 2117177881,
    2000: 773852539,
    3000: 4231702065,
}
"""How many of 3,000 nodes were finished, drawn one after the other -> CRC of their order."""


def test_orders_are_tensorflows() -> None:
    drawn = np.random.RandomState(1)
    found = {}
    for count in _DIGESTS:
        nodes = drawn.permutation(3000)[:count].tolist()
        found[count] = zlib.crc32(json.dumps(list(HashOrder(nodes))).encode())
    assert found == _DIGESTS


@pytest.mark.parametrize("gone", [4, 1, 9])
def test_what_is_taken_out_leaves_no_trace(gone: int) -> None:
    order = HashOrder([4, 1, 11, 4, 8])
    order.discard(gone)
    order.discard(77)
    left = [number for number in HashOrder([4, 1, 11, 8]) if number != gone]
    assert list(order) == left and len(order) == len(left)
    order.add(gone)
    assert sorted(order) == sorted({4, 1, 11, 8, gone})
