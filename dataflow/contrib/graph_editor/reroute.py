"""Changing where tensors go."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.graph_editor import lists, subgraph
from dataflow.graph.operation import Operation


def _check(ts0: list[Any], ts1: list[Any]) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1, strict=True):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.shape.is_compatible_with(t1.shape):
            raise ValueError(f"Shapes {t0.shape} and {t1.shape} are not compatible.")


def _reroute(
    ts0: Any, ts1: Any, both: bool, can_modify: Any = None, cannot_modify: Any = None
) -> int:
    """Gives what takes the second tensors the first ones, and the other way round for both."""
    first, second = lists.make_list_of_t(ts0), lists.make_list_of_t(ts1)
    _check(first, second)
    allowed = None if can_modify is None else frozenset(lists.make_list_of_op(can_modify))
    refused = frozenset(lists.make_list_of_op(() if cannot_modify is None else cannot_modify))
    pairs = list(zip(first, second, strict=True))
    edges = [(new, old) for new, old in pairs] + ([(b, a) for a, b in pairs] if both else [])
    # All edges are looked up before one is changed: swaps would see what they have done.
    changes = [
        (op, index, new)
        for new, old in edges
        if new is not old
        for op in old.consumers()
        if (allowed is None or op in allowed) and op not in refused
        for index, t in enumerate(op.inputs)
        if t is old
    ]
    for op, index, new in changes:
        op._update_input(index, new)
    return len(changes)


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Gives what takes the first tensors the second ones, and the other way round.

    Args:
      ts0: The first tensors.
      ts1: The second ones.
      can_modify: Operations that may be changed, or None: all.
      cannot_modify: Operations that may not.

    Returns:
      How many inputs were changed.

    Raises:
      ValueError: The tensors do not fit one another.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Gives what takes the second tensors the first ones; see `swap_ts`."""
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _views(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    first, second = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    if first.graph is not None and second.graph is not None and first.graph is not second.graph:
        raise ValueError("Argument[1]: Wrong graph!")
    return first, second


def _inputs(sgv0: Any, sgv1: Any, both: bool) -> tuple[Any, Any]:
    first, second = _views(sgv0, sgv1)
    can_modify = [*first.ops, *second.ops]
    for view in (first, second):
        can_modify += lists.get_consuming_ops(list(view.passthroughs))
    _reroute(list(first.inputs), list(second.inputs), both, can_modify)
    before = first.copy(), second.copy()
    second._input_ts, second._passthrough_ts = before[0]._input_ts, before[0]._passthrough_ts
    _moved_outputs(second, before[1])
    if both:
        first._input_ts, first._passthrough_ts = before[1]._input_ts, before[1]._passthrough_ts
        _moved_outputs(first, before[0])
    return first, second


def _moved_outputs(view: Any, before: Any) -> None:
    """Outputs that only pass by are what now passes by."""
    view._output_ts = [
        view._input_ts[before.input_index(t)] if before.is_passthrough(t) else t
        for t in before._output_ts
    ]


def _outputs(sgv0: Any, sgv1: Any, both: bool) -> tuple[Any, Any]:
    first, second = _views(sgv0, sgv1)
    cannot_modify = [*first.ops, *second.ops]
    _reroute(list(first.outputs), list(second.outputs), both, None, cannot_modify)
    return first, second


def swap_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Swaps the inputs of two parts."""
    return _inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Gives the second part the inputs of the first."""
    return _inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Swaps the outputs of two parts."""
    return _outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Gives what takes the outputs of the second part those of the first."""
    return _outputs(sgv0, sgv1, False)


def swap_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Swaps the inputs and outputs of two parts."""
    return _inputs(*_outputs(sgv0, sgv1, True), True)


def reroute_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Puts the first part in the place of the second."""
    return _inputs(*_outputs(sgv0, sgv1, False), False)


def _control(op: Any, cops: Any) -> list[Any]:
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return lists.make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Makes an operation wait for others no more.

    Raises:
      ValueError: It does not wait for one of them.
    """
    removed = _control(op, cops)
    for each in removed:
        if each not in op.control_inputs:
            raise ValueError(f"{op.name} is not a control_input of {each.name}")
    kept = [each for each in op.control_inputs if each not in removed]
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


def add_control_inputs(op: Any, cops: Any) -> None:
    """Makes an operation wait for others.

    Raises:
      ValueError: It waits for one of them already.
    """
    added = _control(op, cops)
    for each in added:
        if each in op.control_inputs:
            raise ValueError(f"{each.name} is already a control_input of {op.name}")
    op._add_control_inputs(added)
