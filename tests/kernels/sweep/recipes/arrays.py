"""What arranges, looks up and writes elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.kernels.sweep.recipe import Recipe, given, index, normal, truth, whole

_ANY = ("float32", "float64", "int32", "uint8", "bool", "complex64")
_SUMMED = ("float32", "int32")


def _looked_up(tf: Any, params: Any, places: Any) -> Sequence[Any]:
    found = tf.gather(params, places)
    (slope,) = tf.gradients(found, params)
    return [found, tf.convert_to_tensor(slope)]


def _scattered(tf: Any, places: Any, updates: Any, rows: Any) -> Sequence[Any]:
    ways = (tf.tensor_scatter_add, tf.tensor_scatter_sub, tf.tensor_scatter_nd_max)
    return [
        tf.scatter_nd(places, updates, tf.shape(rows)),
        *(way(rows, places, updates) for way in ways),
    ]


def _blocks(tf: Any, x: Any) -> Sequence[Any]:
    even = tf.transpose(tf.tile(x, [1, 2, 2, 4]), [0, 2, 1, 3])
    pads = [[0, 0], [0, 0]]
    return [
        tf.space_to_depth(even, 2),
        tf.depth_to_space(even, 2),
        tf.space_to_batch_nd(even, [2, 2], pads),
    ]


def _chosen(tf: Any, condition: Any, x: Any, y: Any) -> Sequence[Any]:
    return [tf.where(condition, x, y), tf.where_v2(condition, x, y)]


def _counted(tf: Any, x: Any) -> Sequence[Any]:
    y, places, count = tf.unique_with_counts(x)
    return [y, places, count]


def _moved(tf: Any, x: Any) -> Sequence[Any]:
    orders = ([0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0])
    return [tf.transpose(x, order) for order in orders]


def _joined(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    return [
        *(tf.concat([x, y, x], axis) for axis in (0, 1, 2)),
        *(tf.stack([x, y], axis) for axis in (0, 1, 3)),
        tf.tile(x, [1, 2, 1]),
        tf.pad(x, [[0, 1], [2, 0], [1, 1]]),
        tf.reverse(x, [0, 2]),
        x[1:, ::2, ::-1],
        *tf.split(tf.concat([x, y], 1), 2, 1),
    ]


RECIPES = (
    Recipe("looked up", (whole("pab"), index("ij", "p")), _looked_up, dtypes=("float32",)),
    Recipe(
        "looked up along the second axis",
        (whole("apb"), index("ij", "p")),
        lambda tf, x, i: [tf.gather(x, i, axis=1)],
        dtypes=_ANY,
    ),
    Recipe(
        "looked up in step",
        (whole("bpa"), index("bi", "p")),
        lambda tf, x, i: [tf.gather(x, i, axis=1, batch_dims=1)],
        dtypes=("float32", "int32"),
    ),
    Recipe(
        "looked up by two indices",
        (whole("pqa"), index("n2", "q")),
        lambda tf, x, i: [tf.gather_nd(x, tf.minimum(i, tf.maximum(tf.shape(x)[:2] - 1, 0)))],
        dtypes=_ANY[:4],
    ),
    Recipe(
        "looked up by one index",
        (whole("pa"), index("n1", "p", "int64")),
        lambda tf, x, i: [tf.gather_nd(x, i)],
        dtypes=_ANY[:4],
    ),
    Recipe(
        "written by indices",
        (index("n1", "p"), whole("na"), whole("pa")),
        _scattered,
        dtypes=_SUMMED,
        holds=lambda sizes: sizes["p"] * sizes["a"] > 0,
    ),
    Recipe("chosen", (truth("ab"), whole("ab"), whole("ab")), _chosen, dtypes=_ANY),
    Recipe(
        "chosen rows",
        (truth("a"), whole("ab"), whole("ab")),
        lambda tf, c, x, y: [tf.where(c, x, y)],
        dtypes=_ANY,
    ),
    Recipe(
        "chosen, broadcast",
        (truth("ab"), whole("b"), whole("")),
        lambda tf, c, x, y: [tf.where_v2(c, x, y)],
        dtypes=_ANY,
    ),
    Recipe("places", (truth("abc"),), lambda tf, c: [tf.where(c)]),
    Recipe("places in a vector", (truth("a"),), lambda tf, c: [tf.where(c)]),
    Recipe(
        "one at an index",
        (index("ij", "d"), given("", lambda sizes: sizes["d"])),
        lambda tf, i, n: [tf.one_hot(i, n), tf.one_hot(i, 5), tf.one_hot(i, n, axis=0)],
    ),
    Recipe(
        "sequences reversed",
        (whole("bta"), index("b", "t")),
        lambda tf, x, n: [tf.reverse_sequence(x, n, seq_axis=1, batch_axis=0)],
        dtypes=("float32", "int32"),
    ),
    Recipe("distinct", (whole("n"),), _counted, dtypes=("float32", "int32", "uint8")),
    Recipe("distinct, many", (normal("n"),), _counted, is_wide=False),
    Recipe("axes moved", (whole("abc"),), _moved, dtypes=_ANY),
    Recipe("joined", (whole("abc"), whole("abc")), _joined, dtypes=("float32", "int32", "uint8")),
    Recipe(
        "scalars packed",
        (whole(""), whole("")),
        lambda tf, x, y: [tf.stack([x, y, x])],
        dtypes=_ANY,
    ),
    Recipe(
        "a band",
        (whole("abb"),),
        lambda tf, x: [tf.linalg.band_part(x, 1, 2), tf.linalg.band_part(x, -1, 0)],
        dtypes=("float32", "int32"),
    ),
    Recipe(
        "diagonals",
        (whole("ab"), whole("abb")),
        lambda tf, x, y: [tf.linalg.diag(x), tf.linalg.diag_part(y), tf.linalg.set_diag(y, x)],
        dtypes=("float32", "int32"),
    ),
    Recipe(
        "blocks",
        (whole("nhwc"),),
        _blocks,
        dtypes=("float32", "int32"),
        holds=lambda sizes: min(sizes.values()) > 0,
    ),
    Recipe(
        "divided by number",
        (whole("na"), index("n", "s")),
        lambda tf, x, i: tf.dynamic_partition(x, tf.minimum(i, 2), 3),
        dtypes=("float32", "int32"),
        most={"s": 4},
    ),
)
