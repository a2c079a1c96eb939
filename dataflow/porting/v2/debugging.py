"""tf.compat.v2.debugging where it is not tf.debugging: the message comes first, and no data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.porting.v2.respell import respelled


def _of_two(name: str) -> Callable[..., Any]:
    return respelled(f"debugging.{name}", "x y", message=None, summarize=None, name=None)


def _of_one(name: str) -> Callable[..., Any]:
    return respelled(f"debugging.{name}", "x", message=None, summarize=None, name=None)


assert_all_finite = respelled("debugging.assert_all_finite", "x message", name=None)
assert_equal = _of_two("assert_equal")
assert_greater = _of_two("assert_greater")
assert_greater_equal = _of_two("assert_greater_equal")
assert_integer = respelled("debugging.assert_integer", "x", message=None, name=None)
assert_less = _of_two("assert_less")
assert_less_equal = _of_two("assert_less_equal")
assert_near = respelled(
    "debugging.assert_near", "x y", rtol=None, atol=None, message=None, summarize=None, name=None
)
assert_negative = _of_one("assert_negative")
assert_non_negative = _of_one("assert_non_negative")
assert_non_positive = _of_one("assert_non_positive")
assert_none_equal = respelled(
    "debugging.assert_none_equal", "x y", summarize=None, message=None, name=None
)
assert_positive = _of_one("assert_positive")
assert_rank = respelled("debugging.assert_rank", "x rank", message=None, name=None)
assert_rank_at_least = respelled(
    "debugging.assert_rank_at_least", "x rank", message=None, name=None
)
assert_rank_in = respelled("debugging.assert_rank_in", "x ranks", message=None, name=None)
assert_scalar = respelled("debugging.assert_scalar", "tensor", message=None, name=None)
assert_type = respelled("debugging.assert_type", "tensor tf_type", message=None, name=None)
