"""Weighted alternating least squares: factors and losses against numpy's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import factorization

ROWS, COLS, SIZE = 5, 7, 3
RANDOM = np.random.RandomState(0)
MATRIX = np.where(RANDOM.uniform(size=[ROWS, COLS]) < 0.6, RANDOM.normal(size=[ROWS, COLS]), 0)
MATRIX = MATRIX.astype(np.float32)
U, V = (RANDOM.normal(size=[count, SIZE]).astype(np.float32) for count in (ROWS, COLS))
ROW_WEIGHTS = np.linspace(0.5, 2, ROWS).astype(np.float32)
COL_WEIGHTS = np.linspace(1, 3, COLS).astype(np.float32)
UNOBSERVED, PENALTY = 0.1, 0.05


def sparse(matrix: Any, rows: Any, transposed: bool) -> Any:
    """Some rows of a matrix, transposed if that is said."""
    kept = np.zeros_like(matrix)
    kept[rows] = matrix[rows]
    kept = kept.T if transposed else kept
    places = np.argwhere(kept)
    return tf.SparseTensor(places, kept[tuple(places.T)], kept.shape)


def weights_of(weighted: bool) -> Any:
    if not weighted:
        return np.full([ROWS, COLS], UNOBSERVED)
    return UNOBSERVED + np.outer(ROW_WEIGHTS, COL_WEIGHTS) * (MATRIX != 0)


def solved(matrix: Any, weights: Any, other: Any, penalty: float) -> Any:
    """The best factors of rows."""
    return np.stack(
        [
            np.linalg.solve(
                (other.T * weight) @ other + penalty * np.eye(SIZE), (other.T * weight) @ row
            )
            for row, weight in zip(matrix, weights, strict=True)
        ]
    )


def model(weighted: bool, shards: int, caches: bool, penalty: float | None, **given: Any) -> Any:
    cuts = [np.array_split(U, shards), np.array_split(V, shards)] if shards > 1 else [U, V]
    return factorization.WALSModel(
        ROWS,
        COLS,
        SIZE,
        UNOBSERVED,
        penalty,
        *cuts,
        shards,
        shards,
        (np.array_split(ROW_WEIGHTS, shards) if shards > 1 else ROW_WEIGHTS) if weighted else None,
        (np.array_split(COL_WEIGHTS, shards) if shards > 1 else COL_WEIGHTS) if weighted else None,
        caches,
        caches,
        **given,
    )


def begin(session: Any, made: Any, kind: str) -> None:
    session.run(getattr(made, f"{kind}_update_prep_gramian_op"))
    session.run(getattr(made, f"initialize_{kind}_update_op"))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize(
    "weighted, caches, penalty",
    [(True, True, PENALTY), (True, False, None), (False, True, PENALTY)],
)
def test_sweeps(
    weighted: bool, caches: bool, penalty: float | None, shards: int, transposed: bool
) -> None:
    chosen = [3, 0, 4]
    weights = weights_of(weighted)
    with tf.Graph().as_default(), tf.Session() as session:
        made = model(weighted, shards, caches, penalty)
        rows = made.update_row_factors(sparse(MATRIX, chosen, transposed), transposed)
        cols = made.update_col_factors(sparse(MATRIX, range(ROWS), transposed), transposed)
        session.run([made.initialize_op, tf.local_variables_initializer()])
        session.run(made.worker_init)
        begin(session, made, "row")
        _, _, loss, ridge, total = session.run(rows)
        u = np.concatenate(session.run(made.row_factors))
        expected = U.copy()
        expected[chosen] = solved(MATRIX, weights, V, penalty or 0)[chosen]
        np.testing.assert_allclose(u, expected, rtol=1e-3, atol=1e-4)
        errors = (weights * (MATRIX - expected @ V.T) ** 2)[chosen].sum() * ROWS / 3
        assert loss == pytest.approx(errors, rel=1e-3)
        squares = (expected[chosen] ** 2).sum() * ROWS / 3 + (V**2).sum()
        assert ridge == pytest.approx((penalty or 0) * squares, rel=1e-3)
        own = (weights - UNOBSERVED)[chosen].sum() * ROWS / 3
        assert total == pytest.approx(UNOBSERVED * ROWS * COLS + own, rel=1e-3)
        begin(session, made, "col")
        session.run(cols[1])
        v = np.concatenate(session.run(made.col_factors))
        found = solved(MATRIX.T, weights.T, expected, penalty or 0)
        np.testing.assert_allclose(v, found, rtol=2e-3, atol=1e-3)


def test_projections() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = model(True, 1, True, PENALTY)
        rows = sparse(MATRIX, range(ROWS), False)
        plain = made.project_row_factors(rows)
        own = made.project_row_factors(rows, projection_weights=ROW_WEIGHTS)
        cols = made.project_col_factors(
            sparse(MATRIX, range(ROWS), True), True, projection_weights=0.5
        )
        session.run([made.initialize_op, tf.local_variables_initializer()])
        session.run(made.worker_init)
        begin(session, made, "row")
        there = MATRIX != 0
        ones = UNOBSERVED + COL_WEIGHTS * there
        np.testing.assert_allclose(session.run(plain), solved(MATRIX, ones, V, PENALTY), rtol=5e-3)
        expected = solved(MATRIX, weights_of(True), V, PENALTY)
        np.testing.assert_allclose(session.run(own), expected, rtol=5e-3, atol=1e-4)
        begin(session, made, "col")
        half = UNOBSERVED + 0.5 * (ROW_WEIGHTS[:, None] * there)
        expected = solved(MATRIX.T, half.T, U, PENALTY)
        np.testing.assert_allclose(session.run(cols), expected, rtol=5e-3, atol=1e-3)


def test_variables_and_what_is_refused() -> None:
    with tf.Graph().as_default():
        made = factorization.WALSModel(4, 2, 1, row_init=lambda: "random", use_scoped_vars=True)
        assert [each.op.name for each in (*made.row_weights, *made.col_factors)] == [
            "row_weights/row_weights_shard_0",
            "col_factors/col_factors_shard_0",
        ]
        with pytest.raises(ValueError, match="must both be None"):
            factorization.WALSModel(4, 2, 1, row_weights=None)
        with pytest.raises(ValueError, match="Invalid weight initialization argument"):
            factorization.WALSModel(4, 2, 1, row_weights=-1)
        with pytest.raises(ValueError, match="row_weights must be given by 2 parts; got 3"):
            factorization.WALSModel(4, 2, 1, num_row_shards=2, row_weights=[[1], [1], [1]])
        with pytest.raises(ValueError, match="row_factors must be given by 2 parts; got 1"):
            factorization.WALSModel(4, 2, 1, num_row_shards=2, row_init=[U])
        with pytest.raises(TypeError, match="sp_input must be a SparseTensor"):
            made.update_row_factors(tf.zeros([4, 2]))


def test_estimators(tmp_path: Path) -> None:
    kind = factorization.WALSMatrixFactorization
    made = kind(
        ROWS,
        COLS,
        SIZE,
        UNOBSERVED,
        PENALTY,
        U,
        V,
        row_weights=ROW_WEIGHTS,
        col_weights=COL_WEIGHTS,
        max_sweeps=4,
        model_dir=str(tmp_path),
    )

    def input_fn(project_row: bool = True) -> Any:
        everything = range(ROWS)
        return {
            kind.INPUT_ROWS: sparse(MATRIX, everything, False),
            kind.INPUT_COLS: sparse(MATRIX, everything, True),
            kind.PROJECT_ROW: tf.constant(project_row),
        }, None

    made.fit(input_fn=input_fn)
    u, v = U, V
    weights = weights_of(True)
    for _ in range(2):
        before = v
        u = solved(MATRIX, weights, v, PENALTY)
        v = solved(MATRIX.T, weights.T, u, PENALTY)
    np.testing.assert_allclose(made.get_row_factors()[0], u, rtol=5e-3, atol=1e-3)
    np.testing.assert_allclose(made.get_col_factors()[0], v, rtol=5e-3, atol=1e-3)
    assert made.get_variable_value("global_step") == 4
    error = (weights * (MATRIX - u @ v.T) ** 2).sum()
    loss = error + PENALTY * ((u**2).sum() + (v**2).sum())
    assert made.get_variable_value(kind.LOSS) == pytest.approx(loss, rel=1e-2)
    root = np.sqrt(error / (UNOBSERVED * ROWS * COLS + (weights - UNOBSERVED).sum()))
    assert made.get_variable_value(kind.RWSE) == pytest.approx(root, rel=1e-2)
    # What is summed of the columns before their last sweep counts for what rows lack.
    gramian = UNOBSERVED * before.T @ before + PENALTY * np.eye(SIZE)
    there = COL_WEIGHTS * (MATRIX != 0)
    next_u = [
        np.linalg.solve(gramian + (v.T * own) @ v, (v.T * (own + UNOBSERVED)) @ row)
        for row, own in zip(MATRIX, there, strict=True)
    ]
    found = made.get_projections(input_fn)
    rows = np.stack([next(found) for _ in range(ROWS)])
    np.testing.assert_allclose(rows, next_u, rtol=1e-2, atol=2e-3)
    told = made.evaluate(input_fn=lambda: input_fn(False), steps=1)
    assert told["loss"] == pytest.approx(loss, rel=1e-2)


def test_order_of_variables() -> None:
    with tf.Graph().as_default():
        factorization.WALSModel(ROWS, COLS, SIZE, use_factors_weights_cache=False)
        names = [each.op.name for each in tf.global_variables()]
        assert names[:6] == [
            *("row_weights_shard_0", "col_weights_shard_0"),
            *("row_factors_shard_0", "col_factors_shard_0"),
            *("row_gramian", "col_gramian"),
        ]
