"""GradientTape: derivatives of what was built while it recorded, by what it watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.differentiation.computation import UnconnectedGradients, is_resource_variable
from dataflow.differentiation.gradients import gradients
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array import concat, fill, shape, transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_of
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


class GradientTape:
    """Derivatives of what is built in its `with` block, by tensors and variables that it watches.

    Trainable variables that are used in the block are watched by themselves. In a graph this is
    `gradients`, but that operations from before the block, or from where the tape stood still, are
    constants.

    Args:
      persistent: Whether `gradient` may be called more than once.
      watch_accessed_variables: Whether trainable variables are watched by themselves.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._recording = False
        self._used = False
        self.reset()

    def __enter__(self) -> GradientTape:
        """Starts recording.

        Raises:
          ValueError: It records already.
        """
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recording:
            self._stop()

    def reset(self) -> None:
        """Forgets what was recorded and watched."""
        self._watched: list[Any] = []
        self._stretches: list[tuple[int, int]] = []
        if self._recording:
            self._start()

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Lets the tape stand still for a block.

        Raises:
          RuntimeError: It does not record.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def watch(self, tensor: Any) -> None:
        """Lets derivatives be taken by a tensor, a variable, or a nest of them.

        Raises:
          ValueError: It is neither.
        """
        for each in nest.flatten(tensor, expand_composites=True):
            if not (isinstance(each, Tensor) or _is_variable(each)):
                raise ValueError(
                    f"Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            self._watched.append(each)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far: those passed to `watch`, and trainable ones in use."""
        explicit = [each for each in self._watched if not isinstance(each, Tensor)]
        used = {id(tensor) for op in self._recorded() for tensor in op.inputs}
        implicit = [
            variable
            for variable in self._trainable()
            if any(id(tensor) in used for tensor in self._tensors_of(variable))
        ]
        found = {id(variable): variable for variable in (*explicit, *implicit)}
        return tuple(found.values())

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivative of the sum of `target` by each of `sources`.

        Args:
          target: A tensor or variable, or a nest of them.
          sources: A tensor or variable, or a nest of them.
          output_gradients: For each target the gradient it starts with; ones if None.
          unconnected_gradients: What to give for a source that no target depends on:
            `UnconnectedGradients` or its value.

        Returns:
          A nest like `sources` of tensors, `IndexedSlices` or None.

        Raises:
          RuntimeError: It was called before, and the tape is not persistent.
        """
        self._use()
        tracked, outside = self._tracked()
        targets, by = nest.flatten(target), nest.flatten(sources)
        starts: list[Any] = [None] * len(targets)
        if output_gradients is not None:
            starts = nest.flatten(output_gradients)
        reached = [
            (y, _begin(y) if start is None else start)
            for y, start in zip(targets, starts, strict=True)
            if _is_tracked(y, tracked)
        ]
        ahead = [x for x in by if _is_tracked(x, tracked)] if reached else []
        found: dict[int, Any] = {}
        if ahead:
            ys, begin = (list(each) for each in zip(*reached, strict=True))
            grads = gradients(ys, ahead, begin, stop_gradients=outside)
            found = {id(x): grad for x, grad in zip(ahead, grads, strict=True)}
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.pack_sequence_as(
            sources,
            [
                fill.zeros_like(x) if zero and found.get(id(x)) is None else found.get(id(x))
                for x in by
            ],
        )

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of `target` by each of `sources`.

        Args:
          target: A tensor.
          sources: A tensor or variable, or a nest of them.
          unconnected_gradients: See `gradient`.
          parallel_iterations: How many elements are differentiated at a time.
          experimental_use_pfor: Unused: elements are differentiated one after the other, in a loop.

        Returns:
          A nest like `sources` of tensors of shape `target.shape + source.shape`, or None.

        Raises:
          RuntimeError: See `gradient`.
        """
        flat = shape.reshape(target, [-1])
        by = nest.flatten(sources)
        found = []
        for x, rows in zip(
            by, self._each(target, flat, by, lambda i: flat[i], parallel_iterations), strict=True
        ):
            whole = concat.concat([shape.shape(target), shape.shape(x)], 0)
            static = target.shape.concatenate(x.shape)
            found.append(_shaped(rows, whole, static, x.dtype, unconnected_gradients))
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each row of `target` by the row of `source` that it is made of.

        Args:
          target: A tensor of shape [batch, ...].
          source: A tensor of shape [batch, ...]; row i of the target depends on its row i alone.
          unconnected_gradients: See `gradient`.
          parallel_iterations: See `jacobian`.
          experimental_use_pfor: See `jacobian`.

        Returns:
          A tensor of shape [batch, target.shape[1:], source.shape[1:]], or None.

        Raises:
          RuntimeError: See `gradient`.
          ValueError: Either has no batch, or the batches differ.
        """
        rank = target.shape.with_rank_at_least(2)
        if not rank[0].is_compatible_with(source.shape.with_rank_at_least(2)[0]):
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape "
                f"({source.shape}) to match."
            )
        columns = shape.reshape(target, concat.concat([shape.shape(target)[:1], [-1]], 0))
        # Rows are apart: the derivative of a column's sum is each row's by its own source.
        (rows,) = self._each(
            target, columns[0], [source], lambda i: columns[:, i], parallel_iterations
        )
        if rows is not None:
            axes = concat.concat([[1, 0], range_of(2, shape.rank(rows))], 0)
            rows = transpose.transpose(rows, axes)
        whole = concat.concat([shape.shape(target), shape.shape(source)[1:]], 0)
        static = target.shape.concatenate(source.shape[1:])
        return _shaped(rows, whole, static, target.dtype, unconnected_gradients)

    def _each(
        self,
        target: Any,
        along: Tensor,
        sources: Sequence[Any],
        part: Callable[[Any], Any],
        parallel_iterations: int | None,
    ) -> list[Any]:
        """For each source the gradients of `part(i)`, i over the length of `along`, stacked."""
        self._use()
        tracked, outside = self._tracked()
        ahead = [x for x in sources if _is_tracked(x, tracked) and _is_tracked(target, tracked)]
        # Whether there is a derivative is the same for each part.
        known = gradients(target, ahead, stop_gradients=outside) if ahead else []
        ahead = [x for x, grad in zip(ahead, known, strict=True) if grad is not None]
        if not ahead:
            return [None] * len(sources)
        count = shape.size(along)

        def body(i: Any, *arrays: Any) -> Any:
            grads = gradients(part(i), ahead, stop_gradients=outside)
            return i + 1, *(array.write(i, grad) for array, grad in zip(arrays, grads, strict=True))

        _, *arrays = while_loop(
            lambda i, *_: i < count,
            body,
            [constant(0, dtypes.int32), *(TensorArray(x.dtype, count) for x in ahead)],
            parallel_iterations=parallel_iterations or 10,
        )
        made = {id(x): array.stack() for x, array in zip(ahead, arrays, strict=True)}
        return [made.get(id(x)) for x in sources]

    def _start(self) -> None:
        self._recording = True
        self._graph = scopes.get_default_graph()
        self._since = self._graph.version

    def _stop(self) -> None:
        self._recording = False
        self._stretches.append((self._since, self._graph.version))

    def _use(self) -> None:
        """Notes that a derivative is asked for: nothing after it is recorded, unless persistent."""
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        self._used = True
        if self._recording and not self._persistent:
            self._stop()

    def _recorded(self) -> list[Operation]:
        stretches = [*self._stretches]
        if self._recording:
            stretches.append((self._since, self._graph.version))
        operations = self._graph.get_operations()
        return [op for begin, end in stretches for op in operations[begin:end]]

    def _trainable(self) -> list[Any]:
        if not self._watches_variables:
            return []
        keys = (GraphKeys.TRAINABLE_VARIABLES, GraphKeys.GLOBAL_VARIABLES)
        known = {id(v): v for key in keys for v in self._graph.get_collection(key) if v.trainable}
        return list(known.values())

    def _tensors_of(self, variable: Any) -> list[Tensor]:
        """What operations of the graph use of a variable."""
        tensors = _tensors_of(variable)
        if isinstance(self._graph, FuncGraph):
            captured = self._graph.captured
            tensors += [own for each in tensors if (own := captured.get(each)) is not None]
        return tensors

    def _tracked(self) -> tuple[set[int], list[Tensor]]:
        """What depends on what is watched, by identity, and the constants that it is made with."""
        recorded = self._recorded()
        explicit = [each for each in self._watched if not isinstance(each, Tensor)]
        variables = {
            id(tensor)
            for each in (*explicit, *self._trainable())
            for tensor in self._tensors_of(each)
        }
        tracked = variables | {id(each) for each in self._watched}
        before = -1
        while len(tracked) != before:  # Once more for what a loop hands back.
            before = len(tracked)
            for op in recorded:
                if any(id(tensor) in tracked for tensor in op.inputs):
                    tracked.update(id(tensor) for tensor in op.outputs)
        inside = {id(op) for op in recorded}
        outside = {
            id(tensor): tensor
            for op in recorded
            for tensor in op.inputs
            if id(tensor.op) not in inside and id(tensor) not in variables
        }
        return tracked, list(outside.values())


def _is_variable(value: Any) -> bool:
    return is_resource_variable(value) or hasattr(value, "_ref")


def _tensors_of(variable: Any) -> list[Tensor]:
    """What operations use of a variable: its handle, or its reference and what was read of it."""
    if is_resource_variable(variable):
        return [variable.handle]
    return [variable._ref(), variable.value()]


def _is_tracked(value: Any, tracked: set[int]) -> bool:
    tensors = _tensors_of(value) if _is_variable(value) else [value]
    return any(id(tensor) in tracked for tensor in tensors)


def _shaped(rows: Any, whole: Any, static: TensorShape, dtype: Any, unconnected: Any) -> Any:
    """A derivative in its shape; what stands for it if there is none."""
    if rows is None:
        zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
        return fill.zeros(whole, dtype) if zero else None
    made = shape.reshape(rows, whole)
    made.set_shape(static)
    return made


def _begin(target: Any) -> Any:
    """What the gradient of a target starts with: complex ones have to be told theirs."""
    dtype = getattr(target, "dtype", None)
    return fill.ones_like(target) if dtype is not None and dtype.is_complex else None
