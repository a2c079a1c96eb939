"""Ragged tensors as dense and sparse ones and as variants, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import dataflow.ops.array.fill as fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.scan as scans
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value_as_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from dataflow.graph.tensor import Tensor
from dataflow.library import check_values
from dataflow.library.ragged import segments
from dataflow.ops.array.concat import concat
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.select import sequence_mask
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, as_shape

_Made = TypeVar("_Made", bound="RaggedConversions")


class RaggedConversions:
    """The methods of `RaggedTensor` that make dense and sparse tensors of it, and it of them."""

    flat_values: Any
    nested_row_splits: Any
    _nested_row_partitions: Any
    _row_partition: Any
    shape: Any
    values: Any

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> Any:
        """The rows of a tensor, without what stands at their ends.

        Args:
          tensor: Of rank 2 at least.
          lengths: How much of each row stays: a vector, or a list of them, one for each level.
          padding: What is cut from the ends of rows.
          ragged_rank: How many dimensions have rows whose lengths may differ.
          name: Prefix of the operations' names.
          row_splits_dtype: int32 or int64.

        Raises:
          TypeError: `ragged_rank` is no integer.
          ValueError: Both `lengths` and `padding` are given, or the ranks do not fit.
        """
        kind = dtypes.as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with scopes.name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name="tensor")
            if tensor.shape.rank is not None and tensor.shape.rank < 2:
                raise ValueError(
                    "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars "
                    "won't have ragged dimensions. Received argument `tensor` with rank "
                    f"{tensor.shape.rank}."
                )
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            nested = _nested_lengths(lengths, ragged_rank)
            if nested is not None:
                return _cut_by_lengths(cls, tensor, nested, kind)
            sizes: Any = array_shape.shape(tensor, out_type=kind)
            if ragged_rank > 1:
                merged = array_shape.reshape(tensor, concat([[-1], sizes[ragged_rank:]], 0))
                inner = cls.from_tensor(
                    merged, lengths=lengths, padding=padding, row_splits_dtype=kind
                )
                known = tensor.shape.dims_tuple
                for axis in range(ragged_rank - 1, 0, -1):
                    size = sizes[axis]
                    if known is not None and known[axis] is not None:
                        size = constant(known[axis], kind)
                    inner = cls.from_uniform_row_length(  # type: ignore[attr-defined]
                        inner, size, nrows=reductions.reduce_prod(sizes[:axis]), validate=False
                    )
                return inner
            if padding is not None:
                lengths = _lengths_without(tensor, padding, kind)
            if lengths is not None:
                width = sizes[1]
                lengths = _whole(lengths, "lengths", kind)
                lengths.shape.assert_has_rank(1)
                lengths = single("Minimum", lengths, width)
                lengths = single("Maximum", lengths, 0)
                limits = scans.cumsum(lengths)
                splits = concat([fill.zeros([1], kind), limits], 0)
                mask = sequence_mask(lengths, maxlen=width)
                return cls.from_row_splits(  # type: ignore[attr-defined]
                    boolean_mask(tensor, mask), splits, validate=False
                )
            values = array_shape.reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
            values.set_shape(_merged_shape(tensor.shape))
            length: Any = sizes[1]
            known = tensor.shape.dims_tuple
            if known is not None and known[1] is not None:
                length = constant(known[1], kind)
            rows = segments.first_size(tensor, kind)
            return cls.from_uniform_row_length(  # type: ignore[attr-defined]
                values, length, nrows=rows, validate=False
            )

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """The rows as a tensor, filled up at their ends.

        Args:
          default_value: What to fill with, broadcast to one of the values; zeros by default.
          name: Prefix of the operations' names.
          shape: The shape of the result, None for sizes that follow from the rows; what does not
            fit is cut.

        Raises:
          InvalidArgumentError: At run time: the shape has other inner dimensions.
        """
        with scopes.name_scope(name, "RaggedToTensor", [self, default_value, shape]):
            flat = self.flat_values
            if default_value is None:
                default_value = constant(b"" if flat.dtype is dtypes.string else 0, flat.dtype)
            default_value = convert_to_tensor(default_value, name="default_value", dtype=flat.dtype)
            wanted = _shape_tensor(shape, self._row_partition.dtype)
            partitions = self._nested_row_partitions
            kinds = ["ROW_SPLITS"] * len(partitions)
            made = single(
                "RaggedTensorToTensor",
                wanted,
                flat,
                default_value,
                [partition.row_splits() for partition in partitions],
                row_partition_types=kinds,
            )
            return _with_known_shape(made, self.shape, shape)

    @classmethod
    def from_sparse(
        cls: type[_Made],
        st_input: Any,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> _Made:
        """The rows of a sparse matrix, whose elements stand at their beginnings.

        Raises:
          TypeError: `st_input` is no sparse tensor.
          ValueError: It is known to be no matrix.
          InvalidArgumentError: At run time: an element follows a gap.
        """
        if not isinstance(st_input, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        kind = dtypes.as_dtype(row_splits_dtype)
        with scopes.name_scope(name, "RaggedFromSparse", [st_input]):
            sparse = SparseTensor.from_value(st_input)
            rank = sparse.dense_shape.shape.dims_tuple
            columns = sparse.indices.shape.dims_tuple
            known = (rank and rank[0]) or (columns and columns[1])
            if known is not None and known != 2:
                raise ValueError("rank(st_input) must be 2.")
            indices: Any = cast(sparse.indices, kind)
            shape: Any = cast(sparse.dense_shape, kind)
            rows, places = indices[:, 0], indices[:, 1]
            splits: Any = segments.segment_ids_to_row_splits(rows, shape[0])
            expected = segments.numbers(segments.first_size(rows, kind), kind)
            expected = expected - single("GatherV2", splits, rows, 0)
            check = check_values.assert_equal(
                places, expected, message="SparseTensor is not right-ragged"
            )
            values = with_dependencies([check], sparse.values)
            return cls.from_row_splits(values, splits, validate=False)  # type: ignore[attr-defined, no-any-return]

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """The rows as a sparse tensor."""
        with scopes.name_scope(name, "RaggedToSparse", [self]):
            made = apply_op("RaggedTensorToSparse", list(self.nested_row_splits), self.flat_values)
            return SparseTensor(*made)

    @classmethod
    def _from_variant(
        cls,
        variant: Any,
        dtype: Any,
        output_ragged_rank: int,
        input_ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """What variants hold: see `_to_variant`.

        Raises:
          ValueError: The ranks do not fit together.
        """
        variant = convert_to_tensor(variant, name="variant", dtype=dtypes.variant)
        rank = variant.shape.rank
        if (
            rank is not None
            and input_ragged_rank is not None
            and output_ragged_rank != input_ragged_rank + rank
        ):
            raise ValueError(
                "output_ragged_rank must be equal to input_ragged_rank +variant.shape.ndims, found "
                f"variant.shape.ndims: {rank}, input_ragged_rank: {input_ragged_rank}, "
                f"output_ragged_rank: {output_ragged_rank}"
            )
        made: Any = apply_op(
            "RaggedTensorFromVariant",
            variant,
            input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
            output_ragged_rank=output_ragged_rank,
            Tvalues=dtypes.as_dtype(dtype),
            Tsplits=dtypes.as_dtype(row_splits_dtype),
            name=name,
        )
        splits, values = list(made[0]), made[1]
        return cls.from_nested_row_splits(values, splits, validate=False)  # type: ignore[attr-defined]

    def _to_variant(self, batched_input: bool = False, name: str | None = None) -> Tensor:
        """A variant that holds it, or one for each row."""
        with scopes.name_scope(name, "RaggedToVariant", [self]):
            return single(
                "RaggedTensorToVariant",
                list(self.nested_row_splits),
                self.flat_values,
                batched_input=batched_input,
            )


def _whole(values: Any, name: str, kind: Any) -> Tensor:
    """Whole numbers of whatever type, in this one.

    Raises:
      TypeError: They are others.
    """
    tensor = convert_to_tensor(values, name=name, preferred_dtype=kind)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor} of dtype: {tensor.dtype}"
        )
    found: Tensor = single("Cast", tensor, DstT=kind)
    return found


def _nested_lengths(lengths: Any, ragged_rank: int) -> list[Any] | None:
    """Lengths for each level, None if there are not several levels of them."""
    if not isinstance(lengths, (list, tuple)) or not lengths:
        return None
    if isinstance(lengths[0], (int, float)):
        return None
    if ragged_rank not in (1, len(lengths)):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be "
            f"len(lengths): {len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    return list(lengths)


def _cut_by_lengths(cls: Any, tensor: Tensor, nested: Sequence[Any], kind: Any) -> Any:
    values: Any = tensor
    levels = [convert_to_tensor(part, preferred_dtype=kind) for part in nested]
    for lengths in levels:
        lengths.shape.with_rank_at_most(1)
    for lengths in levels:
        sizes: Any = array_shape.shape(values, out_type=lengths.dtype)
        mask = sequence_mask(lengths, maxlen=sizes[1])
        values = boolean_mask(values, mask)
    return cls.from_nested_row_lengths(values, levels, validate=False)


def _lengths_without(tensor: Any, padding: Any, kind: Any) -> Tensor:
    """How long rows are without the padding at their ends."""
    padding = convert_to_tensor(padding, name="padding", dtype=tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    differs: Any = single("NotEqual", tensor, padding)
    rank = tensor.shape.rank
    if rank is None or rank > 2:
        axes: Any = list(range(2, rank)) if rank is not None else None
        if axes is None:
            ranks: Any = array_shape.rank(tensor)
            axes = single("Range", 2, ranks, 1)
        differs = single("Any", differs, axes, keep_dims=False)
    places: Any = segments.numbers(array_shape.shape(tensor)[1], kind)
    ends = cast(differs, kind) * (places + constant(1, kind))
    return reductions.reduce_max(concat([array_shape.expand_dims(ends[:, 0] * 0, 1), ends], 1), 1)


def _merged_shape(shape: TensorShape) -> TensorShape:
    dims = shape.dims_tuple
    if dims is None:
        return TensorShape(None)
    first = None if None in dims[:2] else dims[0] * dims[1]  # type: ignore[operator]
    return TensorShape([first, *dims[2:]])


def _shape_tensor(shape: Any, kind: Any) -> Tensor:
    """The shape that is asked for as the op takes it, -1 for what is not given."""
    if shape is None:
        return constant(-1, kind)
    if isinstance(shape, Tensor):
        return shape if shape.dtype in (dtypes.int32, dtypes.int64) else cast(shape, kind)
    known = as_shape(shape)
    if known.rank is None:
        return constant(-1, kind)
    return constant(
        [-1 if dim is None else dim for dim in known.dims_tuple or ()], kind, [known.rank]
    )


def _with_known_shape(made: Tensor, known: TensorShape, asked: Any) -> Tensor:
    if asked is None:
        made.set_shape(known)
    elif isinstance(asked, Tensor):
        if asked.shape.rank == 1:
            made.set_shape(constant_value_as_shape(asked))
    else:
        wanted = as_shape(asked)
        if wanted.rank is not None and wanted.rank == known.rank:
            pairs = zip(wanted.dims_tuple or (), known.dims_tuple or (), strict=True)
            wanted = TensorShape([mine if given is None else given for given, mine in pairs])
        made.set_shape(wanted)
    return made
