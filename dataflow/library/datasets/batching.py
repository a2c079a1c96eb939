"""Methods of datasets that make one element of several, and several of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import element_nest, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.bucket_numbers import bucket_number, bucket_shapes, chosen
from dataflow.library.datasets.functions import element_function
from dataflow.library.datasets.nodes import dataset_node, flag, number
from dataflow.library.datasets.specs import DatasetSpec, SparseTensorSpec, TensorSpec
from dataflow.library.ragged.spec import RaggedTensorSpec
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _as_rows(spec: Any, row_splits_dtype: Any) -> Any:
    """What a tensor of any size is kept as, so that several can be stacked."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank in (None, 0):
        return spec
    if spec.shape.is_fully_defined():
        return spec
    return RaggedTensorSpec(spec.shape, spec.dtype, 0, row_splits_dtype)


class BatchingMethods(DatasetBase):
    """Makes one element of several, and several of one."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Elements stacked along a new first dimension.

        Args:
          batch_size: How many: scalar int64.
          drop_remainder: Whether a last batch with fewer elements is left out: scalar bool.
          num_parallel_calls: How many batches are made at a time; here it is one.
          deterministic: Whether batches come in order; here they always do.
          name: Name of the operation.
        """
        size = number(batch_size, "batch_size")
        drops = flag(drop_remainder, "drop_remainder")
        spec = structures.batched(self.element_spec, _static_size(size, drops))
        variant = dataset_node("BatchDatasetV2", spec, self._variant_tensor, size, drops, name=name)
        return self._made(variant, spec, self)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """Elements stacked along a new first dimension; those of any size as rows.

        Args:
          batch_size: How many: scalar int64.
          drop_remainder: Whether a last batch with fewer elements is left out: scalar bool.
          row_splits_dtype: int32 or int64: in which type rows are counted.
          name: Name of the operation.
        """
        spec = element_nest.map_atoms(
            lambda atom: _as_rows(atom, row_splits_dtype), self.element_spec
        )

        def written(*parts: Any) -> Any:
            element = parts if type(self.element_spec) is tuple else parts[0]
            return tuple(structures.to_tensors(spec, element))

        source = self.map(written)  # type: ignore[attr-defined]
        rows = self._made(source._variant_tensor, spec, self)
        return rows.batch(batch_size, drop_remainder, name=name)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Elements that are padded to one shape, stacked along a new first dimension.

        Args:
          batch_size: How many: scalar int64.
          padded_shapes: The shape of each component, with None or -1 for the largest in a batch;
            the static shapes if None.
          padding_values: What is filled in, for each component; zeros and "" if None.
          drop_remainder: Whether a last batch with fewer elements is left out: scalar bool.
          name: Name of the operation.

        Raises:
          ValueError: A component's rank is not known, or a shape does not fit.
          TypeError: A component is sparse, or a value of another type.
        """
        spec = self.element_spec
        for atom in element_nest.flatten(spec):
            if not isinstance(atom, TensorSpec):
                raise TypeError("Batching of padded sparse tensors is not currently supported")
        if padded_shapes is None:
            padded_shapes = structures.legacy_shapes(spec)
            for shape in structures.flat_shapes(spec):
                if shape.rank is None:
                    raise ValueError(
                        "You must provide `padded_shapes` argument because component has unknown "
                        "rank."
                    )
        size = number(batch_size, "batch_size")
        shapes = [
            _padded_shape(shape, atom)
            for shape, atom in zip(
                element_nest.flatten_up_to(spec, padded_shapes),
                element_nest.flatten(spec),
                strict=True,
            )
        ]
        atoms = element_nest.flatten(spec)
        if padding_values is None:
            given: list[Any] = [None] * len(atoms)
        elif element_nest.is_nested(padding_values):
            given = element_nest.flatten_up_to(spec, padding_values)
        else:
            given = [padding_values] * len(atoms)
        values = [_padding(value, atom) for value, atom in zip(given, atoms, strict=True)]
        drops = flag(drop_remainder, "drop_remainder")
        static = _static_size(size, drops)
        made_spec = element_nest.pack(
            spec,
            [
                TensorSpec(
                    TensorShape([static]).concatenate(_known(shape)),
                    atom.dtype,
                )
                for shape, atom in zip(shapes, atoms, strict=True)
            ],
        )
        variant = dataset_node_padded(self._variant_tensor, made_spec, size, shapes, values, drops)
        return self._made(variant, made_spec, self)

    def unbatch(self, name: str | None = None) -> Any:
        """The slices of elements along their first dimension.

        Args:
          name: Name of the operation.

        Raises:
          ValueError: A component has no first dimension, or they have different ones.
        """
        shapes = structures.flat_shapes(self.element_spec)
        if any(shape.rank == 0 for shape in shapes):
            raise ValueError("Cannot unbatch an input with scalar components.")
        sizes = [size for shape in shapes if shape.rank and (size := shape[0].value) is not None]
        for size in sizes:
            if size != sizes[0]:
                raise ValueError(
                    "Cannot unbatch an input whose components have different batch sizes."
                )
        spec = structures.unbatched(self.element_spec)
        kinds = (SparseTensorSpec, RaggedTensorSpec)
        sparse = any(isinstance(a, kinds) for a in element_nest.flatten(self.element_spec))
        source: Any = self
        if sparse:
            source = _with_rows(self)
        else:

            def normalize(*parts: Any) -> Any:
                return parts if type(self.element_spec) is tuple else parts[0]

            source = self.map(normalize)  # type: ignore[attr-defined]
        variant = dataset_node("UnbatchDataset", spec, source._variant_tensor, name=name)
        return self._made(variant, spec, self)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Elements in a row as datasets, one for each component.

        Args:
          size: How many elements a window has: scalar int64.
          shift: How far it is to the next window; `size` if None.
          stride: How far it is to the next element of the window.
          drop_remainder: Whether windows with fewer elements are left out.
          name: Name of the operation.
        """
        shift = size if shift is None else shift
        spec = element_nest.map_atoms(DatasetSpec, self.element_spec)
        variant = dataset_node(
            "WindowDataset",
            spec,
            self._variant_tensor,
            number(size, "size"),
            number(shift, "shift"),
            number(stride, "stride"),
            flag(drop_remainder, "drop_remainder"),
            name=name,
        )
        return self._made(variant, spec, self)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """Elements of any size as the rows of sparse tensors.

        Args:
          batch_size: How many: scalar int64.
          row_shape: The shape of the rows, with None for the largest in a batch; -1 in a tensor.
          name: Name of the operation.

        Raises:
          TypeError: Elements have several components.
          ValueError: The shape has a size below zero.
        """
        spec = self.element_spec
        if not isinstance(spec, TensorSpec):
            raise TypeError(
                "DenseToSparseDataset requires an input whose elements have a single component, "
                f"whereas the input has {structures.legacy_types(spec)!r}."
            )
        rows = _shape_tensor(row_shape if isinstance(row_shape, Tensor) else TensorShape(row_shape))
        static = TensorShape([None]).concatenate(constants.constant_value_as_shape(rows))
        made_spec = SparseTensorSpec(static, spec.dtype)
        from_parts = dataset_node(
            "DenseToSparseBatchDataset",
            made_spec,
            self._variant_tensor,
            batch_size,
            rows,
            name=name,
        )
        return self._made(from_parts, made_spec, self)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Batches of elements of about the same length, padded.

        Args:
          element_length_func: Takes the components of an element; returns its length.
          bucket_boundaries: The lengths at which buckets end, rising.
          bucket_batch_sizes: How many elements a batch of each bucket has: one number more.
          padded_shapes: See `padded_batch`.
          padding_values: See `padded_batch`.
          pad_to_bucket_boundary: Whether all are padded to the longest that the bucket takes.
          no_padding: Whether elements are of one length anyway.
          drop_remainder: Whether last batches with fewer elements are left out.
          name: Name of the operation.

        Raises:
          ValueError: There are not as many sizes as buckets.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
        buckets = _Buckets(
            element_length_func,
            list(bucket_boundaries),
            list(bucket_batch_sizes),
            pad_to_bucket_boundary,
        )

        def reduce(bucket: Tensor, grouped: Any) -> Any:
            size = buckets.size(bucket)
            if no_padding:
                return grouped.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structures.legacy_shapes(grouped.element_spec)
            if pad_to_bucket_boundary:
                shapes = buckets.filled(shapes, bucket)
            return grouped.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(  # type: ignore[attr-defined]
            buckets.of_element, reduce, window_size_func=buckets.size, name=name
        )


class _Buckets:
    """Which elements come together, by their length."""

    def __init__(
        self, length: Callable[..., Any], ends: list[int], sizes: list[int], to_end: bool
    ) -> None:
        self._length = length
        self._ends = ends
        self._sizes = sizes
        self._to_end = to_end

    def of_element(self, *parts: Any) -> Tensor:
        """The number of an element's bucket."""
        return bucket_number(self._length(*parts), self._ends)

    def size(self, bucket: Tensor) -> Tensor:
        """How many elements a batch of a bucket has."""
        return chosen(self._sizes, bucket)

    def filled(self, shapes: Any, bucket: Tensor) -> Any:
        """Shapes with a bucket's longest length where nothing is known."""
        return bucket_shapes(shapes, self._ends, bucket)


def _with_rows(dataset: Any) -> Any:
    """A dataset whose sparse components are kept row by row."""
    spec = dataset.element_spec
    rows = element_nest.map_atoms(_Rows, spec)

    def split(*parts: Any) -> Any:
        return parts if type(spec) is tuple else parts[0]

    function = element_function(split, "Dataset.map()", spec, returns_spec=rows)
    variant = dataset_node(
        "MapDataset",
        rows,
        dataset._variant_tensor,
        list(function.captured),
        f=function.attr,
        preserve_cardinality=True,
    )
    return DatasetBase._made(variant, rows, dataset)


class _Rows:
    """Describes a batch whose elements are kept one by one in the same tensor."""

    def __init__(self, spec: Any) -> None:
        self._spec = spec

    def _parts(self) -> list[Any]:
        """Element type and shape of each tensor."""
        return list(self._spec._parts())

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        """The tensors that the elements are kept in."""
        return list(self._spec._to_batched_tensor_list(value))


def _static_size(size: Tensor, drops: Tensor) -> int | None:
    """The size that all batches have, if that is known."""
    drop, count = constants.constant_value(drops), constants.constant_value(size)
    return int(count) if drop is not None and bool(drop) and count is not None else None


def _shape_tensor(shape: Any) -> Tensor:
    """A shape as a vector of int64, with -1 where nothing is known.

    Raises:
      TypeError: It is no shape.
    """
    if isinstance(shape, Tensor):
        if shape.dtype != dtypes.int64:
            raise TypeError(f"A shape must be of dtype int64, got {shape.dtype}.")
        return shape
    try:
        static = TensorShape(shape)
    except (TypeError, ValueError):
        return convert_to_tensor(shape, dtype=dtypes.int64)
    sizes = [-1 if size is None else size for size in static.as_list()]
    return convert_to_tensor(np.array(sizes, np.int64))


def _known(shape: Tensor) -> TensorShape:
    """What is known of a shape; nothing if it has a size below -1, which is refused in a step."""
    try:
        return constants.constant_value_as_shape(shape)
    except ValueError:
        return TensorShape(None)


def _padded_shape(shape: Any, atom: Any) -> Tensor:
    if not isinstance(shape, Tensor):
        sizes = list(shape.as_list() if isinstance(shape, TensorShape) else shape)
        shape = (
            [None if size == -1 else size for size in sizes]
            if all(not isinstance(size, Tensor) for size in sizes)
            else shape
        )
    if isinstance(shape, Tensor) and shape.dtype != dtypes.int64:
        raise TypeError(
            f"Padded shape {shape} must be a 1-D tensor of tf.int64 values, but its element type "
            f"was {shape.dtype.name}."
        )
    tensor = _shape_tensor(shape)
    if tensor.shape.rank not in (None, 1):
        raise ValueError(
            f"Padded shape {shape} must be a 1-D tensor of tf.int64 values, but its shape was "
            f"{tensor.shape}."
        )
    static = _known(tensor)
    if static.rank is not None and atom.shape.rank is not None and static.rank != atom.shape.rank:
        raise ValueError(
            f"The padded shape {static} is not compatible with the corresponding input component "
            f"shape {atom.shape}."
        )
    for wanted, size in (
        zip(static, atom.shape, strict=False) if static.rank and atom.shape.rank else ()
    ):
        if wanted.value is not None and size.value is not None and wanted.value < size.value:
            raise ValueError(
                f"The padded shape {static} is not compatible with the corresponding input "
                f"component shape {atom.shape}."
            )
    return tensor


def _padding(value: Any, atom: Any) -> Tensor:
    if value is None:
        if atom.dtype == dtypes.string:
            value = ""
        elif atom.dtype == dtypes.bool:
            value = False
        elif atom.dtype == dtypes.variant:
            raise TypeError(
                "Unable to create padding for field of type 'variant' because t.base_type == "
                f"dtypes.variant == {dtypes.variant}."
            )
        else:
            value = np.zeros((), atom.dtype.as_numpy_dtype)
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != atom.dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {atom.dtype}")
    return tensor


def dataset_node_padded(
    variant: Tensor, spec: Any, size: Tensor, shapes: Any, values: Any, drops: Tensor
) -> Tensor:
    """Adds the node of a padded batch."""
    made: Tensor = apply_op(
        "PaddedBatchDatasetV2",
        variant,
        size,
        shapes,
        values,
        drops,
        output_shapes=structures.flat_shapes(spec),
    )
    return made
