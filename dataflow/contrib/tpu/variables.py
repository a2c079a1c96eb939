"""Variables of bfloat16 models, which are float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


@contextmanager
def bfloat16_scope() -> Iterator[Any]:
    """A variable scope whose bfloat16 variables are float32, and converted when they are read."""
    with variable_scope("", custom_getter=_precise) as scope:
        yield scope


def _precise(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    # Only these are converted: batch norm assigns to what it gets, which must be the variable.
    if kwargs["dtype"] != dtypes.bfloat16:
        return getter(*args, **kwargs)
    return cast(getter(*args, **(kwargs | {"dtype": dtypes.float32})), dtypes.bfloat16)
