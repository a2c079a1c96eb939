"""Convolutions by all threads in one call: the same bits, only where it is faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.convolution import calls as convolution_calls
from dataflow.kernels.convolution import convolutions
from dataflow.kernels.convolution import together as together_module
from dataflow.kernels.convolution.layer import Layer
from dataflow.kernels.convolution.plans import Geometry
from dataflow.kernels.convolution.together import Together
from dataflow.kernels.convolution.windows import Window, make_window
from dataflow.kernels.onednn import team, trial
from dataflow.kernels.onednn.library import CONVOLVE, CONVOLVE_INPUT, find
from dataflow.kernels.threads.parallel import Assisted
from tests.kernels.helped import Busy, helpers

LIKE_LENET = ((8, 14, 14, 32), (5, 5, 32, 64))
"""Shapes of images and filters."""
ONE_TAP = ((3, 21, 23, 48), (1, 1, 48, 128))
SHAPES = (
    LIKE_LENET,
    # Parts of these images some processors add up in another order than a whole one.
    ((1, 9, 14, 256), (5, 5, 256, 48)),
    ((9, 28, 28, 1), (5, 5, 1, 32)),
    ((1, 30, 30, 32), (3, 3, 32, 64)),
    ONE_TAP,
    ((7, 12, 12, 64), (3, 3, 8, 64)),
    ((2, 9, 10, 12, 16), (3, 3, 3, 16, 16)),
)
TURNS = 14
"""Runs in which both ways have their turns, and the better one is taken twice."""


@pytest.fixture(autouse=True)
def _new_contests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of any shape, and no call is late, whatever else the machine does."""
    convolutions._together.cache_clear()
    monkeypatch.setattr(team, "_LATE", 1e9)
    library = find()
    assert library is not None
    monkeypatch.setattr(library.team, "_rest_until", 0.0)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each convolution whether one call did it."""
    noted: list[bool] = []
    call = Together._call

    def note(self: Together, *arguments: Any) -> bool:
        noted.append(call(self, *arguments))
        return noted[-1]

    monkeypatch.setattr(Together, "_call", note)
    return noted


def windows_of(images: Sequence[int], filters: Sequence[int]) -> tuple[Window, ...]:
    return tuple(
        make_window(size, taps, 1, 1, b"SAME")
        for size, taps in zip(images[1:-1], filters[:-2], strict=True)
    )


def made(
    function: str,
    images: Sequence[int],
    filters: Sequence[int],
    threads: int,
    apart: convolution_calls.Calls | None = None,
) -> Together:
    """What does a convolution by so many threads."""
    library = find()
    assert library is not None
    geometry = Geometry(windows_of(images, filters), images[-1], *filters[-2:])
    apart = apart or convolutions.calls_of(function, geometry, images[0], threads)
    assert apart is not None
    return Together(library, function, geometry, images[0], threads, apart)


def layer_of(windows: Sequence[Window], activation: str = "") -> Layer:
    """A convolution with what is added, and an activation."""
    return Layer(lambda x, f: (x, f, windows), activation, None, None)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape, np.float32)


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize(("images", "filters"), SHAPES)
def test_the_same_bits_in_every_run(
    images: tuple[int, ...],
    filters: tuple[int, ...],
    threads: int,
    calls: list[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = find()
    assert library is not None
    monkeypatch.setattr(library.team, "most", threads)
    x, f, windows = numbers(*images), numbers(*filters), windows_of(images, filters)
    dy = numbers(*images[:-1], filters[-1])
    bias = numbers(filters[-1])

    layers = [layer_of(windows, name) for name in ("", "Relu", "Swish")]

    def run() -> list[np.ndarray]:
        made = [convolutions.convolve(x, f, windows)]
        made += [layer.run([x, f, bias]) for layer in layers]
        made.append(layers[1].run([x, f, dy]))
        if images[-1] >= 8:
            made.append(convolutions.input_gradient(f, dy, windows, images[-1]))
        return made

    with Assisted(Busy(threads)):
        alone = run()
    assert not any(calls)
    with helpers(threads):
        for _ in range(TURNS):
            for ours, first in zip(run(), alone, strict=True):
                np.testing.assert_array_equal(ours, first)
    assert any(calls)


class RoundedOnce(convolution_calls.Calls):
    """Convolutions with one tap whose sums are rounded at the end only, as oneDNN rounds none."""

    def __init__(self) -> None:
        """There is nothing to be made."""

    def run(self, arrays: Sequence[Any], result: Any, *more: Any) -> None:
        images, filters = arrays
        result[...] = images.astype(np.float64) @ filters[0, 0].astype(np.float64)


def test_one_call_does_not_count_if_its_bits_are_others(calls: list[bool]) -> None:
    """Whether oneDNN's own two ways differ, and where, is the processor's affair."""
    images, filters = ONE_TAP
    x, f = numbers(*images), numbers(*filters)
    apart = RoundedOnce()
    want, result = (np.empty((*images[:-1], filters[-1]), np.float32) for _ in range(2))
    apart.run([x, f], want)
    together = made(CONVOLVE, images, filters, 2, apart)
    with helpers():
        for _ in range(TURNS):
            together.run([x, f], result)
            np.testing.assert_array_equal(result, want)
            result.fill(np.nan)
    assert calls == [True]


def make_slow(way: str, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of "together" and "apart" this takes twice the other's time, however busy the machine is.

    Returns for each convolution from now on whether it was tried in one call.
    """
    done: list[bool] = []
    together, apart = Together._call, convolution_calls.Calls.run
    now = 0.0

    def pass_by(taken: str) -> None:
        nonlocal now
        now += 2.0 if taken == way else 1.0

    def one_call(self: Together, *arguments: Any) -> bool:
        pass_by("together")
        done.append(True)
        return together(self, *arguments)

    def calls_for_parts(self: convolution_calls.Calls, *arguments: Any) -> None:
        pass_by("apart")
        done.append(False)
        apart(self, *arguments)

    monkeypatch.setattr(Together, "_call", one_call)
    monkeypatch.setattr(convolution_calls.Calls, "run", calls_for_parts)
    monkeypatch.setattr(together_module, "perf_counter", lambda: now)
    return done


@pytest.mark.parametrize("slow", ["together", "apart"])
def test_the_faster_way_is_taken(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    images, filters = LIKE_LENET
    x, f, windows = numbers(*images), numbers(*filters), windows_of(images, filters)
    done = make_slow(slow, monkeypatch)
    with helpers():
        for _ in range(40):
            convolutions.convolve(x, f, windows)
    assert done[:2] == [True, False]
    assert min(done.count(True), done.count(False)) >= 7
    assert done[-8:] == [slow == "apart"] * 8


def test_others_want_the_threads(calls: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    images, filters = LIKE_LENET
    x, f, windows = numbers(*images), numbers(*filters), windows_of(images, filters)
    make_slow("apart", monkeypatch)
    with Assisted(Busy()):
        want = convolutions.convolve(x, f, windows)
    with helpers():
        with Assisted(Busy()):
            for _ in range(TURNS):
                np.testing.assert_array_equal(convolutions.convolve(x, f, windows), want)
        assert not any(calls)
        # A helper that has done its part of a call may be long in saying so.
        for _ in range(100 * TURNS):
            convolutions.convolve(x, f, windows)
            if calls.count(True) > 5:
                return
    pytest.fail(f"of {len(calls)} times in one call, the threads were had {calls.count(True)}")


def test_nothing_is_tried_while_the_threads_are_not_to_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    images, filters = LIKE_LENET
    x, f, windows = numbers(*images), numbers(*filters), windows_of(images, filters)
    made: list[tuple[int, ...]] = []
    drawn = trial.numbers

    def note(*shape: int, backwards: bool = False) -> Any:
        made.append(shape)
        return drawn(*shape, backwards=backwards)

    monkeypatch.setattr(trial, "numbers", note)
    with helpers():
        with Assisted(Busy()):
            for _ in range(TURNS):
                convolutions.convolve(x, f, windows)
        assert not made
        for _ in range(TURNS):
            convolutions.convolve(x, f, windows)
        assert len(made) == 2


def test_a_lone_core_has_no_team() -> None:
    assert made(CONVOLVE, *LIKE_LENET, 1)._is_better is False


def test_fewer_threads_than_it_was_made_for() -> None:
    """The team has as many as the processor has cores."""
    images, filters = LIKE_LENET
    together = made(CONVOLVE, images, filters, 5)
    x, f = numbers(*images), numbers(*filters)
    with Assisted(Busy(5)):
        want = convolutions.convolve(x, f, windows_of(images, filters))
    result = np.full(want.shape, np.nan, np.float32)
    with helpers(2) as idle:
        assert not together._call(idle, [x, f], result)
        assert np.isnan(result).all()
        for _ in range(TURNS):
            together.run([x, f], result)
            np.testing.assert_array_equal(result, want)
            result.fill(np.nan)


def test_little_work_is_done_as_before(calls: list[bool]) -> None:
    x, f = numbers(2, 8, 8, 16), numbers(3, 3, 16, 16)
    assert x.size * 9 * 16 < team.TOGETHER
    with helpers():
        for _ in range(TURNS):
            convolutions.convolve(x, f, windows_of(x.shape, f.shape))
    assert not calls


@pytest.mark.parametrize("function", [CONVOLVE, CONVOLVE_INPUT])
def test_large_arrays_are_not_made_twice(function: str) -> None:
    together = made(function, (1, 3000, 3000, 8), (3, 3, 8, 8), 2)
    assert together._is_better is False
