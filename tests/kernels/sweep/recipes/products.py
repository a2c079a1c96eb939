"""Products of matrices, and what follows them."""

from __future__ import annotations

from typing import Any

from tests.kernels.sweep.recipe import Operand, Recipe, given, index, whole

_NUMBERS = ("float32", "float64", "int32", "complex64")
_SHORT = {"h": 5}


def _product(name: str, a: str, b: str, **attrs: Any) -> Recipe:
    return Recipe(
        name,
        (whole(a), whole(b)),
        lambda tf, x, y: [tf.matmul(x, y, **attrs)],
        dtypes=_NUMBERS,
        most=_SHORT,
    )


def _finished(tf: Any, a: Any, b: Any, bias: Any) -> list[Any]:
    sums = tf.matmul(a, b)
    added = tf.nn.bias_add(sums, bias)
    return [tf.nn.relu(added), tf.abs(tf.matmul(a, b) + bias)]


def _einsum(equation: str) -> Recipe:
    left, right = equation.split("->")[0].split(",")
    return Recipe(
        f"einsum {equation}",
        (whole(left), whole(right)),
        lambda tf, x, y: [tf.einsum(equation, x, y)],
        dtypes=("float32", "int32"),
        most=_SHORT,
    )


def _gradients(tf: Any, a: Any, b: Any) -> list[Any]:
    return list(tf.gradients(tf.reduce_sum(tf.matmul(a, b)), [a, b]))


def _sparse(a: Operand, b: Operand) -> Recipe:
    return Recipe(
        "sparse product",
        (a, b),
        lambda tf, x, y: [tf.sparse_matmul(x, y, a_is_sparse=True)],
        is_wide=False,
    )


def _of_sparse(tf: Any, rows: Any, columns: Any, values: Any, b: Any, count: Any) -> list[Any]:
    indices = tf.cast(tf.stack([rows, columns], 1), tf.int64)
    shape = tf.cast(tf.stack([count, tf.shape(b)[0]]), tf.int64)
    return [tf.sparse_tensor_dense_matmul(tf.SparseTensor(indices, values, shape), b)]


def _near(tf: Any, points: Any, centers: Any) -> Any:
    return tf.raw_ops.NearestNeighbors(points=points, centers=centers, k=tf.constant(3, tf.int64))


RECIPES = (
    _product("product", "mk", "kn"),
    _product("product, first turned", "km", "kn", transpose_a=True),
    _product("product, second turned", "mk", "nk", transpose_b=True),
    _product("product, both turned", "km", "nk", transpose_a=True, transpose_b=True),
    _product("batch of products", "bmk", "bkn"),
    _product("batch of products, second turned", "bmk", "bnk", adjoint_b=True),
    _product("batch of products, first turned", "bkm", "bkn", transpose_a=True),
    _product("batches of products", "hbmk", "hbkn"),
    _product("batches of products, broadcast", "hmk", "bhkn"),
    _product("batch of products, one matrix", "bmk", "1kn"),
    _einsum("mk,kn->mn"),
    _einsum("bmhk,bnhk->bhmn"),
    _einsum("bmk,kn->bmn"),
    _einsum("bk,bk->b"),
    Recipe(
        "product with a bias",
        (whole("mk"), whole("kn"), whole("n")),
        _finished,
        dtypes=("float32", "float64"),
    ),
    Recipe("gradients of a product", (whole("mk"), whole("kn")), _gradients),
    _sparse(whole("mk"), whole("kn")),
    Recipe(
        "product of a sparse and a dense matrix",
        (
            index("n", "m"),
            index("n", "k"),
            whole("n"),
            whole("kc"),
            given("", lambda sizes: sizes["m"]),
        ),
        _of_sparse,
        dtypes=("float32", "float64", "int32"),
        is_wide=False,
        most={"m": 3000},
        holds=lambda sizes: sizes["m"] > 0 and sizes["k"] > 0,
    ),
    Recipe(
        "nearest centers of points",
        (whole("mk"), whole("nk")),
        _near,
        is_wide=False,
        holds=lambda sizes: sizes["m"] > 0,
    ),
)
