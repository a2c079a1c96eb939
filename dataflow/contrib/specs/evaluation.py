"""Runs texts that describe nets and their parameters.

They are Python, and part of the program: one that comes from elsewhere is run as any other code is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from dataflow.contrib.specs import operators, parameters
from dataflow.contrib.specs.expressions import check_keywords


def eval_params(params: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The names that a text of parameters sets, as `n=64; d=Ui(1, 5)`, and those given.

    The text may use all of `math`.

    Args:
      params: Assignments.
      environment: Values by name.

    Raises:
      ValueError: The text is more than assignments.
    """
    return _names(params, {**vars(math), **vars(parameters)}, environment)


def eval_spec(spec: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The names that a text of nets sets, as `left = Cr(64, [5, 5]); right = Fr(64)`.

    Args:
      spec: Assignments.
      environment: Values by name.

    Raises:
      ValueError: The text is more than assignments.
    """
    return _names(spec, vars(operators), environment)


def _names(
    text: str, known: Mapping[str, Any], environment: Mapping[str, Any] | None
) -> dict[str, Any]:
    check_keywords(text)
    found = dict(environment or {})
    exec(text, dict(known), found)
    return found


def create_net_fun(spec: str, environment: Mapping[str, Any] | None = None) -> Callable[[Any], Any]:
    """The function of a tensor that a text calls `net`; see `eval_spec`.

    Raises:
      ValueError: The text sets no `net`, or is more than assignments.
    """
    net = eval_spec(spec, environment).get("net")
    if net is None:
        raise ValueError(f"spec failed to create 'net': {spec}")
    function: Callable[[Any], Any] = net.funcall
    return function


def create_net(spec: str, inputs: Any, environment: Mapping[str, Any] | None = None) -> Any:
    """What the `net` of a text makes of a tensor; see `create_net_fun`."""
    return create_net_fun(spec, environment)(inputs)


class LocalImport:
    """Within a `with`, names are those of the module that the `with` stands in."""

    def __init__(self, names: Mapping[str, Any] | ModuleType) -> None:
        """Takes values by name, or a module."""
        self.names = dict(vars(names) if isinstance(names, ModuleType) else names)
        self.old: dict[str, Any] = {}

    def __enter__(self) -> None:
        bindings = sys._getframe(1).f_globals
        self.old = {key: bindings[key] for key in self.names.keys() & bindings.keys()}
        bindings.update(self.names)

    def __exit__(self, *_: object) -> None:
        bindings = sys._getframe(1).f_globals
        for key in self.names:
            del bindings[key]
        bindings.update(self.old)


ops = LocalImport({key: value for key, value in vars(operators).items() if key[:2] != "__"})
