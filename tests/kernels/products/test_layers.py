"""Products with a bias that oneDNN finishes: the general function's bits, on any thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.onednn import library
from dataflow.kernels.onednn.library import OneDnnError
from dataflow.kernels.products import gemm, layers, products
from dataflow.kernels.products.epilogue import Rectifier
from tests.kernels.threads.test_parallel import helpers

INNERS = (8, 64, 384, 385, 500, 768, 769, 784, 1152, 1600)
SHAPES = [(300, inner, 512) for inner in INNERS] + [
    (50_000, 32, 4),
    (4099, 100, 33),
    (131, 256, 1001),
    (1030, 600, 130),
]


def _library() -> library.Library:
    found = library.find()
    assert found is not None
    return found


def _normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def _rectified(part: np.ndarray) -> None:
    np.maximum(part, 0, out=part)


RELU = Rectifier(_rectified)


def _halved(part: np.ndarray) -> None:
    part *= 0.5


def _by_general_function(a: Any, b: Any, bias: Any, finish: Any) -> np.ndarray:
    out = np.empty((a.shape[0], b.shape[1]), np.float32)
    gemm.multiply(_library(), a, b, out)
    out += bias
    if finish is not None:
        finish(out)
    return out


def _finished(a: Any, b: Any, bias: Any, finish: Any) -> np.ndarray:
    found = products.finished_product(a, b, bias, finish)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is made for the first product already."""
    monkeypatch.setattr(layers, "_RARE", 0)


@pytest.fixture
def anew() -> Iterator[None]:
    """Code is made anew, and once more afterwards."""
    known = (layers._code, layers._tells_of_nans, layers._uses)
    for made in known:
        made.cache_clear()
    yield
    for made in known:
        made.cache_clear()


@pytest.mark.parametrize("finish", [None, RELU, _halved], ids=["sum", "relu", "other"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_bits_of_the_general_function(shape: tuple[int, int, int], finish: Any) -> None:
    rows, inner, columns = shape
    a, b, bias = _normal(rows, inner), _normal(inner, columns), _normal(columns)
    expected = _by_general_function(a, b, bias, finish)
    exact = a.astype(np.float64) @ b.astype(np.float64) + bias
    if finish is not None:
        finish(exact)
    np.testing.assert_allclose(expected, exact, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(_finished(a, b, bias, finish), expected)
    for threads in (2, 4):
        with helpers(threads):
            np.testing.assert_array_equal(_finished(a, b, bias, finish), expected)


def test_rows_with_gaps() -> None:
    a, b, bias = _normal(600, 130)[:, 3:-7], _normal(120, 400), _normal(400)
    np.testing.assert_array_equal(
        _finished(a, b, bias, RELU), _by_general_function(a.copy(), b, bias, RELU)
    )


def test_what_it_does_not_read() -> None:
    a, b, bias = _normal(600, 120), _normal(120, 400), _normal(400)
    out = np.zeros((600, 400), np.float32)
    for left, right in (
        (np.asfortranarray(a), b),
        (a, np.asfortranarray(b)),
        (a[::-1], b),
        (np.repeat(a, 2, axis=1)[:, ::2], b),
        (a, np.repeat(b, 2, axis=1)[:, ::2]),
    ):
        assert not layers.multiply(_library(), left, right, bias, out, None)
        assert not out.any()
        found = products.finished_product(left, right, bias, RELU)
        np.testing.assert_allclose(found, np.maximum(left @ right + bias, 0), atol=1e-3)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("place", "value"), [((5, 7), np.nan), ((1999, 0), np.nan), ((700, 3), np.inf)]
)
def test_no_nan_is_lost(
    monkeypatch: pytest.MonkeyPatch, threads: int, place: tuple[int, int], value: float
) -> None:
    a, b, bias = _normal(2000, 100), _normal(100, 256), _normal(256)
    a[place] = value
    # Infinities of both signs add up to a NaN.
    a[place[0], 50] = -value
    expected = _by_general_function(a, b, bias, RELU)
    assert np.isnan(expected[place[0]]).any()
    assert np.isfinite(np.delete(expected, place[0], axis=0)).all()
    again: list[int] = []
    multiply = gemm.multiply

    def noted(library: Any, left: Any, *others: Any) -> None:
        again.append(len(left))
        multiply(library, left, *others)

    with helpers(threads):
        _finished(a, b, bias, RELU)
        monkeypatch.setattr(gemm, "multiply", noted)
        np.testing.assert_array_equal(_finished(a, b, bias, RELU), expected)
        # Only the piece with the NaN is done again.
        half = 1008 if place[0] < 1008 else 992
        assert again == [2000 if threads == 1 else half]
        a[place[0]] = 0
        assert not np.isnan(_finished(a, b, bias, RELU)).any()
    assert len(again) == 1


def test_parts_that_something_is_done_with_stay_in_the_cache() -> None:
    sizes: list[int] = []

    def noted(part: np.ndarray) -> None:
        sizes.append(part.size)
        part += 1

    a, b, bias = _normal(3000, 40), _normal(40, 300), _normal(300)
    expected = _by_general_function(a, b, bias, None) + 1
    np.testing.assert_array_equal(_finished(a, b, bias, noted), expected)
    assert sum(sizes) == expected.size
    assert max(sizes) <= 1 << 17


@pytest.mark.usefixtures("anew")
def test_code_with_other_bits_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of 1600 terms at once."""
    monkeypatch.setattr(layers, "_TERMS", 1600)
    a, b, bias = _normal(300, 1600), _normal(1600, 512), _normal(512)
    out = np.zeros((300, 512), np.float32)
    assert not layers.multiply(_library(), a, b, bias, out, None)
    assert not out.any()
    expected = _by_general_function(a, b, bias, RELU)
    np.testing.assert_array_equal(products.finished_product(a, b, bias, RELU), expected)


@pytest.mark.usefixtures("anew")
def test_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise OneDnnError("There is none.")

    monkeypatch.setattr(layers, "_compiled", refuses)
    a, b, bias = _normal(600, 120), _normal(120, 400), _normal(400)
    expected = _by_general_function(a, b, bias, RELU)
    np.testing.assert_array_equal(products.finished_product(a, b, bias, RELU), expected)


@pytest.mark.usefixtures("anew")
def test_without_a_flag_nothing_is_rectified_in_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "flag", lambda: None)
    a, b, bias = _normal(600, 120), _normal(120, 400), _normal(400)
    a[4, 5] = np.nan
    expected = _by_general_function(a, b, bias, RELU)
    assert np.isnan(expected).any()
    np.testing.assert_array_equal(_finished(a, b, bias, RELU), expected)


@pytest.mark.usefixtures("anew")
def test_code_is_made_for_what_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "_RARE", 3)
    b, bias = _normal(120, 400), _normal(400)
    out = np.empty((602, 400), np.float32)

    def multiply(rows: int) -> bool:
        return layers.multiply(_library(), _normal(rows, 120), b, bias, out[:rows], None)

    for rows in range(400, 600):
        assert not multiply(rows)
    assert layers._code.cache_info().misses == 0
    assert [multiply(602) for _ in range(5)] == [False, False, False, True, True]
    assert layers._code.cache_info().misses == 1


@pytest.mark.parametrize("inner", INNERS)
def test_short_sums_take_this_way(inner: int) -> None:
    """With AVX-512: elsewhere the general function divides sums otherwise."""
    a, b, bias = _normal(300, inner), _normal(inner, 512), _normal(512)
    out = np.empty((300, 512), np.float32)
    done = layers.multiply(_library(), a, b, bias, out, RELU)
    assert done is (inner <= 384 and _library().has_avx512)


def test_whole_products_where_parts_have_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, bias = _normal(300, 64), _normal(64, 512), _normal(512)
    out = np.zeros((300, 512), np.float32)
    monkeypatch.setattr(_library(), "has_avx512", False)
    assert not layers.multiply(_library(), a, b, bias, out, RELU)
    assert not out.any()
    expected = _by_general_function(a, b, bias, RELU)
    np.testing.assert_array_equal(_finished(a, b, bias, RELU), expected)


def test_large_results_of_dense_layers_take_this_way(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bool] = []
    multiply = layers.multiply

    def noted(*arguments: Any) -> bool:
        done.append(multiply(*arguments))
        return done[-1]

    monkeypatch.setattr(layers, "multiply", noted)
    a, b, bias = _normal(512, 300), _normal(300, 512), _normal(512)
    products.finished_product(a, b, bias, RELU)
    assert done == [True]
    # The whole result stays in the cache: a team is faster.
    products.finished_product(a[:128], b, bias, RELU)
    assert done == [True]
