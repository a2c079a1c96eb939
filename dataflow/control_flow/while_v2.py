"""while_loop as one node, While, that calls a function for the condition and one for the body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.cond_v2 import as_predicate
from dataflow.control_flow.functional import (
    add_function,
    add_functional_op,
    copy_handle_data,
    is_stateful,
    mark_for_lowering,
    mark_read_only_inputs,
    unique_function_name,
)
from dataflow.control_flow.intermediates import accumulate_intermediates
from dataflow.control_flow.loop_shapes import is_at_most, shape_invariants_of
from dataflow.control_flow.variable_reads import read_variables
from dataflow.control_flow.version import outputs_all_intermediates
from dataflow.functions import flow
from dataflow.functions.func_graph import FuncGraph, WhileBodyFuncGraph, WhileCondFuncGraph
from dataflow.functions.tracing import Parameter, parameter_of, trace
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape

_FIRST_LOOP_VAR = 2
"""Before the loop variables stand the number of iterations done and the most there may be."""

_UNBOUNDED = -1


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
    return_same_structure: bool = True,
    back_prop: bool = True,
) -> Any:
    """Repeats `body` as long as `cond` is true; see `dataflow.control_flow.while_loop`.

    Raises:
      TypeError: A loop variable changes its type.
      ValueError: A loop variable changes its shape, or the body returns another structure.
    """
    original_vars = read_variables(loop_vars)
    flat_original = nest.flatten(original_vars, expand_composites=True)
    entering = nest.map_structure(_entering_value, original_vars, expand_composites=True)
    invariants = shape_invariants_of(entering, shape_invariants)
    with scopes.name_scope(name or "while") as scope:
        with scopes.name_scope(None):
            cond_name = unique_function_name(scope, "cond")
            body_name = unique_function_name(scope, "body")
        bounded = maximum_iterations is not None
        limit = convert_to_tensor(
            maximum_iterations if bounded else _UNBOUNDED,
            dtype=dtypes.int32,
            name="maximum_iterations",
        )
        counter = constant(0, dtype=limit.dtype if bounded else None, name="loop_counter")
        flat_vars = nest.flatten(entering, expand_composites=True)
        signature = [
            parameter_of(counter, counter.op.name),
            parameter_of(limit, limit.op.name),
            *(
                Parameter(tensor.dtype.base_dtype, shape, None, tensor.handle_data)
                for tensor, shape in zip(flat_vars, invariants, strict=True)
            ),
        ]
        automatic = scopes.get_default_graph()._add_control_dependencies
        structure = _Structure(original_vars, flat_original)

        def bounded_cond(count: Tensor, most: Tensor, *args: Tensor) -> Any:
            pred = cond(*structure.packed(args))
            if isinstance(pred, Tensor):
                pred = as_predicate(pred)
            if not bounded:
                return pred
            below: Any = count < most
            return math_compare.logical_and(below, pred)

        cond_graph = trace(
            WhileCondFuncGraph(cond_name, share_collections=True),
            bounded_cond,
            signature,
            automatic_control=automatic,
        )

        def counting_body(count: Any, most: Tensor, *args: Tensor) -> Any:
            for tensor in cond_graph.external_captures:
                body_graph.capture(tensor)
            outputs = body(*structure.packed(args))
            if not nest.is_nested(outputs):
                outputs = [outputs]
            structure.check(outputs)
            outputs = nest.map_structure(flow.to_flow, outputs)
            return [count + 1, most, *outputs]

        body_graph = WhileBodyFuncGraph(body_name, share_collections=True)
        trace(body_graph, counting_body, signature, automatic_control=automatic)
        captured = body_graph.external_captures
        body_graph.outputs += body_graph.internal_captures
        _add_unused_inputs(cond_graph, captured[len(cond_graph.captures) :])
        inputs = [counter, limit, *flat_vars, *captured]
        num_original_outputs = len(body_graph.outputs)
        if back_prop and outputs_all_intermediates():
            inputs += accumulate_intermediates(cond_graph, body_graph, limit)
        last = _FIRST_LOOP_VAR + len(flat_vars)
        _check_shapes(body_graph.outputs[_FIRST_LOOP_VAR:last], invariants, flat_vars)
        check_arity(cond_graph, body_graph, len(inputs))
        _check_types(body_graph, inputs)
        shapes = body_graph.output_shapes
        shapes[_FIRST_LOOP_VAR:last] = invariants
        waits_for = [*cond_graph.captured.control, *body_graph.captured.control]
        with scopes.control_dependencies(waits_for):
            op = build_while(
                inputs,
                cond_graph,
                body_graph,
                shapes,
                parallel_iterations,
                scope,
                num_original_outputs,
            )
        outputs = list(op.outputs)
        if not op.graph.building_function:
            outputs = [identity(tensor) for tensor in outputs]
    results = outputs[_FIRST_LOOP_VAR:last]
    if not back_prop:
        results = [single("StopGradient", tensor) for tensor in results]
    return structure.returned(results, return_same_structure)


def build_while(
    inputs: Sequence[Tensor],
    cond_graph: FuncGraph,
    body_graph: FuncGraph,
    output_shapes: Sequence[TensorShape],
    parallel_iterations: int,
    name: str,
    num_original_outputs: int,
) -> Operation:
    """Adds a While node for a traced condition and body.

    Args:
      inputs: What the parameters of both start with.
      cond_graph: The condition.
      body_graph: The body; it has an output for each input.
      output_shapes: Static shapes of the outputs.
      parallel_iterations: How many iterations may be under way at once.
      name: Name of the node.
      num_original_outputs: How many outputs are no values saved for the gradient.
    """
    graphs = (cond_graph, body_graph)
    cond, body = map(add_function, graphs)
    op = add_functional_op(
        "While" if is_stateful(graphs) else "StatelessWhile",
        inputs,
        {
            "T": tuple(tensor.dtype.base_dtype for tensor in inputs),
            "cond": cond,
            "body": body,
            "output_shapes": tuple(output_shapes),
            "parallel_iterations": parallel_iterations,
        },
        name,
    )
    copy_handle_data(body_graph.outputs, op.outputs)
    mark_for_lowering(op)
    mark_read_only_inputs(op, graphs, first_input=0)
    op._set_attr("_num_original_outputs", num_original_outputs)
    for graph in graphs:
        graph.outer_graph = op.graph
    set_loop_graphs(op, cond_graph, body_graph)
    return op


def set_loop_graphs(op: Operation, cond_graph: FuncGraph, body_graph: FuncGraph) -> None:
    """Keeps the bodies of a node's functions with it, for its gradient."""
    op._loop_graphs = (cond_graph, body_graph)  # type: ignore[attr-defined]


def known_loop_graphs(op: Operation) -> tuple[FuncGraph, FuncGraph] | None:
    """The bodies `set_loop_graphs` has put there: condition and body."""
    graphs: tuple[FuncGraph, FuncGraph] | None = getattr(op, "_loop_graphs", None)
    return graphs


class _Structure:
    """The structure of the loop variables, with their TensorArrays."""

    def __init__(self, loop_vars: Any, flat: Sequence[Any]) -> None:
        self._loop_vars = loop_vars
        self._flat = flat

    def packed(self, tensors: Sequence[Tensor]) -> Any:
        """Tensors in the form of the loop variables."""
        atoms = [flow.from_flow(*pair) for pair in zip(self._flat, tensors, strict=True)]
        return nest.pack_sequence_as(self._loop_vars, atoms, expand_composites=True)

    def returned(self, results: Sequence[Tensor], return_same_structure: bool) -> Any:
        """What `while_loop` returns: a single loop variable without its list, unless asked for."""
        packed = self.packed(results)
        if return_same_structure:
            return packed
        flat = nest.flatten(packed, expand_composites=True)
        return flat[0] if len(flat) == 1 else packed

    def check(self, outputs: Any) -> None:
        """Raises ValueError if what the body returned has another structure."""
        try:
            nest.assert_same_structure(
                outputs, self._loop_vars, check_types=False, expand_composites=True
            )
        except ValueError:
            nest.assert_same_structure(
                read_variables(outputs),
                read_variables(self._loop_vars),
                check_types=False,
                expand_composites=True,
            )


def _entering_value(value: Any) -> Any:
    return convert_to_tensor_or_indexed_slices(flow.to_flow(value))


def _add_unused_inputs(cond_graph: FuncGraph, captured: Sequence[Tensor]) -> None:
    """Gives the condition the inputs that only the body uses."""
    prefix = cond_graph.unique_name(f"{cond_graph.name}___redundant_placeholder")
    with cond_graph.as_default():
        for index, tensor in enumerate(captured):
            unused = single(
                "Placeholder",
                dtype=tensor.dtype.base_dtype,
                shape=TensorShape.of(None),
                name=f"{prefix}{index}",
            )
            unused.handle_data = tensor.handle_data
            cond_graph.captured.add(tensor, unused)
            cond_graph.inputs.append(unused)


def _check_shapes(
    outputs: Sequence[Tensor], invariants: Sequence[TensorShape], inputs: Sequence[Tensor]
) -> None:
    # If a body returns too few or too many values, that is found next.
    for tensor, shape, entering in zip(outputs, invariants, inputs, strict=False):
        if not is_at_most(tensor.shape, shape):
            raise ValueError(
                f"Input tensor `{entering.name}` enters the loop with shape {shape}, but has shape "
                f"{tensor.shape} after one iteration. To allow the shape to vary across "
                "iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
                "less-specific shape."
            )


def check_arity(cond_graph: FuncGraph, body_graph: FuncGraph, number: int) -> None:
    """Raises AssertionError unless condition and body have as many inputs and outputs as needed."""
    for what, tensors, expected in (
        ("cond_graph takes {} inputs", cond_graph.inputs, number),
        ("cond_graph has {} outputs", cond_graph.outputs, 1),
        ("body_graph takes {} inputs", body_graph.inputs, number),
        ("body_graph has {} outputs", body_graph.outputs, number),
    ):
        if len(tensors) != expected:
            raise AssertionError(f"{what.format(len(tensors))}; Expected: {expected}")


def _check_types(body_graph: FuncGraph, inputs: Sequence[Tensor]) -> None:
    for parameter, output, entering in zip(
        body_graph.inputs, body_graph.outputs, inputs, strict=True
    ):
        if parameter.dtype != output.dtype:
            raise TypeError(
                f"Loop var {entering.name} enters the loop with type {parameter.dtype} but has "
                f"type {output.dtype} after 1 iteration. {entering.name} type should remain "
                "constant."
            )
