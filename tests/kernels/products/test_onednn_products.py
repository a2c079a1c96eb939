"""Products by oneDNN: any layout, any thread, numpy's values."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.onednn import library
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.products import batches, blas, gemm, products, turned
from dataflow.kernels.products.turned import multiply_turned
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers


def _library() -> library.Library:
    found = library.find()
    assert found is not None
    return found


def _normal(*shape: int) -> np.ndarray:
    random = np.random.default_rng(sum(shape))
    return random.standard_normal(shape).astype(np.float32)


def _misaligned(x: np.ndarray) -> np.ndarray:
    raw = np.empty(x.nbytes + 1, np.uint8)[1:]
    view = raw.view(np.float32).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def _odd_strides(x: np.ndarray) -> np.ndarray:
    rows, columns = x.shape
    raw = np.zeros(13 * rows * columns, np.uint8)
    view: np.ndarray = np.ndarray(x.shape, np.float32, raw, 0, (13 * columns, 13))
    view[...] = x
    return view


def _read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


LAYOUTS: dict[str, Callable[[int, int], np.ndarray]] = {
    "plain": _normal,
    "transposed": lambda m, n: _normal(n, m).T,
    "part of rows": lambda m, n: _normal(m, n + 3)[:, 2:-1],
    "part of columns": lambda m, n: _normal(n + 3, m)[2:-1].T,
    "every second": lambda m, n: _normal(m, 2 * n)[:, ::2],
    "backwards": lambda m, n: _normal(m, n)[::-1],
    "the same row": lambda m, n: np.broadcast_to(_normal(1, n), (m, n)),
    "the same column": lambda m, n: np.broadcast_to(_normal(m, 1), (m, n)),
    "one number": lambda m, n: np.broadcast_to(np.float32(0.5), (m, n)),
    "overlapping rows": lambda m, n: np.lib.stride_tricks.as_strided(
        _normal(m + n), (m, n), (4, 4)
    ),
    "misaligned": lambda m, n: _misaligned(_normal(m, n)),
    "odd strides": lambda m, n: _odd_strides(_normal(m, n)),
    "read only": lambda m, n: _read_only(_normal(m, n)),
}


def _assert_close(have: np.ndarray, want: np.ndarray) -> None:
    assert have.dtype == np.float32
    assert have.flags.c_contiguous
    np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5 * max(1, np.abs(want).max()))


def _product64(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.matmul(a.astype(np.float64), b.astype(np.float64))


@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_any_layout(left: str, right: str) -> None:
    for m, k, n in ((2, 3, 5), (33, 17, 50), (1, 7, 2), (4, 1, 3)):
        a, b = LAYOUTS[left](m, k), LAYOUTS[right](k, n)
        out = np.full((m, n), np.float32("nan"))
        gemm.multiply(_library(), a, b, out)
        _assert_close(out, _product64(a, b))


@pytest.mark.parametrize("left", LAYOUTS)
def test_any_layout_in_pieces(left: str) -> None:
    a, b = LAYOUTS[left](410, 300), _normal(300, 330)
    with helpers(3):
        _assert_close(products.product(a, b), _product64(a, b))
        _assert_close(products.product(b.T, a.T), _product64(b.T, a.T))


@pytest.mark.parametrize(
    ("sizes", "turned", "quick", "by_onednn"),
    [
        ((100, 100, 100), False, True, False),
        ((100, 100, 100), False, False, True),
        ((100, 100, 100), True, True, False),
        ((100, 100, 100), True, False, True),
        ((100, 100, 105), False, True, True),
        ((100, 100, 105), True, True, True),
        ((60, 50, 99), True, False, False),
        ((12, 100, 96), True, True, False),
        ((12, 100, 97), True, True, True),
        ((12, 100, 97), False, True, False),
        ((12, 80, 100), True, True, False),
    ],
)
def test_small_products_where_blas_is_quick(
    monkeypatch: pytest.MonkeyPatch,
    sizes: tuple[int, int, int],
    turned: bool,
    quick: bool,
    by_onednn: bool,
) -> None:
    rows, inner, columns = sizes
    a, b = _normal(rows, inner), _normal(inner, columns)
    b = _turned(b) if turned else b
    monkeypatch.setattr(blas, "is_quick_with_small", lambda: quick)
    calls: list[object] = []
    multiply = gemm.multiply

    def noted(*arguments: Any) -> None:
        calls.append(arguments)
        multiply(*arguments)

    monkeypatch.setattr(gemm, "multiply", noted)
    _assert_close(products.product(a, b), _product64(a, b))
    assert bool(calls) is by_onednn


@pytest.mark.parametrize(
    ("count", "sizes", "turned", "quick", "by_onednn"),
    [
        (30, (32, 64, 32), False, False, False),
        (30, (32, 65, 32), False, False, True),
        (30, (32, 64, 32), True, False, False),
        (30, (32, 64, 32), True, True, True),
        (30, (32, 65, 32), False, True, False),
        (2000, (8, 1, 63), False, False, False),
        (1, (100, 100, 100), False, False, True),
    ],
)
def test_small_products_of_a_batch(
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    sizes: tuple[int, int, int],
    turned: bool,
    quick: bool,
    by_onednn: bool,
) -> None:
    """One at a time they cost oneDNN's code for AVX2 more than they take."""
    rows, inner, columns = sizes
    a, b = _normal(count, rows, inner), _normal(count, inner, columns)
    b = np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2) if turned else b
    monkeypatch.setattr(blas, "is_quick_with_small", lambda: quick)
    calls: list[object] = []
    multiply = batches.multiply_each

    def noted(*arguments: Any) -> Any:
        calls.append(arguments)
        return multiply(*arguments)

    monkeypatch.setattr(batches, "multiply_each", noted)
    want = np.einsum("nij,njk->nik", a.astype(np.float64), b)
    _assert_close(products.batch_product(a, b), want)
    assert bool(calls) is by_onednn


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("left", "right", "by_onednn"),
    [
        ((90, 64), (64, 512), False),
        ((90, 63), (63, 512), True),
        ((90, 64), (64, 511), True),
        ((90, 64), (1024, 64), True),
        ((512, 64), (64, 90), True),
        ((64, 512), (64, 90), False),
        ((64, 510), (64, 90), True),
        ((256, 512), (256, 300), False),
        ((300, 400), (400, 2048), False),
    ],
)
def test_lines_that_have_the_same_place_in_the_cache(
    monkeypatch: pytest.MonkeyPatch,
    left: tuple[int, int],
    right: tuple[int, int],
    by_onednn: bool,
    threads: int,
) -> None:
    """Without AVX-512 BLAS has them, which copies them first; matrices are turned to fit."""
    a, b = _normal(*left), _normal(*right)
    b = b if right[0] in left else b.T
    a = a if left[1] == b.shape[0] else a.T
    calls: list[object] = []
    multiply = gemm.multiply

    def noted(*arguments: Any) -> None:
        calls.append(arguments)
        multiply(*arguments)

    monkeypatch.setattr(gemm, "multiply", noted)
    for has_avx512 in (False, True):
        monkeypatch.setattr(_library(), "has_avx512", has_avx512)
        calls.clear()
        with helpers(threads) if threads > 1 else nullcontext():
            _assert_close(products.product(a, b), _product64(a, b))
        assert bool(calls) is (by_onednn or has_avx512)


def test_the_same_bits_whoever_helps() -> None:
    a, b = _normal(500, 700), _normal(700, 600)
    stacks = _normal(70, 64, 64), _normal(70, 64, 64)
    runs = []
    for threads in (2, 2, 4):
        with helpers(threads):
            runs.append((products.product(a, b), products.batch_product(*stacks)))
    for product, batch in runs[1:]:
        np.testing.assert_array_equal(product, runs[0][0])
        np.testing.assert_array_equal(batch, runs[0][1])


def test_nan_and_infinity_are_what_they_are_in_numpy() -> None:
    a, b = _normal(80, 90), _normal(90, 100)
    a[3, 4], a[5, 6], b[7, 8], b[9] = np.nan, np.inf, -np.inf, 0
    want = _product64(a, b)
    assert np.isnan(want).any()
    assert np.isinf(want).any()
    np.testing.assert_allclose(products.product(a, b), want, rtol=1e-3, atol=1e-4)
    stack = np.broadcast_to(a, (5, 80, 90)).copy()
    both = products.batch_product(stack, np.broadcast_to(b, (5, 90, 100)).copy())
    np.testing.assert_allclose(both, np.broadcast_to(want, both.shape), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("sizes", [(0, 900, 900), (900, 0, 900), (900, 900, 0), (0, 0, 0)])
def test_nothing_to_multiply(sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
    np.testing.assert_array_equal(products.product(a, b), np.zeros((m, n), np.float32))
    stacks = np.ones((3, m, k), np.float32), np.ones((3, k, n), np.float32)
    np.testing.assert_array_equal(products.batch_product(*stacks), np.zeros((3, m, n)))
    none = products.batch_product(np.ones((0, 9, 9), np.float32), np.ones((0, 9, 9), np.float32))
    assert none.shape == (0, 9, 9)


def test_matrices_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        products.product(_normal(110, 111), _normal(110, 111))
    with pytest.raises(ValueError):
        products.batch_product(_normal(9, 100, 101), _normal(9, 100, 101))
    with pytest.raises(ValueError):
        products.batch_product(_normal(9, 100, 100), _normal(8, 100, 100))


def _turned(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(32, 1024, 1024), (64, 2048, 512), (130, 1500, 77), (17, 700, 900), (512, 512, 512)],
)
def test_long_sums_with_a_transposed_matrix(rows: int, inner: int, columns: int) -> None:
    """The same bits on one thread and on two."""
    a, b = _normal(rows, inner), _turned(_normal(inner, columns))
    alone = products.product(a, b)
    _assert_close(alone, _product64(a, b))
    with helpers(2):
        for _ in range(3):
            np.testing.assert_array_equal(products.product(a, b), alone)


def test_code_of_its_own_for_transposed_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bool] = []

    def noted(*arguments: object) -> bool:
        done.append(multiply_turned(*arguments))  # type: ignore[arg-type]
        return done[-1]

    monkeypatch.setattr(gemm, "multiply_turned", noted)
    a, b = _normal(64, 1024), _normal(1024, 512)
    products.product(a, b)
    products.product(_turned(a), _turned(b))
    products.product(a[:, :500], _turned(b[:500]))
    products.product(a[:9], _turned(b))
    products.product(np.resize(a, (64, 1030))[:, :1024], _turned(b))
    assert not done
    products.product(a, _turned(b))
    assert done == [True]


def test_no_code_of_its_own_where_threads_add_up_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without AVX-512 its bits would tell how many threads there were."""
    a, b = _normal(64, 1024), _turned(_normal(1024, 512))
    out = np.zeros((64, 512), np.float32)
    places = (address_of(a), address_of(b), address_of(out))
    monkeypatch.setattr(_library(), "has_avx512", False)
    with helpers(2):
        assert not multiply_turned(_library(), (64, 1024, 512), places)
        assert not out.any()
        _assert_close(products.product(a, b), _product64(a, b))
    assert multiply_turned(_library(), (64, 1024, 512), places)
    _assert_close(out, _product64(a, b))


@pytest.mark.parametrize("threads", [1, 2])
def test_no_fast_code_for_a_transposed_matrix(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(turned, "_code", lambda *_: None)
    a, b = _normal(64, 1024), _turned(_normal(1024, 512))
    with helpers(threads):
        _assert_close(products.product(a, b), _product64(a, b))


def _turned_view(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(-1, -2)


def _heads(x: np.ndarray) -> np.ndarray:
    """(batch, length, heads, width) seen as (batch, heads, length, width), as in attention."""
    return x.transpose(0, 2, 1, 3)


BATCHES = {
    "plain": (_normal(40, 50, 32), _normal(40, 32, 60)),
    "turned": (_turned(_normal(40, 50, 32)), _turned(_normal(40, 32, 60))),
    "one turned": (_normal(40, 50, 32), _turned(_normal(40, 32, 60))),
    "several axes": (_normal(5, 8, 50, 32), _normal(5, 8, 32, 60)),
    "a rest": (_normal(127, 40, 32), _normal(127, 32, 50)),
    "broadcast": (_normal(5, 1, 50, 32), _normal(8, 32, 60)),
    "the same number, broadcast": (_normal(1, 6, 90, 80), _normal(6, 1, 80, 90)),
    "more axes": (_normal(6, 90, 80), _normal(1, 6, 80, 90)),
    "parts": (_normal(40, 50, 40)[..., 3:35], _normal(40, 32, 60)),
    "misaligned": (_misaligned(_normal(40, 50, 32)), _normal(40, 32, 60)),
    "large": (_normal(3, 400, 300), _normal(3, 300, 310)),
    "large, broadcast": (_normal(3, 1, 400, 300), _turned(_normal(2, 300, 310))),
    "heads": (_heads(_normal(8, 64, 6, 32)), _turned_view(_heads(_normal(8, 64, 6, 32)))),
    "weights of heads": (_normal(8, 6, 64, 64), _heads(_normal(8, 64, 6, 32))),
    "heads, a rest": (_heads(_normal(33, 64, 6, 32)), _normal(33, 6, 32, 64)),
    "backwards": (_normal(40, 50, 32)[::-1], _normal(40, 32, 60)[:, ::-1]),
    "stack backwards": (_normal(40, 50, 32)[::-1], _normal(40, 32, 60)),
    "inner axis backwards": (_normal(5, 8, 50, 32)[:, ::-1], _normal(5, 8, 32, 60)),
    "rows backwards": (_normal(40, 50, 32), _normal(40, 32, 60)[:, ::-1]),
    "columns backwards": (_normal(40, 50, 32)[..., ::-1], _normal(40, 32, 60)),
    "overlapping rows": (
        np.lib.stride_tricks.sliding_window_view(_normal(40, 81), 32, axis=1),
        _normal(40, 32, 60),
    ),
    "overlapping matrices": (
        np.lib.stride_tricks.as_strided(_normal(4000), (40, 50, 32), (4 * 32, 4 * 33, 4)),
        _normal(40, 32, 60),
    ),
    "matrices within each other": (
        np.lib.stride_tricks.as_strided(_normal(40_000), (40, 50, 32), (4, 4 * 640, 4 * 20)),
        np.lib.stride_tricks.as_strided(_normal(9000), (40, 32, 60), (4 * 7, 4 * 64, 4)),
    ),
    "more axes than oneDNN knows": (
        _normal(*(2,) * 12, 8, 8).transpose(*range(11, -1, -1), 12, 13),
        _normal(*(2,) * 12, 8, 8),
    ),
    "a new axis": (_normal(40, 50, 32)[None], _normal(40, 32, 60)[None]),
    "every other": (_normal(80, 50, 32)[::2], _normal(40, 64, 60)[:, ::2]),
    "repeated": (np.broadcast_to(_normal(50, 32), (40, 50, 32)), _normal(40, 32, 60)),
    "one row": (_normal(400, 1, 90)[::2], _normal(200, 90, 100)),
    "one column": (_normal(200, 90, 100), _turned(_normal(200, 100, 1))),
    "one of them": (_normal(3, 1, 90, 80)[:1], _normal(1, 1, 80, 90)),
    "one column inside": (_normal(40, 200, 1), _normal(40, 1, 300)),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batches(name: str) -> None:
    a, b = BATCHES[name]
    want = _product64(a, b)
    _assert_close(products.batch_product(a, b), want)
    with helpers(3):
        _assert_close(products.batch_product(a, b), want)
    with switched_off():
        _assert_close(products.batch_product(a, b), want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
@pytest.mark.parametrize("columns", [3, 40])
def test_batches_that_add_nothing_up(dtype: Any, columns: int) -> None:
    a, b = _normal(5, 1, 30, 1) * 9, _normal(7, 1, columns) * 9
    a, b = a.astype(dtype), b.astype(dtype)
    found = products.batch_product(a, b)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, a * b)
    with pytest.raises(ValueError, match="mismatch"):
        products.batch_product(a, np.ones((7, 2, columns), dtype))


def test_batches_of_few_sizes_take_the_fast_way() -> None:
    for name in (
        *("plain", "turned", "one turned", "several axes", "a rest", "large", "parts"),
        *("heads", "weights of heads", "heads, a rest", "every other", "a new axis"),
    ):
        assert batches.multiply_each(_library(), *BATCHES[name]) is not None, name


def test_many_threads_at_once() -> None:
    a, b, stack = _normal(120, 130), _normal(130, 110), _normal(64, 64, 64)
    want, each = products.product(a, b), products.batch_product(stack, stack)

    def work(_: int) -> bool:
        alike = np.array_equal(products.product(a, b), want)
        return alike and np.array_equal(products.batch_product(stack, stack), each)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))
