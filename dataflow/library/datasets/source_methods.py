"""Methods that make datasets of tensors, numbers, names of files and other datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.datasets import element_nest, generators, sampling, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, number, seeds
from dataflow.library.datasets.specs import TensorSpec
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.ops.math.binary import add, maximum
from dataflow.ops.math.compare import greater
from dataflow.ops.text.joining import reduce_join
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class SourceMethods(DatasetBase):
    """Makes datasets of what is no dataset."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """A dataset of one element.

        Args:
          tensors: The element: a structure of tensors.
          name: Name of the operation.
        """
        element = structures.normalized(tensors)
        spec = structures.spec_of_element(element)
        variant = apply_op(
            "TensorDataset",
            structures.to_tensors(spec, element),
            name=name,
            output_shapes=structures.flat_shapes(spec),
        )
        return DatasetBase._made(variant, spec)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
        """A dataset of the slices of tensors along their first dimension.

        Args:
          tensors: A structure of tensors, all of one first dimension.
          name: Name of the operation.

        Raises:
          ValueError: One is a scalar, or first dimensions differ.
        """
        return slices(tensors, name)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """A dataset of the slices of a sparse tensor along its first dimension.

        Args:
          sparse_tensor: The sparse tensor.

        Raises:
          TypeError: It is none.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                f"`sparse_tensor` must be a `tf.SparseTensor` object. Was {sparse_tensor}."
            )
        variant = apply_op(
            "SparseTensorSliceDataset",
            sparse_tensor.indices,
            sparse_tensor.values,
            sparse_tensor.dense_shape,
        )
        size = sparse_tensor.dense_shape.shape[0].value
        rank = None if size is None else size - 1
        spec = (
            TensorSpec(TensorShape([None, rank]), dtypes.int64),
            TensorSpec(TensorShape([None]), sparse_tensor.dtype),
            TensorSpec(TensorShape([rank]), dtypes.int64),
        )
        return DatasetBase._made(variant, spec)

    @staticmethod
    def from_generator(
        generator: Any,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """A dataset of what a Python generator yields, which is begun anew for each iteration.

        Args:
          generator: Called without arguments, or with arrays for `args`; returns something that
            is iterated over.
          output_types: Element types of the components, in the form of an element.
          output_shapes: Their shapes; None if nothing is known of them.
          args: Tensors whose values `generator` is called with.
          output_signature: In place of types and shapes: a structure of specs.
          name: Name of the operation.

        Raises:
          TypeError: Types and signature are both missing, or both there.
        """
        return generators.from_generator(
            DatasetBase._plain, generator, output_types, output_shapes, args, output_signature, name
        )

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        """A dataset of numbers at equal distances: `range(stop)`, `range(start, stop[, step])`.

        Args:
          *args: As for Python's `range`; scalars of int64.
          **kwargs: `output_type`, the element type, int64 unless given; `name`.

        Raises:
          ValueError: There are no arguments, or too many.
        """
        if len(args) not in (1, 2, 3):
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        dtype = dtypes.as_dtype(kwargs.get("output_type", dtypes.int64))
        bounds = [0, *args] if len(args) == 1 else list(args)
        step = bounds[2] if len(bounds) == 3 else 1
        start = number(bounds[0], "start")
        stop = number(bounds[1], "stop")
        spec = TensorSpec([], dtype)
        variant = dataset_node(
            "RangeDataset", spec, start, stop, number(step, "step"), name=kwargs.get("name")
        )
        return DatasetBase._made(variant, spec)

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Any:
        """A dataset of numbers at equal distances, without end.

        Args:
          start: The first one.
          step: The distance.
          dtype: The element type.
          name: Name of the operation.
        """
        first = convert_to_tensor(start, dtype=dtype, name="start")
        distance = convert_to_tensor(step, dtype=dtype, name="step")
        endless = DatasetBase._plain.from_tensors(0, name=name).repeat(None, name=name)
        return endless.scan(first, lambda state, _: (state + distance, state), name=name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Any:
        """A dataset of random numbers of 32 bits, as int64, without end.

        Args:
          seed: Decides on the numbers, with the seed of the graph.
          rerandomize_each_iteration: Whether each iteration has numbers of its own.
          name: Name of the operation.
        """
        return random_numbers(seed, name)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """The elements of datasets side by side, until one ends.

        Args:
          *args: The datasets, or one structure of them.
          datasets: A structure of datasets, in the place of `args`.
          name: Name of the operation.

        Raises:
          TypeError: Both are missing or both given, or something is no dataset.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if len(args) == 1:
            datasets = args[0]
        elif len(args) > 1:
            datasets = args
        flat = element_nest.flatten(datasets)
        for dataset in flat:
            if isinstance(dataset, list):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` "
                    "objects. Nested structures do not support Python lists; please use a tuple "
                    "instead."
                )
            if not isinstance(dataset, DatasetBase):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` "
                    "objects."
                )
        spec = element_nest.map_atoms(lambda dataset: dataset.element_spec, datasets)
        variant = dataset_node(
            "ZipDataset", spec, [dataset._variant_tensor for dataset in flat], name=name
        )
        return DatasetBase._made(variant, spec, *flat)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> Any:
        """A dataset of the names of the files that match patterns.

        Args:
          file_pattern: A pattern, or a list or vector of them.
          shuffle: Whether they come in a random order; True if None.
          seed: Decides on the order, with the seed of the graph.
          name: Name of the operation.

        Returns:
          The dataset. Running it raises InvalidArgumentError if no file matches.
        """
        with scopes.name_scope("list_files"):
            if shuffle is None:
                shuffle = True
            patterns = convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
            found = single("MatchingFiles", patterns)
            there = greater(shape_of(found)[0], 0, name="match_not_empty")
            joined = reduce_join(patterns, separator=", ")
            message = add("No files matched pattern: ", joined, name="message")
            with scopes.name_scope("assert_not_empty"):
                checked = apply_op("Assert", there, [message], summarize=1)
            with scopes.control_dependencies([checked]):
                names = identity(found)
            made = slices(names, name, is_files=True)
            if not shuffle:
                return made
            size = maximum(shape_of(names, out_type=dtypes.int64)[0], np.int64(1))
            return made.shuffle(size, seed=seed, name=name)

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Elements of datasets, of which one is chosen at random each time.

        Args:
          datasets: A list of datasets.
          weights: How likely each of them is: a list, a vector, or a dataset of vectors.
          seed: Decides on the choices, with the seed of the graph.
          stop_on_empty_dataset: Whether the end of one is the end of all.
          rerandomize_each_iteration: Whether each iteration makes choices of its own.

        Raises:
          TypeError: Elements have different types.
          ValueError: Weights do not fit.
        """
        return sampling.sample_from_datasets(
            DatasetBase._plain, datasets, weights, seed, stop_on_empty_dataset
        )

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Elements of datasets, of which another dataset gives the numbers.

        Args:
          datasets: A list of datasets.
          choice_dataset: A dataset of scalar int64.
          stop_on_empty_dataset: Whether the end of one is the end of all.

        Raises:
          TypeError: Elements have different types, or numbers are none.
          ValueError: There is no dataset.
        """
        return sampling.choose_from_datasets(
            DatasetBase._plain, datasets, choice_dataset, stop_on_empty_dataset
        )


def slices(tensors: Any, name: str | None = None, is_files: bool = False) -> Any:
    """A dataset of the slices of tensors; see `from_tensor_slices`."""
    element = structures.normalized(tensors)
    whole = structures.spec_of_element(element)
    atoms = element_nest.flatten(whole)
    sizes = set()
    for atom, value in zip(atoms, element_nest.flatten(element), strict=True):
        shape = getattr(atom, "shape", TensorShape(None))
        if shape.rank == 0:
            raise ValueError(f"Value {value} has insufficient rank for batching.")
        if shape.rank:
            sizes.add(shape[0].value)
    known = sorted(size for size in sizes if size is not None)
    if not atoms:
        raise ValueError("Invalid `element`. `element` should not be empty.")
    if len(known) > 1:
        raise ValueError(f"Dimensions {known[0]} and {known[1]} are not compatible")
    spec = structures.unbatched(whole)
    variant = apply_op(
        "TensorSliceDataset",
        structures.to_batched_tensors(whole, element),
        name=name,
        output_shapes=structures.flat_shapes(spec),
        is_files=is_files,
    )
    return DatasetBase._made(variant, spec)


def random_numbers(seed: Any, name: str | None = None) -> Any:
    """A dataset of random numbers; see `random`."""
    first, second = seeds(seed)
    spec = TensorSpec([], dtypes.int64)
    variant = dataset_node("RandomDataset", spec, first, second, name=name)
    return DatasetBase._made(variant, spec)
