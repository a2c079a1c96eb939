"""Makes the nodes of a loop: Enter, Merge, Switch, Exit and NextIteration of each loop variable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.control_flow import loop_shapes, predicates, primitives
from dataflow.control_flow.variable_reads import read_variables
from dataflow.control_flow.while_context import WhileContext
from dataflow.control_flow.written_summaries import with_summaries
from dataflow.functions import flow
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from dataflow.graph.tensor import Tensor
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape


def build_loop(
    context: WhileContext,
    pred: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any,
    return_same_structure: bool,
) -> Any:
    """Makes a loop in its context; see `while_loop`.

    Raises:
      TypeError: The body returns another structure, or a loop variable changes its type.
      ValueError: A loop variable may change its shape, or their number differs.
    """
    originals = nest.flatten(loop_vars, expand_composites=True)
    loop_vars = nest.map_structure(_tensor_or_array, loop_vars)
    values = [flow.to_flow(each) for each in nest.flatten(loop_vars, expand_composites=True)]
    invariants = loop_shapes.shape_invariants_of(loop_vars, shape_invariants)
    # No step may start between the making of a Merge and that of its back edge.
    with scopes.get_default_graph()._building, primitives.entered(context):
        loop = _Loop(context, originals, values, loop_vars)
        result, exits = loop.build(pred, body, invariants)
    arrays = [
        flow.from_flow(original, value)
        for original, value in zip(nest.flatten(result, expand_composites=True), exits, strict=True)
    ]
    packed = nest.pack_sequence_as(result, arrays, expand_composites=True)
    return packed if return_same_structure or len(exits) != 1 else packed[0]


def _tensor_or_array(value: Any) -> Any:
    if flow.is_tensor_array(value):
        return value
    return convert_to_tensor_or_indexed_slices(value)


class _Loop:
    """One loop under construction."""

    def __init__(
        self, context: WhileContext, originals: list[Any], values: list[Tensor], structure: Any
    ) -> None:
        self._context = context
        self._originals = originals
        self._values = values
        self._structure = structure

    def build(
        self,
        pred: Callable[..., Any],
        body: Callable[..., Any],
        invariants: Sequence[TensorShape],
    ) -> tuple[Any, list[Tensor]]:
        """Returns what the body returned, and the Exits of the loop variables."""
        context = self._context
        enters = self._enter(invariants)
        merges = [primitives.merge([each, each])[0] for each in enters]
        context._pivot_for_pred = merges[0]
        condition = convert_to_tensor(pred(*self._packed(merges)))
        context._pivot = primitives.loop_cond(condition, name="LoopCond")
        switches = [primitives.switch_ref_or_tensor(each, context._pivot) for each in merges]
        inside = [primitives.identity(staying) for _, staying in switches]
        context._pivot_for_body = inside[0]
        packed = self._packed(inside)
        result = with_summaries(lambda: body(*packed))
        if not nest.is_nested(result):
            result = [result]
        result = read_variables(result)
        # Loop variables come as a list and the body returns a tuple: the outermost may differ.
        nest.assert_same_structure(list(packed), list(result), expand_composites=True)
        self._close(merges, result)
        exits = [primitives.exit(leaving) for leaving, _ in switches]
        context._loop_exits = exits
        context.ExitResult(exits)
        return result, exits

    def _packed(self, values: Sequence[Tensor]) -> Any:
        arrays = [
            flow.from_flow(original, value)
            for original, value in zip(self._originals, values, strict=True)
        ]
        return nest.pack_sequence_as(self._structure, arrays, expand_composites=True)

    def _enter(self, invariants: Sequence[TensorShape]) -> list[Tensor]:
        context = self._context
        outer = context.outer_context
        context._set_values(self._values)
        values = self._values if outer is None else [outer.AddValue(each) for each in self._values]
        enters: list[Tensor] = []
        with scopes.control_dependencies(None):
            for value, invariant in zip(values, invariants, strict=True):
                entered = primitives.enter(
                    value,
                    context.name,
                    is_constant=False,
                    parallel_iterations=context.parallel_iterations,
                    use_input_shape=False,
                )
                loop_shapes.check_entering(value, invariant)
                entered.set_shape(invariant)
                entered.graph.prevent_feeding(entered)
                if outer is not None:
                    outer.AddInnerOp(entered.op)
                enters.append(entered)
        self._bind_to_outer(enters)
        context._fix_control_inputs_and_context(enters)
        context._set_values(enters)
        context._loop_enters = enters
        return enters

    def _bind_to_outer(self, enters: Sequence[Tensor]) -> None:
        """Makes variables that start as an invariant of an outer loop wait for its iteration."""
        outer = self._context.outer_context
        pivot = None
        while outer is not None and pivot is None:
            pivot = outer.GetControlPivot()
            outer = outer.outer_context
        if pivot is None:
            return
        for tensor in enters:
            if predicates.is_constant_enter(tensor.op.inputs[0].op):
                tensor.op._add_control_input(pivot.op)

    def _close(self, merges: Sequence[Tensor], result: Any) -> None:
        """Adds the back edges."""
        flat = nest.flatten(result, expand_composites=True)
        values = [convert_to_tensor_or_indexed_slices(flow.to_flow(each)) for each in flat]
        if len(merges) != len(values):
            raise ValueError(
                "Number of inputs and outputs of 'body' must match 'loop_vars'. Got "
                f"{len(merges)} for the number of inputs/outputs, and {len(values)} for "
                "'loop_vars'."
            )
        for merged, value in zip(merges, values, strict=True):
            add_back_edge(merged, value)


def add_back_edge(merged: Any, value: Any, enforce_shape_invariant: bool = True) -> Any:
    """Makes a value what a loop variable is in the next iteration.

    Args:
      merged: The loop variable in an iteration: the output of its Merge.
      value: The value.
      enforce_shape_invariant: Whether a change of shape is refused.

    Returns:
      The value, passed on to the next iteration.

    Raises:
      ValueError: The value has another shape.
    """
    if isinstance(merged, CompositeTensor):
        following = primitives.next_iteration(primitives.as_indexed_slices(value))
        parts = zip(merged._components(), following._components(), strict=True)
        for part, next_part in parts:
            part.op._update_input(1, next_part)
        return following
    following = primitives.next_iteration(convert_to_tensor(value))
    if enforce_shape_invariant:
        loop_shapes.check_invariant(merged, following)
    merged.op._update_input(1, following)
    return following
