"""tf.map_fn, tf.foldl, tf.foldr, tf.scan: a function applied to one slice of tensors at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.variable_reads import read_variables
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.ragged.elements import Batch, is_kept_in_variants, kept, put_together
from dataflow.ops.array.concat import stack
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.values import dtypes, nest
from dataflow.values.dtypes import as_dtype
from dataflow.values.shapes import Dimension, TensorShape, dimension_value


@shortened
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Applies a function to the slices of tensors along their first dimension, stacks the results.

    Args:
      fn: Takes a slice, or a structure of slices like `elems`.
      elems: A tensor, or a structure of tensors of one size along the first dimension.
      dtype: The older name of `fn_output_signature`.
      parallel_iterations: How many calls may be under way at once; 10 by default.
      back_prop: Whether gradients may pass through.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      infer_shape: All results must have the same shape.
      name: Name scope of the operations.
      fn_output_signature: Element types, in the structure of the results, where these are not
        those of `elems`.

    Returns:
      The stacked results, in their structure.

    Raises:
      TypeError: `fn` is not callable, or gives another structure.
      ValueError: `elems` holds no tensor, or a scalar.

    >>> squares = tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))
    >>> with tf.Session() as session:
    ...     print(session.run(squares))
    [1 4 9]
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    if not callable(fn):
        raise TypeError(f"The provided function {_name(fn)} is not callable.fn must be callable.")
    elems = read_variables(elems)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    with scopes.name_scope(name, "map", flat), _reads_cached():
        batches = [Batch.of(value) for value in flat]
        tensors = [batch.tensor for batch in batches]
        if tensors[0].shape.rank == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        known = _common_size(tensors)
        count = known.value or _first_dimension(tensors[0])
        inputs = [
            TensorArray(dtype=t.dtype, size=count, dynamic_size=False, infer_shape=True)
            for t in tensors
        ]
        inputs = [array.unstack(t) for array, t in zip(inputs, tensors, strict=True)]
        start = constant(0)
        result_specs = _result_specs(signature, batches)
        outputs = [
            TensorArray(
                dtype=element,
                size=count,
                dynamic_size=False,
                infer_shape=infer_shape,
                element_shape=shape,
            )
            for element, shape in _output_types(result_specs, tensors)
        ]

        def compute(i: Any, arrays: Sequence[TensorArray]) -> Any:
            values = nest.pack_sequence_as(
                elems,
                [
                    batch.element(array.read(i))
                    for batch, array in zip(batches, inputs, strict=True)
                ],
            )
            result = fn(values)
            nest.assert_same_structure(elems if signature is None else signature, result)
            pairs = zip(result_specs, nest.flatten(result), strict=True)
            results = [value if spec is None else kept(spec, value) for spec, value in pairs]
            arrays = [a.write(i, r) for a, r in zip(arrays, results, strict=True)]
            return i + 1, arrays

        _, arrays = while_loop(
            lambda i, _: i < count,
            compute,
            (start, outputs),
            maximum_iterations=count,
            **_options(parallel_iterations or 10, back_prop, swap_memory),
        )
        stacked = [
            tensor if spec is None else put_together(spec, tensor)
            for spec, tensor in zip(result_specs, _stacked(arrays, known), strict=True)
        ]
    return nest.pack_sequence_as(elems if signature is None else signature, stacked)


@shortened
def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """As `map_fn`, with results of any types and structure; elements go through a loop.

    As in TensorFlow `fn` is traced for the index of any slice, in "loop_body", so that it may ask
    for gradients by what `elems` were made of.

    Args:
      fn: Takes a slice, or a structure of slices like `elems`.
      elems: A tensor, or a structure of tensors of one size along the first dimension; tensors of
        size 1 have the same slice for all.
      fallback_to_while_loop: Not used: it is a loop that does it.
      warn: Not used.

    Returns:
      The stacked results, in their structure.

    Raises:
      ValueError: `elems` holds a scalar.

    >>> found = tf.vectorized_map(lambda x: (x[0] > 1.0, tf.matmul(x[1:], x[1:], True)),
    ...                           tf.ones([2, 3, 2]))
    >>> with tf.Session() as session:
    ...     print([each.shape for each in session.run(found)])
    [(2, 2), (2, 2, 2)]
    """
    elems = nest.map_structure(convert_to_tensor, read_variables(elems))
    flat = nest.flatten(elems)
    if any(each.shape.rank == 0 for each in flat):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    sizes = [dimension_value(each.shape.with_rank_at_least(1)[0]) for each in flat]
    known = [size for size in sizes if size is not None]
    count: Any = max(known, default=0)
    if len(known) < len(sizes):
        count = reduce_max(stack([_first_dimension(each) for each in flat]))

    def compute(i: Any) -> Any:
        return fn(
            nest.pack_sequence_as(
                elems,
                [
                    gather(each, 0 if size == 1 else i)
                    for each, size in zip(flat, sizes, strict=True)
                ],
            )
        )

    with scopes.name_scope("loop_body"):
        results = compute(placeholder(dtypes.int32, []))
    types = nest.map_structure(lambda each: convert_to_tensor(each).dtype, results)
    return map_fn(compute, range_of(count), types)


@shortened
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices of tensors along their first dimension, from the first to the last.

    Args:
      fn: Takes what came out so far and a slice, or structures of them.
      elems: A tensor, or a structure of tensors of one size along the first dimension.
      initializer: What to start with; the first slice by default.
      parallel_iterations: How many calls may be under way at once.
      back_prop: Whether gradients may pass through.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      name: Name scope of the operations.

    Returns:
      What the last call gave.

    Raises:
      TypeError: `fn` is not callable.

    >>> number = tf.foldl(lambda total, digit: 10 * total + digit, tf.constant([4, 0, 7]))
    >>> with tf.Session() as session:
    ...     print(session.run(number))
    407
    """
    options = _options(parallel_iterations, back_prop, swap_memory)
    return _fold("foldl", fn, elems, initializer, options, name)


@shortened
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices of tensors along their first dimension, from the last to the first.

    Args:
      fn: Takes what came out so far and a slice, or structures of them.
      elems: A tensor, or a structure of tensors of one size along the first dimension.
      initializer: What to start with; the last slice by default.
      parallel_iterations: How many calls may be under way at once.
      back_prop: Whether gradients may pass through.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      name: Name scope of the operations.

    Returns:
      What the last call gave.

    Raises:
      TypeError: `fn` is not callable.
    """
    options = _options(parallel_iterations, back_prop, swap_memory)
    return _fold("foldr", fn, elems, initializer, options, name)


@shortened
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices of tensors along their first dimension and stacks all that comes out.

    Args:
      fn: Takes what came out of the call before and a slice, or structures of them.
      elems: A tensor, or a structure of tensors of one size along the first dimension.
      initializer: What to start with; the first slice by default.
      parallel_iterations: How many calls may be under way at once.
      back_prop: Whether gradients may pass through.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      infer_shape: All results must have the same shape.
      reverse: Goes from the last slice to the first.
      name: Name scope of the operations.

    Returns:
      What each call gave, stacked in the order of the slices.

    Raises:
      TypeError: `fn` is not callable, or gives another structure than it starts with.

    >>> sums = tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3]))
    >>> with tf.Session() as session:
    ...     print(session.run(sums))
    [1 3 6]
    """
    _check_callable(fn)
    model = elems if initializer is None else initializer
    with scopes.name_scope(name, "scan", _flatten(elems)), _reads_cached():
        tensors = _converted(_flatten(elems))
        count: Any = dimension_value(tensors[0].shape[0])
        if count is None:
            count = _first_dimension(tensors[0])
        inputs = [
            TensorArray(
                dtype=t.dtype,
                size=count,
                dynamic_size=False,
                element_shape=t.shape[1:],
                infer_shape=True,
            )
            for t in tensors
        ]
        inputs = [array.unstack(t) for array, t in zip(inputs, tensors, strict=True)]
        first: Any = 0
        if initializer is None:
            first = count - 1 if reverse else 0
            start = [array.read(first) for array in inputs]
        else:
            start = [convert_to_tensor(value) for value in _flatten(initializer)]
        outputs = [
            TensorArray(
                dtype=value.dtype,
                size=count,
                element_shape=value.shape if infer_shape else None,
                dynamic_size=False,
                infer_shape=infer_shape,
            )
            for value in start
        ]
        if initializer is None:
            first = count - 1 if reverse else 0
            outputs = [a.write(first, value) for a, value in zip(outputs, start, strict=True)]
        done = 1 if initializer is None else 0

        def compute(i: Any, so_far: list[Tensor], arrays: list[TensorArray]) -> Any:
            slices = _pack(elems, [array.read(i) for array in inputs])
            result = fn(_pack(model, so_far), slices)
            nest.assert_same_structure(model, result)
            flat = nest.flatten(result) if nest.is_nested(model) else [result]
            arrays = [a.write(i, value) for a, value in zip(arrays, flat, strict=True)]
            return (i - 1 if reverse else i + 1), flat, arrays

        _, _, arrays = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < count),
            compute,
            (count - 1 - done if reverse else done, start, outputs),
            maximum_iterations=count,
            **_options(parallel_iterations, back_prop, swap_memory),
        )
        stacked = _stacked(arrays, _common_size(tensors))
    return _pack(model, stacked)


def _options(parallel_iterations: int, back_prop: bool, swap_memory: bool) -> dict[str, Any]:
    """How the loop runs, as `while_loop` takes it."""
    return {
        "parallel_iterations": parallel_iterations,
        "back_prop": back_prop,
        "swap_memory": swap_memory,
    }


def _fold(
    kind: str,
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any,
    options: dict[str, Any],
    name: str | None,
) -> Any:
    """What `foldl`, or else `foldr`, returns."""
    _check_callable(fn)
    from_last = kind == "foldr"
    with scopes.name_scope(name, kind, [elems]), _reads_cached():
        count, arrays = _unstacked(elems)

        def slices(i: Any) -> Any:
            return nest.map_structure(lambda array: array.read(i), arrays)

        i: Any
        if from_last:
            i = count if initializer is not None else count - 1
            start = initializer if initializer is not None else slices(i)
        elif initializer is None:
            start = slices(0)
            i = constant(1)
        else:
            start, i = initializer, constant(0)

        def from_first_to_last(i: Any, so_far: Any) -> Any:
            so_far = fn(so_far, slices(i))
            return [i + 1, so_far]

        def from_last_to_first(i: Any, so_far: Any) -> Any:
            i -= 1
            return [i, fn(so_far, slices(i))]

        _, result = while_loop(
            (lambda i, _: i > 0) if from_last else (lambda i, _: i < count),
            from_last_to_first if from_last else from_first_to_last,
            [i, start],
            maximum_iterations=count,
            **options,
        )
        return result


def _name(fn: Any) -> str:
    return str(getattr(fn, "__name__", fn))


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{_name(fn)} is not callable. Please provide a callable function.")


@contextmanager
def _reads_cached() -> Iterator[None]:
    """Lets variables that the function gets be read once, where they are used, not each time."""
    scope = get_variable_scope()
    if scope.caching_device is not None:
        yield
        return
    scope.set_caching_device(lambda op: op.device)
    try:
        yield
    finally:
        scope.set_caching_device(None)


def _flatten(structure: Any) -> list[Any]:
    return nest.flatten(structure) if nest.is_nested(structure) else [structure]


def _pack(structure: Any, flat: list[Any]) -> Any:
    return nest.pack_sequence_as(structure, flat) if nest.is_nested(structure) else flat[0]


def _converted(flat: list[Any]) -> list[Tensor]:
    return [convert_to_tensor(value, name="elem") for value in flat]


def _first_dimension(tensor: Tensor) -> Any:
    sizes: Any = array_shape.shape(tensor)
    return sizes[0]


def _common_size(tensors: Sequence[Tensor]) -> Dimension:
    """The size along the first dimension as far as known, which all tensors must have."""
    sizes = [Dimension(dimension_value(t.shape.with_rank_at_least(1)[0])) for t in tensors]
    for size in sizes[1:]:
        sizes[0].assert_is_compatible_with(size)
    return sizes[0]


def _result_specs(signature: Any, batches: Sequence[Batch]) -> list[Any]:
    """What `map_fn` is told of each result; None where it is as the elements are."""
    if signature is None:
        return [batch.element_spec for batch in batches]
    return nest.flatten(signature)


def _output_types(specs: Sequence[Any], tensors: Sequence[Tensor]) -> list[tuple[Any, Any]]:
    """Element type and shape of each result of `map_fn`, as far as known."""
    found: list[tuple[Any, Any]] = []
    for place, spec in enumerate(specs):
        if spec is None:
            found.append((tensors[place].dtype, None))
        elif is_kept_in_variants(spec):
            found.append((dtypes.variant, TensorShape([])))
        else:
            known = hasattr(spec, "shape") and not isinstance(spec, type)
            found.append((spec.dtype, spec.shape) if known else (as_dtype(spec), None))
    return found


def _stacked(arrays: Sequence[TensorArray], known: Dimension) -> list[Tensor]:
    stacked = [array.stack() for array in arrays]
    for tensor in stacked:
        tensor.set_shape(TensorShape([known]).concatenate(tensor.shape[1:]))
    return stacked


def _unstacked(elems: Any) -> tuple[Any, Any]:
    """The size along the first dimension, and the slices in arrays."""
    tensors = _converted(nest.flatten(elems))
    count: Any = dimension_value(tensors[0].shape[0]) or _first_dimension(tensors[0])

    def array_of(elem: Any) -> TensorArray:
        array = TensorArray(dtype=elem.dtype, size=count, dynamic_size=False, infer_shape=True)
        return array.unstack(elem)

    return count, nest.map_structure(array_of, elems)
