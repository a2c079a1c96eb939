"""cond and switch_case as one node, If or Case, that calls a function for each branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.control_flow.functional import (
    add_function,
    add_functional_op,
    is_stateful,
    mark_for_lowering,
    mark_read_only_inputs,
    unique_function_name,
)
from dataflow.control_flow.intermediates import wrap_intermediates
from dataflow.control_flow.version import outputs_all_intermediates
from dataflow.functions import flow
from dataflow.functions.func_graph import CondBranchFuncGraph, FuncGraph
from dataflow.functions.tracing import flat_tensors, pack_tensors, trace
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape

COND: Final = "cond"
CASE: Final = "switch_case"


def cond_v2(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = "cond"
) -> Any:
    """Calls one of two functions in the graph, as `pred` says.

    Args:
      pred: A scalar; what is not bool is true if it is not zero or empty.
      true_fn: Makes the result where `pred` is true.
      false_fn: Makes the result where it is false; of the same structure and types.
      name: Name scope of the operations made.

    Raises:
      TypeError: `pred` is a Python bool, or the branches give different structures or types.
      ValueError: One branch uses a tensor of the other.
    """
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with scopes.name_scope(name or "cond") as scope:
        names = [unique_function_name(scope, branch) for branch in ("true", "false")]
        pred = as_predicate(pred)
        branches = [
            _traced_branch(branch_name, function, pred)
            for branch_name, function in zip(names, (true_fn, false_fn), strict=True)
        ]
        check_captures(COND, branches)
        if outputs_all_intermediates():
            wrap_intermediates(branches)
        return build_cond(pred, branches, [b.external_captures for b in branches], scope)


def indexed_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], Any]],
    name: str = "indexed_case",
    lower: bool | None = None,
) -> Any:
    """Calls one of several functions in the graph; the last one if the index is out of range.

    Args:
      branch_index: A scalar of type int32.
      branch_fns: The functions, whose results have the same structure and types.
      name: Name scope of the operations made.
      lower: Whether the node is taken apart before it runs; None leaves it to the library.

    Raises:
      TypeError: `branch_index` is a Python int, or branches give different structures or types.
      ValueError: One branch uses a tensor of another.
    """
    if isinstance(branch_index, int):
        raise TypeError("branch_index must not be a Python int", branch_index)
    with scopes.name_scope(name) as scope:
        names = [unique_function_name(scope, f"branch{i}") for i in range(len(branch_fns))]
        branch_index = convert_to_tensor(branch_index, name="branch_index")
        branches = [
            _traced_branch(branch_name, function, branch_index)
            for branch_name, function in zip(names, branch_fns, strict=True)
        ]
        check_captures(CASE, branches)
        captures = [branch.external_captures for branch in branches]
        return build_case(branch_index, branches, captures, scope, lower)


def as_predicate(pred: Any) -> Tensor:
    """A condition as a scalar tensor, as far as its static shape tells."""
    tensor = convert_to_tensor(pred)
    if tensor.shape.rank is None or tensor.shape.rank > 0:
        tensor = single("Squeeze", tensor)
    return tensor


def _traced_branch(name: str, function: Callable[[], Any], op_return_value: Tensor) -> FuncGraph:
    return trace(
        CondBranchFuncGraph(name, share_collections=True),
        function,
        automatic_control=scopes.get_default_graph()._add_control_dependencies,
        op_return_value=op_return_value,
    )


def build_cond(
    pred: Tensor,
    branches: Sequence[FuncGraph],
    inputs: Sequence[Sequence[Tensor]],
    name: str | None,
) -> Any:
    """Adds an If node for two traced branches; returns its outputs in the branches' structure.

    Args:
      pred: The condition.
      branches: The body for true and the one for false.
      inputs: For each of them the tensors that its inputs stand for.
      name: Name of the node.
    """
    make_indices_agree(COND, branches)
    check_same_outputs(COND, branches)
    node_inputs = make_inputs_agree(branches, inputs)
    waits_for = [op for branch in branches for op in branch.captured.control]
    with scopes.control_dependencies(waits_for):
        then_branch, else_branch = map(add_function, branches)
        op = add_functional_op(
            "If" if is_stateful(branches) else "StatelessIf",
            [pred, *node_inputs],
            {
                "Tcond": pred.dtype.base_dtype,
                "Tin": tuple(tensor.dtype.base_dtype for tensor in node_inputs),
                "Tout": tuple(tensor.dtype for tensor in branches[0].outputs),
                "then_branch": then_branch,
                "else_branch": else_branch,
                "output_shapes": common_shapes(branches),
            },
            name,
        )
    finish_node(op, branches, None)
    tensors = [identity(tensor) for tensor in op.outputs]
    packed = pack_tensors(branches[0].structured_outputs, tensors)
    given = [branch.structured_outputs for branch in branches]
    return nest.map_structure(_joined, packed, *given, check_types=False)


def _joined(value: Any, *of_branches: Any) -> Any:
    if not flow.is_tensor_array(value):
        return value
    return flow.from_branches(of_branches, value.flow)


def build_case(
    branch_index: Tensor,
    branches: Sequence[FuncGraph],
    inputs: Sequence[Sequence[Tensor]],
    name: str | None,
    lower: bool | None,
) -> Any:
    """Adds a Case node for traced branches; like `build_cond`."""
    make_indices_agree(CASE, branches)
    check_same_outputs(CASE, branches)
    node_inputs = make_inputs_agree(branches, inputs)
    op_type = "Case" if is_stateful(branches) else "StatelessCase"
    if branch_index.dtype.base_dtype is not dtypes.int32:
        raise TypeError(
            f"Input 'branch_index' of '{op_type}' Op has type {branch_index.dtype.name} that does "
            "not match expected type of int32."
        )
    waits_for = [op for branch in branches for op in branch.captured.control]
    with scopes.control_dependencies(waits_for):
        op = add_functional_op(
            op_type,
            [branch_index, *node_inputs],
            {
                "Tin": tuple(tensor.dtype.base_dtype for tensor in node_inputs),
                "Tout": tuple(tensor.dtype for tensor in branches[0].outputs),
                "branches": tuple(map(add_function, branches)),
                "output_shapes": common_shapes(branches),
            },
            name,
        )
    finish_node(op, branches, lower)
    tensors = [identity(tensor) for tensor in op.outputs]
    return pack_tensors(branches[0].structured_outputs, tensors)


def finish_node(op: Operation, branches: Sequence[FuncGraph], lower: bool | None) -> None:
    """Gives a new If or Case node the attrs that are no part of its schema, and its bodies."""
    _join_handle_data(op.outputs, branches)
    for branch in branches:
        branch.outer_graph = op.graph
    set_branch_graphs(op, branches)
    mark_for_lowering(op, lower)
    mark_read_only_inputs(op, branches, first_input=1)
    # Lowering leaves the outputs, but no node of this name that could be run for its own sake.
    op.graph.prevent_fetching(op)


def set_branch_graphs(op: Operation, branches: Sequence[FuncGraph]) -> None:
    """Keeps the bodies of a node's branches with it, for its gradient."""
    op._branch_graphs = list(branches)  # type: ignore[attr-defined]


def known_branch_graphs(op: Operation) -> list[FuncGraph] | None:
    """The bodies `set_branch_graphs` has put there."""
    graphs: list[FuncGraph] | None = getattr(op, "_branch_graphs", None)
    return graphs


def make_inputs_agree(
    branches: Sequence[FuncGraph], inputs: Sequence[Sequence[Tensor]]
) -> list[Tensor]:
    """Gives all branches the same inputs in the same order; returns what they stand for."""
    united = list(dict.fromkeys(tensor for each in inputs for tensor in each))
    for branch, own in zip(branches, inputs, strict=True):
        parameters = dict(zip(own, branch.inputs, strict=False))
        branch.inputs = [
            parameters[tensor] if tensor in parameters else _unused_input(branch, tensor)
            for tensor in united
        ]
        branch.captured.reset(united, branch.inputs)
    return united


def _unused_input(branch: FuncGraph, tensor: Tensor) -> Tensor:
    with branch.as_default():
        return branch.placeholder(tensor.dtype, tensor.shape, None)


def make_indices_agree(kind: str, branches: Sequence[FuncGraph]) -> None:
    """Casts indices of slices to int64 where another branch has int64.

    Raises:
      TypeError: Only some branches give slices, or indices are of another type.
    """
    structured = [nest.flatten(branch.structured_outputs) for branch in branches]
    positions = []
    position = 0
    if len({len(each) for each in structured}) > 1:
        return
    for index, values in enumerate(zip(*structured, strict=True)):
        if len({isinstance(value, IndexedSlices) for value in values}) != 1:
            raise TypeError(
                f"Cannot reconcile tf.{kind} {index}-th outputs:\n  branches returned: {values}"
            )
        if isinstance(values[0], IndexedSlices):
            positions.append(position + 1)
        position += len(flat_tensors(values[0]))
    for position in positions:
        _make_type_agree(branches, position)
    if positions:
        for branch in branches:
            branch.structured_outputs = pack_tensors(branch.structured_outputs, branch.outputs)


def _make_type_agree(branches: Sequence[FuncGraph], position: int) -> None:
    types = [branch.outputs[position].dtype for branch in branches]
    if any(dtype not in (dtypes.int32, dtypes.int64) for dtype in types):
        raise TypeError(f"Type of IndexedSlices.indices must be int32 or int64. Found: {types}")
    if len({*types}) == 1:
        return
    for branch in branches:
        if branch.outputs[position].dtype == dtypes.int32:
            with branch.as_default():
                branch.outputs[position] = cast(branch.outputs[position], dtypes.int64)


def check_same_outputs(kind: str, branches: Sequence[FuncGraph]) -> None:
    """Raises TypeError unless all branches give results of one structure and one type each."""
    first = branches[0]
    for index, branch in enumerate(branches[1:], 1):
        try:
            nest.assert_same_structure(
                first.structured_outputs, branch.structured_outputs, expand_composites=True
            )
        except (ValueError, TypeError) as error:
            raise _different(kind, branches, index, str(error)) from None
        if len(first.outputs) != len(branch.outputs):
            raise ValueError(
                f"Lengths of branch outputs of {'cond' if kind == COND else 'case'} must match.\n"
                f"len(graphs[0].outputs): {len(first.outputs)}\n"
                f"len(graphs[{index}].outputs): {len(branch.outputs)}\n"
            )
        for ours, theirs in zip(first.outputs, branch.outputs, strict=True):
            if ours.dtype != theirs.dtype:
                text = f"{ours} and {theirs} have different types"
                raise _different(kind, branches, index, text)


def _different(kind: str, branches: Sequence[FuncGraph], index: int, detail: str) -> TypeError:
    first_name, other_name = ("true_fn", "false_fn")
    if kind == CASE:
        first_name, other_name = "branches[0]", f"branches[{index}]"
    return TypeError(
        f"{first_name} and {other_name} arguments to tf.{kind} must have the same number, type, "
        f"and overall structure of return values.\n\n{first_name} output: "
        f"{branches[0].structured_outputs}\n{other_name} output: "
        f"{branches[index].structured_outputs}\n\nError details:\n{detail}"
    )


def common_shapes(branches: Sequence[FuncGraph]) -> tuple[TensorShape, ...]:
    """For each output the shape that holds whichever branch is taken."""
    shapes = []
    for tensors in zip(*(branch.outputs for branch in branches), strict=True):
        shape = tensors[0].shape
        for tensor in tensors[1:]:
            shape = shape.most_specific_compatible_shape(tensor.shape)
        shapes.append(shape)
    return tuple(shapes)


def _join_handle_data(outputs: Sequence[Tensor], branches: Sequence[FuncGraph]) -> None:
    """Says what the outputs point to, as far as all branches agree."""
    for output, *inner in zip(outputs, *(branch.outputs for branch in branches), strict=True):
        data = [tensor.handle_data for tensor in inner]
        if any(each is None or len(each) != 1 for each in data):
            continue
        held = [each[0] for each in data if each is not None]
        if len({dtype for dtype, _ in held}) > 1:
            continue
        shape = held[0][1]
        for _, other in held[1:]:
            shape = shape.most_specific_compatible_shape(other)
        output.handle_data = ((held[0][0], shape),)


def check_captures(kind: str, branches: Sequence[FuncGraph]) -> None:
    """Raises ValueError if a branch uses a tensor that another one makes."""
    places = {branch: index for index, branch in enumerate(branches)}
    for index, branch in enumerate(branches):
        for tensor in branch.external_captures:
            if tensor.graph in places:
                names = [f"branch {i}" for i in range(len(branches))]
                if kind == COND:
                    names = ["true_fn", "false_fn"]
                raise ValueError(
                    f"Tensor {tensor.name} in {names[places[tensor.graph]]} is accessed from "
                    f"{names[index]}."
                )


def branch_functions(op: Operation) -> list[str]:
    """Names of the functions an If or Case node calls."""
    if "branches" in op.attrs:
        return [function.name for function in op.attrs["branches"]]
    return [op.attrs["then_branch"].name, op.attrs["else_branch"].name]
