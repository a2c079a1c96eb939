"""tensorflow.python.kernel_tests.random.util: whether numbers are as if drawn from somewhere."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Final

import numpy as np

_NORMAL: Final = NormalDist()
_CUT: Final = 2.0
"""Normal numbers beyond so many standard deviations are not in truncated ones."""


def test_moment_matching(
    samples: Any, number_moments: int, dist: Any, stride: int = 0
) -> list[float]:
    """How far the moments of numbers are from those of a distribution, in standard deviations.

    Args:
      samples: The numbers.
      number_moments: How many moments.
      dist: Has a method `moment`.
      stride: How many more numbers are passed over for each moment.
    """
    scores = []
    for i in range(1, number_moments + 1):
        taken = samples.flat[:: (i - 1) * stride + 1]
        variance = (dist.moment(2 * i) - dist.moment(i) ** 2) / len(taken)
        variance += i * np.finfo(samples.dtype).eps
        variance = max(variance, np.finfo(samples.dtype).tiny)
        scores.append(abs(np.mean(taken**i) - dist.moment(i)) / np.sqrt(variance))
    return scores


def chi_squared(x: Any, bins: int) -> Any:
    """The chi-squared statistic of numbers between 0 and 1 that are to be uniform."""
    counts, _ = np.histogram(np.ravel(x), bins=bins, range=(0, 1))
    expected = np.size(x) / bins
    return np.sum(np.square(counts - expected) / expected)


def normal_cdf(x: Any) -> Any:
    """The distribution function of the normal distribution."""
    return np.vectorize(_NORMAL.cdf)(x)


def anderson_darling(x: Any) -> Any:
    """The Anderson-Darling statistic of numbers that are to be normal."""
    x = np.sort(np.ravel(x))
    n = len(x)
    i = np.arange(1, n + 1)
    below = normal_cdf(x)
    total = np.sum((2 * i - 1) * np.log(below) + (2 * (n - i) + 1) * np.log(1 - below))
    return -n - total / n


def test_truncated_normal(
    assert_equal: Callable[..., Any],
    assert_all_close: Callable[..., Any],
    n: int,
    y: Any,
    mean_atol: float = 5e-4,
    median_atol: float = 8e-4,
    variance_rtol: float = 1e-3,
) -> None:
    """Numbers are all there, and have the moments of the truncated normal distribution.

    Args:
      assert_equal: What compares counts,
      assert_all_close: and what compares moments.
      n: How many numbers there are to be.
      y: The numbers.
      mean_atol: How close the mean must be,
      median_atol: the median,
      variance_rtol: and, relatively, the variance.
    """
    assert_equal((y >= -_CUT).sum(), n)
    assert_equal((y <= _CUT).sum(), n)
    y = y.astype(float)
    kept = _NORMAL.cdf(_CUT) - _NORMAL.cdf(-_CUT)
    assert_all_close(np.mean(y), 0.0, atol=mean_atol)
    assert_all_close(np.median(y), 0.0, atol=median_atol)
    assert_all_close(np.var(y), 1 - 2 * _CUT * _NORMAL.pdf(_CUT) / kept, rtol=variance_rtol)
