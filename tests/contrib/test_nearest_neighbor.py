"""tf.contrib.nearest_neighbor, beside what TensorFlow 1.15 gives and beside all sets of planes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import dataflow as tf

_CONTRIB: Any = tf.contrib
_PRODUCTS = np.array(
    [
        [0.761038, 0.121675, 0.443863, 0.333674, 1.494079, -0.205158],
        [0.313068, -0.854096, -2.55299, 0.653619, 0.864436, -0.742165],
        [2.269755, -1.454366, 0.045759, -0.187184, 1.532779, 1.469359],
    ],
    np.float32,
)


def _probes(*arguments: Any) -> Any:
    with tf.Graph().as_default() as graph:
        asked = _CONTRIB.nearest_neighbor.hyperplane_lsh_probes(*arguments)
        with tf.Session(graph=graph) as session:
            return session.run(asked)


@pytest.mark.parametrize(
    ("arguments", "probes", "tables"),
    [
        ((2, 3, 1), [[7], [4], [5]], [[0], [0], [0]]),
        ((2, 3, 2), [[7, 6], [4, 6], [5, 3]], [[0, 1]] * 3),
        (
            (2, 3, 7),
            [[7, 6, 5, 7, 2, 3, 6], [4, 6, 0, 2, 7, 6, 4], [5, 3, 4, 7, 7, 6, 2]],
            [[0, 1, 0, 1, 1, 1, 0], [0, 1, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 0, 1]],
        ),
        (
            (3, 2, 5),
            [[3, 3, 2, 2, 3], [2, 1, 2, 0, 0], [2, 2, 3, 0, 3]],
            [[0, 1, 2, 0, 2], [0, 1, 2, 0, 1], [0, 1, 2, 1, 1]],
        ),
        (
            (1, 6, 9),
            [
                [62, 46, 63, 47, 58, 42, 59, 43, 54],
                [38, 6, 34, 2, 39, 7, 54, 36, 22],
                [43, 35, 47, 39, 59, 51, 63, 55, 42],
            ],
            [[0] * 9] * 3,
        ),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probes(arguments: Any, probes: Any, tables: Any, dtype: Any) -> None:
    found = _probes(_PRODUCTS.astype(dtype), *arguments)
    assert found.probes.dtype == found.table_ids.dtype == np.int32
    assert found.probes.tolist() == probes
    assert found.table_ids.tolist() == tables


def test_all_buckets_of_all_tables() -> None:
    found = _probes(_PRODUCTS[:1], 2, 3, 16)
    assert found.probes.tolist() == [[7, 6, 5, 7, 2, 3, 6, 4, 3, 1, 2, 0, 4, 5, 0, 1]]
    assert found.table_ids.tolist() == [[0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]


def test_the_nearest_sets_of_planes_come_first() -> None:
    products = np.random.default_rng(3).standard_normal((40, 3, 6))
    found = _probes(products.reshape(40, 18), 3, 6, 60)
    for point in range(40):
        far = []
        for table, chosen in itertools.product(range(3), range(1, 64)):
            bits = np.array([chosen >> (5 - plane) & 1 for plane in range(6)])
            own = int(((products[point, table] >= 0) * 2 ** np.arange(5, -1, -1)).sum())
            far.append(((products[point, table] ** 2 * bits).sum(), table, own ^ chosen))
        expected = [(table, bucket) for _, table, bucket in sorted(far)[:57]]
        pairs = zip(found.table_ids[point, 3:].tolist(), found.probes[point, 3:], strict=True)
        assert list(pairs) == expected


def test_no_points_and_the_highest_bit() -> None:
    assert _probes(np.zeros((0, 4), np.float32), 2, 2, 8).probes.shape == (0, 8)
    found = _probes(np.ones((1, 30), np.float32), 1, 30, 1)
    assert found.probes.tolist() == [[2**30 - 1]]


def test_node() -> None:
    with tf.Graph().as_default():
        products = tf.placeholder(tf.float32, [None, 6])
        found = _CONTRIB.nearest_neighbor.hyperplane_lsh_probes(products, 2, 3, 4)
        assert found._fields == ("probes", "table_ids")
        assert found.probes.shape.dims is None
        node = found.probes.op.node_def
        assert tf.gradients(found.probes, products) == [None]
    assert node.name == "HyperplaneLSHProbes"
    assert list(node.input) == [
        "Placeholder",
        "HyperplaneLSHProbes/num_tables",
        "HyperplaneLSHProbes/num_hyperplanes_per_table",
        "HyperplaneLSHProbes/num_probes",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (_PRODUCTS[0], 2, 3, 2),
            "Need a two-dimensional products tensor, got 1 dimensions.",
        ),
        ((_PRODUCTS, 0, 3, 2), "num_tables must be at least 1 but got 0."),
        ((_PRODUCTS, 2, 0, 2), "num_hyperplanes_per_table must be at least 1 but got 0."),
        (
            (_PRODUCTS, 2, 31, 2),
            "Need num_hyperplanes_per_table <= 30, got 31. If you need more hyperplanes, change "
            "this Op to work for larger integer types (int64).",
        ),
        ((_PRODUCTS, 2, 3, 0), "num_probes must be at least 1 but got 0."),
        (
            (_PRODUCTS, 3, 3, 5),
            "Expected number of hyperplanes is 9 but received 6 inner products per point.",
        ),
        ((_PRODUCTS, [2], 3, 2), "Need a scalar num_tables tensor, got 1 dimensions."),
        (
            (_PRODUCTS, 2, [3], 2),
            "Need a scalar num_hyperplanes_per_table tensor, got 1 dimensions.",
        ),
        ((_PRODUCTS, 2, 3, [2]), "Need a scalar num_probes tensor, got 1 dimensions."),
    ],
)
def test_refused(arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        _probes(*arguments)
    assert caught.value.message.startswith(message)


def test_more_probes_than_buckets() -> None:
    with pytest.raises(tf.errors.InternalError) as caught:
        _probes(_PRODUCTS, 2, 3, 17)
    assert caught.value.message.startswith("Failed to get probe number 16 for point number 0.")
