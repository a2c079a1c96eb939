"""tensorflow.python.ops.parallel_for: what is done for each of some numbers, in a loop."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.ops.sparse.serialized import deserialize_sparse, serialize_sparse
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape

__all__ = ["PFOR_CONFIG_ARG", "PForConfig", "batch_jacobian", "for_loop", "jacobian", "pfor"]

PFOR_CONFIG_ARG: Final = "pfor_config"
"""The argument by which a function of `pfor` gets a `PForConfig`."""


def for_loop(
    loop_fn: Callable[[Any], Any],
    loop_fn_dtypes: Any,
    iters: Any,
    parallel_iterations: int | None = None,
) -> Any:
    """The stacked results of a function of the numbers from 0 on; None stays None.

    Args:
      loop_fn: The function.
      loop_fn_dtypes: The types of its results, in their structure.
      iters: How many numbers there are.
      parallel_iterations: How many calls may be under way at once.

    Raises:
      TypeError: `parallel_iterations` is no positive number.
      ValueError: The function has another number of results.
    """
    if parallel_iterations is not None and parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    types = [dtypes.as_dtype(each).base_dtype for each in nest.flatten(loop_fn_dtypes)]
    missing: set[int] = set()

    def results(i: Any) -> list[Any]:
        found = nest.flatten(loop_fn(i))
        if len(found) != len(types):
            raise ValueError(
                f"Number of expected outputs {len(types)}, does not match the number of actual "
                f"outputs {len(found)} from loop_fn: {loop_fn} with output {found}."
            )
        missing.update(place for place, each in enumerate(found) if each is None)
        return [
            constant(0, types[place]) if each is None else each for place, each in enumerate(found)
        ]

    stacked = map_fn(results, range_of(iters), types, parallel_iterations=parallel_iterations)
    return nest.pack_sequence_as(
        loop_fn_dtypes, [None if i in missing else each for i, each in enumerate(stacked)]
    )


class PForConfig:
    """What a function of `pfor` asks for values of all its calls."""

    def __init__(self, iters: Any = None, known: Sequence[Tensor] = ()) -> None:
        """Of so many calls; of some tensors the values of all calls are known."""
        self._iters = constant_value(convert_to_tensor(iters)) if iters is not None else None
        self._known = list(known)
        self._asked = 0
        self.stops = False
        """Whether the first tensor that is not known ends the call."""

    def reduce_concat(self, x: Any) -> Tensor:
        """The values of a tensor in all calls, stacked."""
        x = convert_to_tensor(x)
        self._asked += 1
        if self._asked <= len(self._known):
            return self._known[self._asked - 1]
        if self.stops:
            raise _Reached(x)
        return placeholder(x.dtype, TensorShape([self._iters]).concatenate(x.shape))

    def reduce(self, fn: Callable[..., Any], *args: Any) -> Any:
        """A function of the stacked values of tensors."""
        return fn(*map(self.reduce_concat, args))

    def reduce_mean(self, x: Any) -> Tensor:
        """The mean of a tensor's values in all calls."""
        return reduce_mean(self.reduce_concat(x), axis=0)

    def reduce_sum(self, x: Any) -> Tensor:
        """The sum of a tensor's values in all calls."""
        return reduce_sum(self.reduce_concat(x), axis=0)

    def _has_reductions(self) -> bool:
        return self._asked > 0


class _Reached(Exception):
    """A call has come to a tensor whose values in all calls are wanted."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__("The values of all calls are wanted.")
        self.tensor = tensor


def pfor(
    loop_fn: Callable[..., Any],
    iters: Any,
    parallel_iterations: int | None = None,
    fallback_to_while_loop: bool = True,
    warn: bool = False,
) -> Any:
    """As `for_loop`, whose types it finds by itself; the numbers go through a loop.

    Args:
      loop_fn: Of a number, and of a `PForConfig` if it has an argument `pfor_config`; then it is
        called once more for each tensor whose values in all calls it asks for. Its results are
        tensors, sparse ones, operations or None.
      iters: How many numbers there are.
      parallel_iterations: None, or more than 1.
      fallback_to_while_loop: Not used: it is a loop.
      warn: Not used.

    Raises:
      ValueError: `parallel_iterations` is too small, or the function asks for values of all calls.
    """
    asks = PFOR_CONFIG_ARG in inspect.signature(loop_fn).parameters

    def called(i: Any, config: PForConfig) -> Any:
        return loop_fn(i, pfor_config=config) if asks else loop_fn(i)

    tried = PForConfig(iters)
    with scopes.name_scope("loop_body"):
        structure = called(placeholder(dtypes.int32, []), tried)
    if parallel_iterations is not None:
        _check_parallel_iterations(parallel_iterations)
        if tried._has_reductions():
            raise ValueError(
                "Setting `parallel_iterations` currently unsupported if reductions across "
                "iterations are performed."
            )
    known: list[Tensor] = []
    for _ in range(tried._asked):
        known.append(_wanted(called, iters, known))
    results = [_Result.of(each) for each in nest.flatten(structure)]
    types = [result.dtype for result in results]

    def parts(i: Any) -> list[Any]:
        found = nest.flatten(called(i, PForConfig(iters, known)))
        return [result.part(each) for result, each in zip(results, found, strict=True)]

    stacked = map_fn(parts, range_of(iters), types, parallel_iterations=parallel_iterations)
    return nest.pack_sequence_as(
        structure, [result.whole(each) for result, each in zip(results, stacked, strict=True)]
    )


def _check_parallel_iterations(count: int) -> None:
    if count < 1:
        raise ValueError(
            f"Argument `parallel_iterations` must be None or a positive integer. Received: {count}."
        )
    if count == 1:
        raise ValueError("Found `parallel_iterations == 1`. Use `for_loop` instead.")


def _wanted(called: Callable[..., Any], iters: Any, known: Sequence[Tensor]) -> Tensor:
    """The values of the next tensor that is asked for, stacked."""

    def until_asked(i: Any) -> Tensor:
        config = PForConfig(iters, known)
        config.stops = True
        try:
            called(i, config)
        except _Reached as reached:
            return reached.tensor
        raise ValueError("`loop_fn` asks for other values than when it was called before.")

    config = PForConfig(iters, known)
    config.stops = True
    with scopes.name_scope("loop_body"):
        dtype = until_asked(placeholder(dtypes.int32, [])).dtype
    found: Tensor = map_fn(until_asked, range_of(iters), dtype)
    return found


@dataclass(frozen=True, slots=True)
class _Result:
    """One result of a function of `pfor`: how a loop keeps it."""

    kind: str
    """"dense", "sparse", "operation" or "nothing"."""
    dtype: Any
    """Of the tensors that the loop stacks."""
    values: Any = None
    """The type of a sparse tensor's values."""

    @classmethod
    def of(cls, value: Any) -> _Result:
        if value is None:
            return cls("nothing", dtypes.bool)
        if isinstance(value, Operation):
            return cls("operation", dtypes.bool)
        if is_sparse(value):
            return cls("sparse", dtypes.variant, value.dtype)
        return cls("dense", convert_to_tensor(value).dtype.base_dtype)

    def part(self, value: Any) -> Any:
        if self.kind == "sparse":
            return serialize_sparse(value, out_type=dtypes.variant)
        if self.kind == "operation":
            with scopes.control_dependencies([value]):
                return constant(True)
        return constant(True) if self.kind == "nothing" else convert_to_tensor(value)

    def whole(self, stacked: Tensor) -> Any:
        if self.kind == "sparse":
            return deserialize_sparse(stacked, self.values)
        if self.kind == "operation":
            return stacked.op
        return None if self.kind == "nothing" else stacked


def jacobian(
    output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivative of each element of a tensor by each of others.

    Returns:
      A nest like `inputs` of tensors of shape `output.shape + input.shape`, or None.
    """
    by = nest.flatten(inputs)
    flat = array_shape.reshape(output, [-1])
    rows = _gradients(flat, 0, by, parallel_iterations)
    found = []
    for each, row in zip(by, rows, strict=True):
        if row is not None:
            shape: Any = array_shape.shape(row)
            row = array_shape.reshape(row, concat([array_shape.shape(output), shape[1:]], 0))
            row.set_shape(output.shape.concatenate(each.shape))
        found.append(row)
    return nest.pack_sequence_as(inputs, found)


def batch_jacobian(
    output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivative of each row of a tensor by the row of another that it is made of.

    Returns:
      A tensor of shape `[batch, output.shape[1:], inp.shape[1:]]`, or None.

    Raises:
      ValueError: The batches differ.
    """
    if not output.shape[0].is_compatible_with(inp.shape[0]):
        raise ValueError(
            f"Need first dimension of output shape ({output.shape}) and inp shape ({inp.shape}) to "
            "match."
        )
    shape: Any = array_shape.shape(output)
    columns = array_shape.reshape(output, concat([shape[:1], [-1]], 0))
    (found,) = _gradients(columns, 1, [inp], parallel_iterations)
    if found is None:
        return None
    axes = concat([[1, 0], range_of(2, array_shape.rank(found))], 0)
    of_input: Any = array_shape.shape(inp)
    whole = array_shape.reshape(transpose(found, axes), concat([shape, of_input[1:]], 0))
    whole.set_shape(output.shape.concatenate(inp.shape[1:]))
    return whole


def _gradients(
    output: Any, axis: int, by: list[Any], parallel_iterations: int | None
) -> list[Tensor | None]:
    """The gradients of each part of a tensor along an axis, stacked; None where there is none."""
    known = gradients(output, by)
    there = [each for each, grad in zip(by, known, strict=True) if grad is not None]
    if not there:
        return [None] * len(by)
    count: Any = array_shape.shape(output)[axis]
    stacked = for_loop(
        lambda i: gradients(gather(output, i, axis=axis), there),
        [each.dtype.base_dtype for each in there],
        count,
        parallel_iterations,
    )
    rows = iter(stacked)
    return [None if grad is None else next(rows) for grad in known]
