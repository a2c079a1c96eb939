"""Producers: queues that are filled with the rows of a tensor, epoch after epoch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import shape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import greater
from dataflow.ops.random.stateful import random_shuffle
from dataflow.ops.readers.files import matching_files
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes
from dataflow.variables.variable import Variable

_NOT_EMPTY = "string_input_producer requires a non-null input tensor"


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """A local variable of the names of files that fit patterns when it is initialized.

    Args:
      pattern: A pattern of files, or a vector of them; see `tf.matching_files`.
      name: Name of the variable.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """The tensor, so many times; then OutOfRangeError.

    The count is a local variable: `tf.local_variables_initializer` must run before.

    Args:
      tensor: The tensor.
      num_epochs: How many times; None for always.
      name: Name of the operations.

    Raises:
      ValueError: `num_epochs` is not above 0.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError("num_epochs must be > 0 not %d." % num_epochs)  # noqa: UP031
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = constant(0, dtype=dtypes.int64)
        epochs = Variable(
            zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that a queue runner fills with the rows of a tensor.

    Args:
      input_tensor: The tensor.
      element_shape: Shape of a row, where the tensor's is not known.
      num_epochs: How many times all rows are given; None for always.
      shuffle: Whether the rows of each epoch come in random order.
      seed: Seed of that.
      capacity: Most rows that the queue holds.
      shared_name: Shares the queue among nodes and sessions under this name.
      summary_name: A scalar summary of this name tells how full the queue is.
      name: Name of the queue.
      cancel_op: What cancels the queue's pending enqueues.

    Raises:
      ValueError: The shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row = tensor.shape[1:].merge_with(element_shape)
        if not row.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape "
                "or `element_shape` must be specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype],
            shapes=[row],
            shared_name=shared_name,
            name=name,  # type: ignore[arg-type]
        )
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that a queue runner fills with strings, for the readers of files.

    Args:
      string_tensor: A vector of strings; when run, InvalidArgumentError: it is empty.
      num_epochs: See `input_producer`.
      shuffle: See `input_producer`.
      seed: See `input_producer`.
      capacity: See `input_producer`.
      shared_name: See `input_producer`.
      name: See `input_producer`.
      cancel_op: See `input_producer`.

    Raises:
      ValueError: A list without strings is given.
    """
    if not isinstance(string_tensor, Tensor) and not string_tensor:
        raise ValueError(_NOT_EMPTY)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with control_dependencies([Assert(greater(size(tensor), 0), [_NOT_EMPTY])]):
            tensor = identity(tensor)
        return input_producer(
            input_tensor=tensor,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue that a queue runner fills with the numbers from 0 to `limit` - 1.

    Args:
      limit: An int32 scalar.
      num_epochs: See `input_producer`.
      shuffle: See `input_producer`.
      seed: See `input_producer`.
      capacity: See `input_producer`.
      shared_name: See `input_producer`.
      name: See `input_producer`.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range_of(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: Iterable[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The next row of each of several tensors, whose numbers come out of a queue.

    Args:
      tensor_list: Tensors of one size along their first dimensions.
      num_epochs: See `input_producer`.
      shuffle: See `input_producer`.
      seed: See `input_producer`.
      capacity: See `input_producer`.
      shared_name: See `input_producer`.
      name: See `input_producer`.

    Raises:
      ValueError: There is no tensor.
    """
    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = convert_n_to_tensor_or_indexed_slices(tensor_list)
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        count = shape(tensors[0])[0]
        queue = range_input_producer(
            count,
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]
