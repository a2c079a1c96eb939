"""Taking parts of a graph out, and putting others in their place."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.graph_editor import lists, reroute, select, subgraph
from dataflow.ops.basic.placeholder import placeholder


def detach_control_inputs(sgv: Any) -> None:
    """Takes away the control inputs that come from outside of a view.

    Args:
      sgv: A view, or what `make_view` makes one of.
    """
    view = subgraph.make_view(sgv)
    inside = frozenset(view.ops)
    for op in view.ops:
        reroute.remove_control_inputs(
            op, [each for each in op.control_inputs if each not in inside]
        )


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Takes a view's operations away from the control inputs of those outside of it.

    Args:
      sgv: A view, or what `make_view` makes one of.
      control_outputs: A `ControlOutputs`, which is brought up to date first.

    Raises:
      TypeError: It is none.
    """
    if not isinstance(control_outputs, lists.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    view = subgraph.make_view(sgv)
    inside = frozenset(view.ops)
    for op in view.ops:
        for each in list(control_outputs.get(op)):
            if each not in inside:
                reroute.remove_control_inputs(each, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> tuple[Any, list[Any]]:
    """Puts placeholders in the place of a view's inputs.

    Args:
      sgv: A view, which is changed, or what `make_view` makes one of.
      control_inputs: Whether control inputs from outside are taken away, too.

    Returns:
      The view and the placeholders.

    Raises:
      ValueError: There is no view of `sgv`.
    """
    view = subgraph.make_view(sgv)
    with view.graph.as_default():
        made = [placeholder(t.dtype, name=lists.placeholder_name(t)) for t in view.inputs]
    reroute.swap_inputs(view, made)
    if control_inputs:
        detach_control_inputs(view)
    return view, made


def detach_outputs(sgv: Any, control_outputs: Any = None) -> tuple[Any, list[Any]]:
    """Gives placeholders to what takes a view's outputs.

    Args:
      sgv: A view, or what `make_view` makes one of.
      control_outputs: A `ControlOutputs`, if control outputs are to be taken away, too.

    Returns:
      A view of those outputs that were taken, and the placeholders.

    Raises:
      ValueError: There is no view of `sgv`.
    """
    view = subgraph.make_view(sgv)
    taken = view.remap_outputs([at for at, t in enumerate(view.outputs) if t.consumers()])
    takers = subgraph.SubGraphView(taken.consumers())
    given = {id(t) for t in taken.outputs}
    takers = takers.remap_inputs([at for at, t in enumerate(takers.inputs) if id(t) in given])
    with taken.graph.as_default():
        made = [lists.make_placeholder_from_tensor(t) for t in takers.inputs]
    reroute.swap_outputs(taken, made)
    if control_outputs is not None:
        detach_control_outputs(taken, control_outputs)
    return taken, made


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, list[Any], list[Any]]:
    """Takes a view's inputs and outputs away, see `detach_inputs` and `detach_outputs`.

    Args:
      sgv: A view, which is changed, or what `make_view` makes one of.
      control_inputs: Whether control inputs are taken away, too.
      control_outputs: A `ControlOutputs`, if control outputs are.
      control_ios: A `ControlOutputs`, if both are.

    Returns:
      `sgv`, and the placeholders in the place of inputs and of outputs.

    Raises:
      ValueError: There is no view of `sgv`, or `control_ios` is given beside one of the others.
    """
    with_inputs, with_outputs = select.check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, with_inputs)
    _, outputs = detach_outputs(sgv, with_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> tuple[Any, Any]:
    """Gives one view's outputs to another one's inputs.

    Args:
      sgv0: The first view, or what `make_view` makes one of.
      sgv1: The second one, which is changed.
      disconnect_first: Whether what took the outputs before gets placeholders.

    Returns:
      Both views.

    Raises:
      ValueError: They are of two graphs, or do not fit one another.
    """
    first, second = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    lists.get_unique_graph([*first.ops, *second.ops])
    if disconnect_first:
        detach_outputs(first)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=first.outputs), second)
    return first, second


def bypass(sgv: Any) -> tuple[Any, list[Any]]:
    """Gives a view's inputs to what takes its outputs, and placeholders to the view.

    Args:
      sgv: A view with as many inputs as outputs, which is changed, or what a view is made of.

    Returns:
      The view and the placeholders.

    Raises:
      ValueError: Inputs and outputs do not fit one another.
    """
    view = subgraph.make_view(sgv)
    before = list(view.inputs)
    view, made = detach_inputs(view)
    reroute.reroute_ts(before, view.outputs)
    return view, made
