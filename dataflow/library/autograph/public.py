"""tf.autograph: conversion of single functions, without a graph function around them."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from malt.lang import directives

from dataflow.library.autograph.conversion import transformed
from dataflow.library.autograph.features import conversion_options

set_loop_options: Callable[..., None] = directives.set_loop_options
"""Says of the loop around it what `tf.while_loop` takes beside condition and body."""


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """A function that does what another one does, and makes operations of `if`, `while` and `for`.

    Args:
      entity: A function or method.
      recursive: Whether the functions that it calls are converted, too.
      arg_values: Has no effect.
      arg_types: Has no effect.
      experimental_optional_features: Members of `tf.autograph.experimental.Feature`.

    Raises:
      ValueError: It is no function with a source, or something in it cannot be converted.
    """
    plain = inspect.unwrap(entity)
    options = conversion_options(experimental_optional_features, recursive)
    try:
        made = transformed(getattr(plain, "__func__", plain), options)
    except Exception as error:
        raise ValueError(f"converting {entity}: {error}") from error
    instance = getattr(plain, "__self__", None)
    return made if instance is None else functools.partial(made, instance)


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """The source of what `to_graph` makes; see there."""
    made = to_graph(
        entity, recursive, experimental_optional_features=experimental_optional_features
    )
    plain = made.func if isinstance(made, functools.partial) else made
    return textwrap.dedent(inspect.getsource(plain))


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing: conversion tells only of functions that it leaves as they are."""


def trace(*args: Any) -> None:
    """Prints its arguments while the graph is made."""
    print(*args)
