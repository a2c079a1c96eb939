"""Functions for `Dataset.apply`: tf.data.experimental.map_and_batch and its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph import constant_value as constants
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.elementwise import dataset_function, deterministic_text
from dataflow.library.datasets.functions import AsDefun, element_function
from dataflow.library.datasets.nodes import captures, dataset_node, flag, number, seeds
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import dtypes

Transformation = Callable[[Any], Any]
"""Takes a dataset and returns one."""


def map_and_batch(
    map_func: Callable[..., Any] | AsDefun,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Batches of what a function makes of each element.

    Args:
      map_func: Takes the components of an element; returns an element.
      batch_size: How many elements a batch has: scalar int64.
      num_parallel_batches: How many batches are made at a time.
      drop_remainder: Whether a last batch with fewer elements is left out: scalar bool.
      num_parallel_calls: In its place, how many calls go on at a time.

    Raises:
      ValueError: Both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive."
        )
    if num_parallel_batches is None and num_parallel_calls is None:
        calls: Any = batch_size
    elif num_parallel_batches is None:
        calls = num_parallel_calls
    else:
        calls = batch_size * num_parallel_batches

    def apply(dataset: Any) -> Any:
        function = element_function(
            map_func, "tf.data.experimental.map_and_batch()", dataset.element_spec
        )
        size = number(batch_size, "batch_size")
        parallel = number(calls, "num_parallel_calls")
        drops = flag(drop_remainder, "drop_remainder")
        drop, count = constants.constant_value(drops), constants.constant_value(size)
        static = int(count) if drop is not None and bool(drop) and count is not None else None
        spec = structures.batched(function.spec, static)
        variant = dataset_node(
            "MapAndBatchDataset",
            spec,
            dataset._variant_tensor,
            captures(function),
            size,
            parallel,
            drops,
            f=function.attr,
            preserve_cardinality=True,
        )
        return DatasetBase._made(variant, spec, dataset)

    return apply


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """What `map_and_batch` does; branches and stateful operations are as in a `Defun`."""
    return map_and_batch(
        AsDefun(map_func), batch_size, num_parallel_batches, drop_remainder, num_parallel_calls
    )


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """The elements several times, in random orders.

    Args:
      buffer_size: Among how many elements the next one is chosen: scalar int64.
      count: How many times; without end if it is None or -1: scalar int64.
      seed: Decides on the order, with the seed of the graph.
    """

    def apply(dataset: Any) -> Any:
        size, times = number(buffer_size, "buffer_size"), number(count, "count", -1)
        first, second = seeds(seed)
        spec = dataset.element_spec
        variant = dataset_node(
            "ShuffleAndRepeatDataset", spec, dataset._variant_tensor, size, first, second, times
        )
        return DatasetBase._made(variant, spec, dataset)

    return apply


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """The elements of the datasets that a function makes, of several in turn, made ahead.

    Args:
      map_func: Takes the components of an element; returns a dataset.
      cycle_length: How many datasets there are at a time: scalar int64.
      block_length: How many elements are taken of one before the next has its turn.
      sloppy: Whether elements may come out of order; here they never do.
      buffer_output_elements: How many elements of each are made ahead; two blocks by default.
      prefetch_input_elements: How many datasets are made ahead; two rounds of them by default.
    """

    def apply(dataset: Any) -> Any:
        function = dataset_function(
            map_func, "tf.data.experimental.parallel_interleave()", dataset.element_spec
        )
        spec = function.spec.element_spec
        variant = dataset_node(
            "LegacyParallelInterleaveDatasetV2",
            spec,
            dataset._variant_tensor,
            captures(function),
            number(cycle_length, "cycle_length"),
            number(block_length, "block_length"),
            number(buffer_output_elements, "buffer_output_elements", 2 * block_length),
            number(prefetch_input_elements, "prefetch_input_elements", 2 * cycle_length),
            f=function.attr,
            deterministic=deterministic_text(None if sloppy is None else not sloppy),
        )
        return DatasetBase._made(variant, spec, dataset)

    return apply


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """What a function makes of windows of elements with the same key.

    For the arguments see `Dataset.group_by_window`.
    """
    return lambda dataset: dataset.group_by_window(
        key_func=key_func,
        reduce_func=reduce_func,
        window_size=window_size,
        window_size_func=window_size_func,
    )


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Batches of elements of about the same length, padded.

    For the arguments see `Dataset.bucket_by_sequence_length`.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func=element_length_func,
        bucket_boundaries=bucket_boundaries,
        bucket_batch_sizes=bucket_batch_sizes,
        padded_shapes=padded_shapes,
        padding_values=padding_values,
        pad_to_bucket_boundary=pad_to_bucket_boundary,
        no_padding=no_padding,
        drop_remainder=drop_remainder,
    )


class Reducer:
    """Three functions that make one element of several; see `group_by_reducer`.

    Args:
      init_func: Takes a key; returns the first state.
      reduce_func: Takes a state and an element; returns a state.
      finalize_func: Takes a state; returns an element.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Makes the first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Makes a state of a state and an element."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Makes an element of the last state."""
        return self._finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """What a reducer makes of all elements that have the same key, an element for each key.

    Args:
      key_func: Takes the components of an element; returns a key, a scalar int64.
      reducer: The functions.

    Raises:
      ValueError: The key is something else.
      TypeError: States have different types.
    """
    name = "tf.data.experimental.group_by_reducer()"

    def apply(dataset: Any) -> Any:
        number_spec = TensorSpec([], dtypes.int64)
        key = element_function(key_func, name, dataset.element_spec)
        if not key.spec == number_spec:
            raise ValueError(
                "`key_func` must return a single tf.int64 tensor. Got "
                f"type={structures.legacy_types(key.spec)} and "
                f"shape={structures.legacy_shapes(key.spec)}"
            )
        init = element_function(reducer.init_func, name, number_spec)
        state = init.spec
        while True:
            reduce = element_function(reducer.reduce_func, name, state, dataset.element_spec)
            before, after = map(structures.legacy_types, (state, reduce.spec))
            if before != after:
                raise TypeError(
                    "The element types for the new state must match the initial state. Expected "
                    f"{before}; got {after}."
                )
            loose = structures.relaxed(state, reduce.spec)
            if loose == state:
                break
            state = loose
        finalize = element_function(reducer.finalize_func, name, state)
        variant = dataset_node(
            "ExperimentalGroupByReducerDataset",
            finalize.spec,
            dataset._variant_tensor,
            captures(key),
            captures(init),
            captures(reduce),
            captures(finalize),
            key_func=key.attr,
            init_func=init.attr,
            reduce_func=reduce.attr,
            finalize_func=finalize.attr,
        )
        return DatasetBase._made(variant, finalize.spec, dataset)

    return apply


def unbatch() -> Transformation:
    """The slices of elements along their first dimension."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Each element when it comes for the first time."""
    return lambda dataset: dataset.unique()


def ignore_errors(log_warning: bool = False) -> Transformation:
    """The elements in whose place there is no error.

    Args:
      log_warning: Whether errors are logged.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Elements that are written to a folder once and read from there; see `Dataset.snapshot`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number and an element.

    Args:
      start: The first number: scalar int64.
    """
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function makes of each element and of a state.

    For the arguments see `Dataset.scan`.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first one for which a function gives False.

    Args:
      predicate: Takes the components of an element; returns a scalar bool.
    """
    return lambda dataset: dataset.take_while(predicate)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Elements of any size as the rows of sparse tensors.

    Args:
      batch_size: How many: scalar int64.
      row_shape: The shape of the rows, with None or -1 for the largest in a batch.
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """Elements of any size as the rows of ragged tensors.

    Args:
      batch_size: How many: scalar int64.
      drop_remainder: Whether a last batch with fewer elements is left out: scalar bool.
      row_splits_dtype: int32 or int64: in which type rows are counted.
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """The elements, some of which are made ahead; they stay in host memory until they are used.

    Args:
      device: The device that will use them.
      buffer_size: How many at most; a good number if None.
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """The elements; they stay in host memory until they are used.

    Args:
      target_device: The device that will use them.
      source_device: The device that makes them.
    """
    return lambda dataset: dataset


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """The elements, of which there must be so many.

    Args:
      expected_cardinality: How many: scalar int64.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = dataset_node(
            "AssertCardinalityDataset",
            spec,
            dataset._variant_tensor,
            number(expected_cardinality, "expected_cardinality"),
        )
        return DatasetBase._made(variant, spec, dataset)

    return apply


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Pairs of a class and an element, some left out so that classes are distributed.

    For the arguments see `Dataset.rejection_resample`.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """Elements of datasets, of which one is chosen at random each time.

    For the arguments see `Dataset.sample_from_datasets`.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Elements of datasets, of which another dataset gives the numbers.

    For the arguments see `Dataset.choose_from_datasets`.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def get_single_element(dataset: Any) -> Any:
    """The only element of a dataset.

    Args:
      dataset: The dataset.

    Raises:
      TypeError: It is none.
    """
    if not isinstance(dataset, DatasetBase):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return dataset.get_single_element()  # type: ignore[attr-defined]


def cardinality(dataset: Any) -> Tensor:
    """How many elements a dataset has; -1 for without end, -2 if it is not known: scalar int64."""
    made: Tensor = dataset.cardinality()
    return made


def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:
    """A dataset of numbers at equal distances, without end.

    Args:
      start: The first one.
      step: The distance.
      dtype: The element type.
    """
    return Dataset.counter(start, step, dtype)


def get_structure(dataset_or_iterator: Any) -> Any:
    """Describes the elements of a dataset or an iterator: a structure of specs.

    Raises:
      TypeError: It is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "`dataset_or_iterator` must be a Dataset or Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


def to_variant(dataset: Any) -> Tensor:
    """The variant that stands for a dataset."""
    made: Tensor = dataset._variant_tensor
    return made


def from_variant(variant: Any, structure: Any) -> Any:
    """The dataset that a variant stands for.

    Args:
      variant: The variant.
      structure: Describes its elements: a structure of specs.
    """
    return DatasetBase._made(variant, structure)


def get_next_as_optional(iterator: Any) -> Any:
    """The next element of an iterator as an optional, which holds nothing at the end."""
    return iterator.get_next_as_optional()
