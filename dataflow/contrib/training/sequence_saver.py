"""Sequences cut into segments for batches, and the states in which the next segment goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dataflow.ops.array.shape as shapes
from dataflow.contrib.training.sequence_checks import (
    check_names,
    is_multiple,
    with_rank,
    with_shape,
    with_sizes,
)
from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_greater_equal
from dataflow.library.queues.barrier import Barrier
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import ones
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import less_equal, logical_not
from dataflow.ops.math.division import div
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.text.joining import string_join
from dataflow.ops.text.numbers import as_string
from dataflow.values import dtypes

_TOKEN = 21051976
"""What the queue of examples holds for each; nobody looks at it."""
_OWN = ("length", "total_length", "next_key", "sequence", "sequence_count")
"""The components that each segment has, whatever the example has."""


class NextQueuedSequenceBatch:
    """One segment each of some examples, and the states in which they begin."""

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        """Takes what a saver has read."""
        self._saver = state_saver

    def _own(self, name: str) -> Tensor:
        found: Tensor = self._saver._received[name]
        return found

    @property
    def total_length(self) -> Tensor:
        """The lengths of the examples, int32 of shape [batch]."""
        return self._own("total_length")

    @property
    def length(self) -> Tensor:
        """The lengths of these segments, int32 of shape [batch]: `num_unroll`, or what is left."""
        return self._own("length")

    @property
    def batch_size(self) -> Tensor:
        """How many segments there are, an int32 scalar."""
        return self._saver._received_batch_size

    @property
    def insertion_index(self) -> Tensor:
        """Which example came when, int64 of shape [batch], from -2**63."""
        return self._saver._received_indices

    @property
    def key(self) -> Tensor:
        """The segments' keys, of shape [batch]: `00000_of_00003:key of the example`."""
        return self._saver._received_keys

    @property
    def next_key(self) -> Tensor:
        """The keys of the next segments; `STOP:key of the example` after the last one."""
        return self._own("next_key")

    @property
    def sequence(self) -> Tensor:
        """Which segments of their examples these are, int32 of shape [batch]."""
        return self._own("sequence")

    @property
    def sequence_count(self) -> Tensor:
        """How many segments the examples have, int32 of shape [batch]."""
        return self._own("sequence_count")

    @property
    def context(self) -> dict[str, Any]:
        """What the examples have once: name -> a tensor of shape [batch, ...]."""
        return self._saver._received_context

    @property
    def sequences(self) -> dict[str, Any]:
        """The segments: name -> a tensor of shape [batch, num_unroll, ...]."""
        return self._saver._received_sequences

    def state(self, state_name: str) -> Tensor:
        """The states in which the segments begin, of shape [batch, ...].

        Raises:
          KeyError: There is no such state.
        """
        return self._saver._received_states[state_name]

    def save_state(self, state_name: str, value: Any, name: str | None = None) -> Operation:
        """An operation that keeps the states in which the next segments begin.

        Each of the states must be saved in each step that reads from the batch.

        Args:
          state_name: The state.
          value: Of shape [batch, ...].
          name: Name of the scope.

        Raises:
          KeyError: There is no such state.
        """
        saver = self._saver
        if state_name not in saver._received_states:
            raise KeyError(f"state was not declared: {state_name}")
        with (
            name_scope(name, "InputQueueingStateSaver_SaveState", [value]),
            colocate_with(saver._capacity_queue.queue_ref),
        ):
            places = shapes.reshape(where(logical_not(saver._sequence_is_done)), [-1])
            keys = gather(self.next_key, places)
            kept = with_shape(
                identity(value, name=f"convert_{state_name}"), saver._received_states[state_name]
            )
            return saver.barrier.insert_many(
                saver._place("state", state_name),
                keys,
                gather(kept, places),
                name=f"BarrierInsertState_{state_name}",
            )


class SequenceQueueingStateSaver:
    """Cuts sequences into segments, makes batches of them and carries states from one to the next.

    One example comes with each run of `prefetch_op`. A segment is in a batch when the state that
    the one before it ended in is saved.
    """

    _received_indices: Tensor
    _received_keys: Tensor
    _received_states: Mapping[str, Tensor]

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: Mapping[str, Any],
        input_context: Mapping[str, Any],
        initial_states: Mapping[str, Any],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        """Makes the queue and the barrier; reads and writes are made when they are asked for.

        Args:
          batch_size: Examples of a batch.
          num_unroll: Steps of a segment.
          input_length: How many steps of the example count, an int32 scalar.
          input_key: Its key, a text that no other example has.
          input_sequences: Name -> tensor of shape [steps, ...]; the steps are a multiple of
            `num_unroll`.
          input_context: Name -> tensor, what the example has once.
          initial_states: Name -> the state in which an example begins.
          capacity: Most examples that are under way; any number if None.
          allow_small_batch: Whether batches may be smaller once the input is over.
          name: Name of the scope.

        Raises:
          TypeError: An argument is of another type.
          ValueError: There is no state or no sequence, shapes are not known far enough, or
            `capacity` is less than `batch_size`.
        """
        if capacity is not None:
            if isinstance(batch_size, Tensor):
                checked = assert_greater_equal(
                    cast(capacity, dtypes.int64),
                    cast(batch_size, dtypes.int64),
                    message="capacity needs to be >= batch_size.",
                )
                with control_dependencies([checked]):
                    input_key = identity(input_key)
            elif capacity < batch_size:
                raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        # A barrier cannot be bounded by examples: it must take all segments of one that it knows.
        self._capacity_queue = FIFOQueue(
            capacity=-1 if capacity is None else capacity, dtypes=[dtypes.int32], shapes=[[]]
        )
        self._batch_size, self._num_unroll = batch_size, num_unroll
        self._allow_small_batch = allow_small_batch
        self._prefetch_op: Operation | None = None
        self._next_batch: NextQueuedSequenceBatch | None = None
        with colocate_with(self._capacity_queue.queue_ref):
            _check_states(initial_states)
            _check_inputs(input_sequences, input_context)
            values = [input_length, input_key, *input_sequences.values(), *input_context.values()]
            with name_scope(name, "InputQueueingStateSaver", values) as scope:
                self._scope = scope
                self._take_example(
                    input_length, input_key, input_sequences, input_context, initial_states
                )
                self._barrier = self._new_barrier()

    def _take_example(
        self,
        length: Any,
        key: Any,
        sequences: Mapping[str, Any],
        context: Mapping[str, Any],
        states: Mapping[str, Any],
    ) -> None:
        length = convert_to_tensor(length, name="length")
        key = convert_to_tensor(key, name="key")
        self._sequences = _tensors("sequence", sequences)
        self._context = _tensors("context", context)
        self._states = _tensors("state", states)
        for label, tensors, first in (
            ("state", self._states, 0),
            ("context", self._context, 0),
            ("sequence", self._sequences, 1),
        ):
            for each, tensor in tensors.items():
                if tensor.shape.rank is None or not tensor.shape[first:].is_fully_defined():
                    ignored = "(ignoring first dimension)" if first else ""
                    raise ValueError(
                        f"Shape for {label} {each} is not fully defined {ignored}: {tensor.shape}"
                    )
        self._length, self._key = with_rank(length, 0), with_rank(key, 0)
        if self._length.dtype != dtypes.int32:
            raise TypeError(f"length dtype must be int32, but received: {self._length.dtype}")
        if self._key.dtype != dtypes.string:
            raise TypeError(f"key dtype must be string, but received: {self._key.dtype}")
        first_of_all = next(iter(self._sequences.values()))
        padded = identity(shapes.shape(first_of_all)[0], name="padded_length")
        with control_dependencies([is_multiple(padded, self._num_unroll, f"Tensor {padded.name}")]):
            self._padded_length = identity(padded, name="multiple_of_checked")
        self._sequences = {
            each: with_sizes(tensor, [self._padded_length], f"sorted_sequences_{each}")
            for each, tensor in self._sequences.items()
        }
        text = "Input length should be <= than length from sequences:"
        check = Assert(
            less_equal(self._length, self._padded_length),
            [text, self._length, " vs. ", self._padded_length],
        )
        with control_dependencies([check]):
            self._length = identity(self._length)

    def _new_barrier(self) -> Barrier:
        kinds = (
            ("sequence", self._sequences),
            ("context", self._context),
            ("state", self._states),
        )
        names = [f"__{each}" for each in _OWN]
        names += [f"__{kind}__{each}" for kind, tensors in kinds for each in tensors]
        self._places = {each: place for place, each in enumerate(names)}
        types = [dtypes.string if each == "next_key" else dtypes.int32 for each in _OWN]
        types += [tensor.dtype for _, tensors in kinds for tensor in tensors.values()]
        sizes: list[Any] = [()] * len(_OWN)
        sizes += [[self._num_unroll, *t.shape.as_list()[1:]] for t in self._sequences.values()]
        sizes += [t.shape.as_list() for _, tensors in kinds[1:] for t in tensors.values()]
        return Barrier(types=types, shapes=sizes)

    def _place(self, kind: str, name: str) -> int:
        return self._places[f"__{kind}__{name}"]

    @property
    def name(self) -> str:
        """Name of the scope."""
        return self._scope

    @property
    def barrier(self) -> Barrier:
        """Where segments lie until all is there that they need."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """Examples of a batch."""
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        """Steps of a segment."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Operation:
        """Takes one more example in when it runs, and waits while `capacity` are under way."""
        if self._prefetch_op is None:
            with name_scope(None), name_scope(self._scope, values=[self._barrier.barrier_ref]):
                self._prefetch_op = self._prefetch()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The next batch; whoever reads from it must save its states in the same step."""
        if self._next_batch is None:
            # What takes examples in stands before what takes the batch out.
            _ = self.prefetch_op
            with name_scope(None), name_scope(self._scope, values=[self._barrier.barrier_ref]):
                self._read()
            self._next_batch = NextQueuedSequenceBatch(self)
        assert self._next_batch is not None
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation that lets no new example in; those under way may still end.

        Args:
          cancel_pending_enqueues: Whether these are given up, too.
          name: Name of the operation.
        """
        with name_scope(name, "SQSSClose", [self.prefetch_op]) as scope:
            closed = [
                self.barrier.close(cancel_pending_enqueues, "BarrierClose"),
                self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose"),
            ]
            return group(*closed, name=scope)

    def _prefetch(self) -> Operation:
        count = div(self._padded_length, self._num_unroll)
        repeated: Any = ones(shapes.expand_dims(count, 0), dtype=dtypes.int32)
        sequence: Any = range_of(count)
        left: Any = maximum(0, self._length - self._num_unroll * sequence)
        parts = [
            as_string(sequence, width=5, fill="0"),
            "_of_",
            as_string(count, width=5, fill="0"),
            ":",
            self._key,
        ]
        keys: Any = string_join(parts, name="StringJoinCurrentKeys")
        stop = string_join(["STOP:", self._key], name="StringJoinStop")
        own = {
            "sequence": sequence,
            "sequence_count": count * repeated,
            "next_key": concat([keys[1:], shapes.expand_dims(stop, 0)], 0, name="concat_next_keys"),
            "length": minimum(self._num_unroll, left),
            "total_length": self._length * repeated,
        }
        inserts = {
            each: self._barrier.insert_many(
                self._places[f"__{each}"],
                keys,
                value,
                name="BarrierInsert" + "".join(part.capitalize() for part in each.split("_")),
            )
            for each, value in own.items()
        }
        others = [
            self._insert("Context", each, keys, self._repeated(each, tensor, count))
            for each, tensor in self._context.items()
        ] + [
            self._insert("Sequences", each, keys, self._cut(each, tensor, count))
            for each, tensor in self._sequences.items()
        ]
        token = self._capacity_queue.enqueue((_TOKEN,))
        # All segments come before the state, so that they are of one insertion.
        with control_dependencies([inserts["sequence"], token]):
            states = [
                self._barrier.insert_many(
                    self._place("state", each),
                    stack([keys[0]]),
                    stack([value]),
                    name=f"BarrierInitialInsertState_{each}",
                )
                for each, value in self._states.items()
            ]
        return group(token, *inserts.values(), *states, *others, name="StateSaverPrefetchGroup")

    def _insert(self, kind: str, name: str, keys: Any, value: Tensor) -> Operation:
        place = self._place("context" if kind == "Context" else "sequence", name)
        return self._barrier.insert_many(place, keys, value, name=f"BarrierInsert{kind}_{name}")

    def _repeated(self, name: str, tensor: Tensor, count: Any) -> Tensor:
        inner = tensor.shape.as_list()
        times = concat(
            [shapes.expand_dims(count, 0), [1] * len(inner)], 0, name=f"concat_context_{name}"
        )
        rows = tile(shapes.expand_dims(tensor, 0), times, name=f"tile_context_{name}")
        return with_sizes(rows, [count, *inner], f"expanded_context_{name}")

    def _cut(self, name: str, tensor: Tensor, count: Any) -> Tensor:
        inner = tensor.shape.as_list()[1:]
        size = concat(
            [shapes.expand_dims(count, 0), [self._num_unroll, *inner]],
            0,
            name=f"concat_sequences_{name}",
        )
        rows = shapes.reshape(tensor, size, name=f"reshape_sequences_{name}")
        return with_sizes(rows, [count, self._num_unroll, *inner], f"reshaped_sequences_{name}")

    def _read(self) -> None:
        taken = self._barrier.take_many(
            self._batch_size, self._allow_small_batch, name="BarrierTakeMany"
        )
        self._received_indices, self._received_keys, values = taken
        self._received = {each: values[self._places[f"__{each}"]] for each in _OWN}
        self._received_context = self._of_kind("context", self._context, values)
        self._received_sequences = self._of_kind("sequence", self._sequences, values)
        self._received_batch_size = shapes.squeeze(shapes.shape(self._received["length"]))
        following: Any = self._received["sequence"] + 1
        self._sequence_is_done = following >= self._received["sequence_count"]
        ended = reduce_sum(cast(self._sequence_is_done, dtypes.int32))
        with control_dependencies([self._capacity_queue.dequeue_many(ended)]):
            self._received_states = {
                each: identity(value)
                for each, value in self._of_kind("state", self._states, values).items()
            }

    def _of_kind(self, kind: str, names: Iterable[str], values: Any) -> dict[str, Any]:
        return {name: values[self._place(kind, name)] for name in names}


def _check_states(initial_states: Any) -> None:
    if not isinstance(initial_states, dict):
        raise TypeError("initial_states must be a dictionary")
    if not initial_states:
        raise ValueError(
            "initial_states may not be empty: at least one state variable is required to properly "
            "enqueue split sequences to run in separate iterations"
        )
    check_names("state name", initial_states, "a string")


def _check_inputs(sequences: Any, context: Any) -> None:
    if not isinstance(sequences, dict):
        raise TypeError("sequences must be a dict")
    if not isinstance(context, dict):
        raise TypeError("context must be a dict")
    if not sequences:
        raise ValueError("must have at least one sequence tensor")
    check_names("sequence key", sequences)
    check_names("context key", context)


def _tensors(label: str, values: Mapping[str, Any]) -> dict[str, Tensor]:
    return {
        name: convert_to_tensor(value, name=f"{label}_{name}")
        for name, value in sorted(values.items())
    }
