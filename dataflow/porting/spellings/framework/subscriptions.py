"""tensorflow.python.framework.subscribe: side effects that run whenever a tensor is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.values import nest
from dataflow.variables.variable import Variable


def subscribe(tensors: Any, side_effects: Any) -> Any:
    """Attaches side effects to tensors, and puts them before all that uses these.

    Args:
      tensors: A tensor or variable, or a list, tuple, named tuple or dictionary of such.
      side_effects: A function of a tensor that gives a list of tensors and operations, or a list
        of such functions.

    Returns:
      The same structure, of the tensors to use from now on. One of a type that numpy has not is
      given as it is.

    Raises:
      TypeError: There is something else among `tensors`.
    """
    effects = side_effects if isinstance(side_effects, Sequence) else [side_effects]
    found = nest.map_structure(_tensor_of, tensors)
    # Several outputs of one operation: what waits for it waits for each of them.
    waiting = {each.op: list(each.op._control_outputs) for each in nest.flatten(found)}
    return nest.map_structure(lambda each: _subscribed(each, effects, waiting[each.op]), found)


def _tensor_of(item: Any) -> Tensor:
    tensor = item.value() if isinstance(item, Variable) else item
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{item!r} has invalid type {type(item).__name__}: it is no tensor")
    return tensor


def _subscribed(
    tensor: Tensor,
    effects: Sequence[Callable[[Tensor], Iterable[Any]]],
    waiting: Iterable[Operation],
) -> Tensor:
    if not tensor.dtype.is_numpy_compatible:
        return tensor
    users = tensor.consumers()
    known = [tensor, *(op.outputs[0] for op in users if op.type == "Identity")]
    behind: Tensor | None = next(filter(_is_subscribed_identity, known), None)
    source = tensor if behind is None else behind.op.inputs[0]
    with _beside(source):
        made = [each for effect in effects for each in effect(source)]
        if behind is not None:
            ops = (each.op if isinstance(each, Tensor) else each for each in made)
            behind.op._add_control_inputs(ops)
            return behind
        with scopes.control_dependencies(made):
            behind = identity(source)
    for op in users:
        op._update_input(list(op.inputs).index(source), behind)
    for op in waiting:
        others = [each for each in op.control_inputs if each is not source.op]
        op._remove_all_control_inputs()
        op._add_control_inputs([*others, behind.op])
    return behind


def _is_subscribed_identity(tensor: Tensor) -> bool:
    """Whether a tensor is one that `subscribe` gave."""
    op = tensor.op
    if op.type != "Identity":
        return False
    return op.name.startswith(f"{op.inputs[0].op.name}/subscription/Identity")


@contextmanager
def _beside(tensor: Tensor) -> Iterator[None]:
    """Where what is made belongs to a tensor: in its branch or loop, and under its name."""
    graph, context = tensor.graph, tensor.op._get_control_flow_context()
    before = graph._get_control_flow_context()
    graph._set_control_flow_context(context)
    try:
        with (
            scopes.device(tensor.device or None),
            scopes.name_scope(f"{tensor.op.name}/subscription/"),
        ):
            yield
    finally:
        graph._set_control_flow_context(before)
