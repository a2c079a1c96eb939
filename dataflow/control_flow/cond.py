"""tf.cond: makes both branches of a conditional, of which one runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow import primitives
from dataflow.control_flow.cond_context import CondContext
from dataflow.control_flow.cond_v2 import cond_v2
from dataflow.control_flow.version import is_functional
from dataflow.functions import flow
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, nest


@shortened
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What `true_fn` makes if `pred` is true, else what `false_fn` makes.

    Both functions are called once, to make their operations; what is made outside of them runs
    whichever way the condition goes.

    Args:
      pred: A boolean scalar tensor.
      true_fn: Returns a structure of tensors; operations in it stand for their being done.
      false_fn: Returns a structure like it, of the same types.
      strict: Whether a list or tuple of one element stays one.
      name: Name scope of the operations.
      fn1: Deprecated name of `true_fn`.
      fn2: Deprecated name of `false_fn`.

    Raises:
      TypeError: A function is missing or not callable, `pred` is a Python bool, or the structures
        differ in their types.
      ValueError: The functions return nothing, or different numbers or types of tensors.

    >>> x = tf.placeholder(tf.float32, [])
    >>> y = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.zeros([]))
    >>> with tf.Session() as session:
    ...     print(session.run(y, {x: 9.0}), session.run(y, {x: -9.0}))
    3.0 0.0
    """
    true_fn = _function("true_fn", true_fn, "fn1", fn1)
    false_fn = _function("false_fn", false_fn, "fn2", fn2)
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"{label} must be callable.")
    if is_functional(scopes.get_default_graph()):
        return cond_v2(pred, true_fn, false_fn, name)
    with scopes.name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        if_false, if_true = primitives.switch(pred, pred)
        pivot_true = identity(if_true, name="switch_t")
        pivot_false = identity(if_false, name="switch_f")
        pred = identity(pred, name="pred_id")
        for tensor in (if_true, if_false, pivot_true, pivot_false, pred):
            tensor.graph.prevent_fetching(tensor.op)
        contexts = []
        branches = []
        for branch, label, function, pivot in (
            (1, "true_fn", true_fn, pivot_true),
            (0, "false_fn", false_fn, pivot_false),
        ):
            context = CondContext(pred, pivot, branch)
            with primitives.entered(context):
                original, result = context.BuildCondBranch(function)
                if original is None:
                    raise ValueError(f"{label} must have a return value.")
                context.ExitResult(result)
            contexts.append(context)
            if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
                # What stands alone agrees whether it came in a list or in a tuple.
                original, only = _unpacked(original), result[0]
                result = only if isinstance(only, (list, tuple)) else [only]
            branches.append((original, result))
        merged = _merged(*branches)
        for context in contexts:
            if context.outer_context is None:
                # Contexts inside another one are saved with it.
                scopes.add_to_collection(GraphKeys.COND_CONTEXT, context)
        merged = nest.pack_sequence_as(branches[0][0], merged, expand_composites=True)
        return merged if strict else _unpacked(merged)


def _function(label: str, function: Any, old_label: str, old: Any) -> Any:
    if old is None:
        if function is None:
            raise TypeError(f"cond(): {label} argument required")
        return function
    if function is not None:
        raise TypeError(f"cond(): '{label}' and '{old_label}' may not be set simultaneously.")
    return old


def _merged(if_true: tuple[Any, Any], if_false: tuple[Any, Any]) -> list[Any]:
    """Merges the results of two branches, each what its function returned and the tensors."""
    original, result = if_true
    other_original, other_result = if_false
    _check_structures(original, other_original, result, other_result)
    if not result:
        raise ValueError("true_fn and false_fn must return at least one result.")
    tensors = nest.flatten(result, expand_composites=True)
    others = nest.flatten(other_result, expand_composites=True)
    for one, other in zip(tensors, others, strict=False):
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{one.dtype.name}, {other.dtype.name}"
            )
    merges = [primitives.merge(pair)[0] for pair in zip(others, tensors, strict=False)]
    atoms = nest.flatten(original, expand_composites=True)
    return [flow.from_flow(*pair) for pair in zip(atoms, merges, strict=True)]


def _check_structures(original: Any, other_original: Any, result: Any, other_result: Any) -> None:
    nest.map_structure(_agree_on_index_type, original, other_original)
    nest.map_structure(_agree_on_index_type, result, other_result)
    try:
        nest.assert_same_structure(original, other_original, expand_composites=True)
    except TypeError as error:
        raise TypeError(
            f"Incompatible return types of 'true_fn' and 'false_fn': {error}"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"Incompatible return values of 'true_fn' and 'false_fn': {error}"
        ) from error


def _agree_on_index_type(one: Any, other: Any) -> None:
    """Makes the indices of two IndexedSlices int64 where one has int32."""
    if not isinstance(one, IndexedSlices) or not isinstance(other, IndexedSlices):
        return
    if one.indices.dtype != other.indices.dtype:
        for slices in (one, other):
            slices._indices = _as_int64(slices.indices)


def _as_int64(indices: Tensor) -> Tensor:
    if indices.dtype == dtypes.int64:
        return indices
    return single("Cast", indices, DstT=dtypes.int64)


def _unpacked(result: Any) -> Any:
    return result[0] if isinstance(result, (list, tuple)) and len(result) == 1 else result
