"""The arguments that a user's function takes, and whether it takes those that it should."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from dataflow.values import logging

_OF_MODELS: Final = frozenset(["features", "labels", "mode", "params", "self", "config"])


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names that a function can be given arguments by, without those it is bound to.

    A `functools.partial` takes away what it gives.
    """
    if isinstance(function, functools.partial):
        left = list(argument_names(function.func))[len(function.args) :]
        return tuple(name for name in left if name not in (function.keywords or {}))
    kinds = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        # Some built-in ones do not tell.
        return ()
    return tuple(each.name for each in parameters if each.kind in kinds)


def check_model_fn(model_fn: Callable[..., Any], params: Any) -> None:
    """Checks the arguments of a model function.

    Raises:
      ValueError: It takes no features, takes what no model function is given, or takes no `params`
        where there are some.
    """
    names = set(argument_names(model_fn))
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
            "passed to Estimator."
        )
    if params is None and "params" in names:
        logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to "
            "Estimator.",
            model_fn,
        )
    strange = list(names - _OF_MODELS)
    if strange:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {strange}")
