"""Arguments that functions of numpy 1 took and those of numpy 2 do not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final

import numpy as np


def _interpolating(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, interpolation: Any = None, **kwargs: Any) -> Any:
        if interpolation is not None:
            kwargs["method"] = interpolation
        return function(*args, **kwargs)

    return called


def _normed(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(
        a: Any,
        bins: Any = 10,
        range: Any = None,
        normed: Any = None,
        weights: Any = None,
        density: Any = None,
    ) -> Any:
        density = normed if density is None else density
        return function(a, bins, range, weights=weights, density=density)

    return called


def _of_any_iterable(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        return function(list(arrays) if isinstance(arrays, Iterator) else arrays, *args, **kwargs)

    return called


def _summing_iterators(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(a: Any, *args: Any, **kwargs: Any) -> Any:
        # As numpy 1 did, which looked at no other argument then.
        return sum(a) if isinstance(a, Generator) else function(a, *args, **kwargs)

    return called


def _reshaping(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(a: Any, *args: Any, newshape: Any = None, **kwargs: Any) -> Any:
        if newshape is not None:
            kwargs["shape"] = newshape
        return function(a, *args, **kwargs)

    return called


ARGUMENTS: Final[Mapping[str, Any]] = {
    **{
        name: _interpolating(getattr(np, name))
        for name in ("percentile", "quantile", "nanpercentile", "nanquantile")
    },
    "histogram": _normed(np.histogram),
    "reshape": _reshaping(np.reshape),
    "sum": _summing_iterators(np.sum),
    **{
        name: _of_any_iterable(getattr(np, name))
        for name in ("vstack", "hstack", "dstack", "stack", "column_stack")
    },
}
"""What takes them: `interpolation` is `method` now, `normed` is `density`, `newshape` is `shape`,
and what was stacked or summed could be a generator."""
