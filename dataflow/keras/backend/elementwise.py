"""Functions of the library by Keras' names for them and for what they take."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dataflow.keras import ops


def _called(op: Callable[..., Any], names: str = "x", **defaults: Any) -> Callable[..., Any]:
    """A function that takes its arguments by other names, and no more of them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    empty = inspect.Parameter.empty
    signature = inspect.Signature(
        [inspect.Parameter(each, kind, default=defaults.get(each, empty)) for each in names.split()]
    )

    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return op(*bound.args)

    function.__name__ = function.__qualname__ = op.__name__
    function.__doc__ = op.__doc__
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


abs = _called(ops.abs)
cos = _called(ops.cos)
equal = _called(ops.equal, "x y")
exp = _called(ops.exp)
greater = _called(ops.greater, "x y")
greater_equal = _called(ops.greater_equal, "x y")
less = _called(ops.less, "x y")
less_equal = _called(ops.less_equal, "x y")
log = _called(ops.log)
maximum = _called(ops.maximum, "x y")
minimum = _called(ops.minimum, "x y")
not_equal = _called(ops.not_equal, "x y")
pow = _called(ops.pow, "x a")
round = _called(ops.round)
selu = _called(ops.selu)
shape = _called(ops.shape)
sigmoid = _called(ops.sigmoid)
sign = _called(ops.sign)
sin = _called(ops.sin)
softplus = _called(ops.softplus)
softsign = _called(ops.softsign)
square = _called(ops.square)
squeeze = _called(ops.squeeze, "x axis")
stack = _called(ops.stack, "x axis", axis=0)
tanh = _called(ops.tanh)


def tile(x: Any, n: Any) -> Any:
    """A tensor, repeated along each dimension; of one dimension `n` may be a number."""
    return ops.tile(x, [n] if isinstance(n, int) else n)


transpose = _called(ops.transpose)
