"""defun: tf.function's predecessor, whose functions may make variables on every call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.library.concrete.arguments import BoundArguments
from dataflow.library.concrete.polymorphic import (
    Function,
    conversion,
    outer_variable,
    relaxes_of,
)
from dataflow.library.concrete.tracing import TracedFunction


class _Defun(Function):
    """What `defun` makes: the variables of each trace are made where the function is called."""

    def _made(self, bound: BoundArguments) -> TracedFunction:
        return self._traced(bound, outer_variable)


def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Makes a graph function of a Python function, or a decorator that does; see `tf.function`."""
    return defun_with_attributes(
        func,
        input_signature,
        None,
        autograph,
        experimental_autograph_options,
        experimental_relax_shapes,
    )


def defun_with_attributes(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    attributes: Mapping[str, Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """`defun` with further attrs of the graph function."""
    convert = conversion(experimental_autograph_options) if autograph else None
    relaxes = relaxes_of(experimental_relax_shapes)

    def decorated(inner: Callable[..., Any]) -> Function:
        attrs = dict(attributes or {})
        name = getattr(getattr(inner, "func", inner), "__name__", type(inner).__name__)
        return _Defun(inner, name, input_signature, attrs, relaxes, convert)

    return decorated if func is None else decorated(func)
