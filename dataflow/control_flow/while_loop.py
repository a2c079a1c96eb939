"""tf.while_loop: repeats a body as long as a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.math.compare as math_compare
from dataflow.control_flow import while_v2
from dataflow.control_flow.loop_building import build_loop
from dataflow.control_flow.variable_reads import read_variables
from dataflow.control_flow.version import is_functional
from dataflow.control_flow.while_context import WhileContext
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.constant import constant
from dataflow.values.shapes import TensorShape


@shortened
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats `body` as long as `cond` is true; both are called once, to make their operations.

    Args:
      cond: Takes the loop variables, returns a boolean scalar.
      body: Takes the loop variables, returns what they are in the next iteration.
      loop_vars: What the loop starts with: a structure of tensors, TensorArrays, sparse tensors.
      shape_invariants: A structure like it of TensorShapes that hold in every iteration; by
        default the shapes that the values enter with.
      parallel_iterations: How many iterations may be under way at once.
      back_prop: Whether gradients may pass through the loop.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      name: Name scope of the operations.
      maximum_iterations: An integer scalar; the loop ends then whatever the condition says.
      return_same_structure: Whether a single loop variable comes back in its list or tuple.

    Returns:
      The loop variables after the loop.

    Raises:
      TypeError: `cond` or `body` is not callable, `parallel_iterations` is less than 1, or the
        body returns another structure.
      ValueError: There is no loop variable, or one changes its shape.

    >>> i, product = tf.while_loop(lambda i, p: i <= 5, lambda i, p: (i + 1, p * i), [1, 1])
    >>> with tf.Session() as session:
    ...     print(session.run(product))
    120
    """
    if not callable(cond):
        raise TypeError("cond must be callable.")
    if not callable(body):
        raise TypeError("body must be callable.")
    if parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    loop_vars = read_variables(loop_vars)
    if is_functional(scopes.get_default_graph()):
        return while_v2.while_loop(
            cond,
            body,
            loop_vars,
            shape_invariants,
            parallel_iterations,
            maximum_iterations,
            name,
            return_same_structure,
            back_prop,
        )
    with scopes.name_scope(name, "while", loop_vars):
        if not loop_vars:
            raise ValueError("No loop variables provided")
        limit = maximum_iterations
        if limit is not None:
            limit = convert_to_tensor(limit, name="maximum_iterations")
            if limit.shape.ndims != 0:
                raise ValueError(f"maximum_iterations must be a scalar, saw shape: {limit.shape}")
            single_var = len(loop_vars) == 1 and not return_same_structure
            counter = constant(0, dtype=limit.dtype, name="iteration_counter")
            loop_vars = (counter, loop_vars[0] if single_var else loop_vars)
            cond, body = _bounded(cond, body, limit, single_var)
            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants)
        context = WhileContext(limit, parallel_iterations, back_prop, swap_memory)
        if context.outer_context is None:
            # Contexts inside another one are saved with it.
            scopes.add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = build_loop(context, cond, body, loop_vars, shape_invariants, return_same_structure)
        return result if limit is None else result[1]


def _bounded(
    cond: Callable[..., Any], body: Callable[..., Any], limit: Any, single_var: bool
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Condition and body of a loop that counts its iterations."""

    def bounded_cond(i: Any, variables: Any) -> Any:
        in_bounds = i < limit
        goes_on = cond(variables) if single_var else cond(*variables)
        return math_compare.logical_and(in_bounds, goes_on)

    def counting_body(i: Any, variables: Any) -> Any:
        return i + 1, body(variables) if single_var else body(*variables)

    return bounded_cond, counting_body
