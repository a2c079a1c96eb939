"""Which form conditionals and loops take: Switch and Merge, or nodes that call functions."""

from __future__ import annotations

from typing import Final

from dataflow.graph.graph import Graph


class _Version:
    """What the program asked for; at first neither functional control flow nor intermediates."""

    def __init__(self) -> None:
        self.functional = False
        self.intermediates: bool | None = None


_VERSION: Final = _Version()


def enable_control_flow_v2() -> None:
    """Makes `cond` and `while_loop` add If and While nodes from now on."""
    _VERSION.functional = True


def disable_control_flow_v2() -> None:
    """Makes `cond` and `while_loop` add Switch and Merge nodes from now on."""
    _VERSION.functional = False


def control_flow_v2_enabled() -> bool:
    """True if `cond` and `while_loop` add If and While nodes."""
    return _VERSION.functional


def is_functional(graph: Graph) -> bool:
    """True if control flow in a graph is functional: inside of functional control flow it is.

    So it is where operations get control edges by themselves: a node that calls functions is
    ordered as a whole.
    """
    if graph.building_function:
        return _VERSION.functional or not graph.keeps_control_flow_v1
    return _VERSION.functional or graph._add_control_dependencies


def output_all_intermediates(state: bool | None) -> None:
    """Makes If, Case and While nodes give all that their gradients may need from now on.

    Without it a gradient makes its node give more values, which a session that has run the node
    does not see any more.

    Args:
      state: True or False, or None for what holds without it: they do not.
    """
    _VERSION.intermediates = state


def outputs_all_intermediates() -> bool:
    """True if nodes that call functions give all that their gradients may need."""
    return bool(_VERSION.intermediates)
