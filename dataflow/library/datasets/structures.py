"""Elements as flat lists of tensors, and back; what `output_types` and the like say of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.array_specs import TensorArraySpec
from dataflow.library.datasets.specs import (
    DatasetSpec,
    SparseTensorSpec,
    TensorSpec,
    TypeSpec,
    spec_of,
)
from dataflow.library.ragged.tensor import as_ragged_or_tensor
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.ops.array.concat import stack
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


def normalized(element: Any, spec: Any = None) -> Any:
    """An element with a tensor, sparse tensor or dataset for each component.

    Raises:
      TypeError: A component can become none of these.
    """
    atoms = element_nest.flatten(element)
    specs = [None] * len(atoms) if spec is None else element_nest.flatten(spec)
    made: list[Any] = []
    with scopes.name_scope("normalize_element"):
        for place, (atom, known) in enumerate(zip(atoms, specs, strict=True)):
            if is_sparse(atom):
                made.append(SparseTensor.from_value(atom))
            elif isinstance(atom, RaggedTensorValue):
                made.append(as_ragged_or_tensor(atom))
            elif _keeps_its_form(atom):
                made.append(atom)
            elif isinstance(atom, list) and atom and all(map(_is_dataset, atom)):
                variants = stack([each._variant_tensor for each in atom])
                made.append(DatasetSpec._wrap(variants, atom[0].element_spec))
            else:
                dtype = getattr(known, "dtype", None)
                made.append(convert_to_tensor(atom, dtype=dtype, name=f"component_{place}"))
    return element_nest.pack(element, made)


def _keeps_its_form(atom: Any) -> bool:
    known = getattr(atom, "_type_spec", None)
    return isinstance(known, TypeSpec) or isinstance(atom, IndexedSlices)


def _is_dataset(value: Any) -> bool:
    return isinstance(getattr(value, "_type_spec", None), DatasetSpec)


def normalized_result(element: Any) -> Any:
    """What a function returns, with a tensor, sparse tensor or dataset for each component.

    Raises:
      TypeError: A component can become none of these.
    """

    def converted(atom: Any) -> Any:
        if is_sparse(atom):
            return SparseTensor.from_value(atom)
        if isinstance(atom, RaggedTensorValue):
            return as_ragged_or_tensor(atom)
        if _keeps_its_form(atom):
            return atom
        return convert_to_tensor(atom)

    return element_nest.map_atoms(converted, element)


def spec_of_element(element: Any) -> Any:
    """The specs of the components of an element, in its form."""
    return element_nest.map_atoms(spec_of, element)


def flat_types(spec: Any) -> list[DType]:
    """Element types of the tensors that an element is kept in."""
    return [dtype for atom in element_nest.flatten(spec) for dtype, _ in atom._parts()]


def flat_shapes(spec: Any) -> list[TensorShape]:
    """Shapes of the tensors that an element is kept in."""
    return [shape for atom in element_nest.flatten(spec) for _, shape in atom._parts()]


def to_tensors(spec: Any, element: Any) -> list[Tensor]:
    """The tensors that an element is kept in.

    Raises:
      ValueError: It is not of the form that the spec says.
      TypeError: A part of it is another kind of structure.
    """
    element_nest.assert_same_structure(spec, element)
    specs, atoms = element_nest.flatten(spec), element_nest.flatten(element)
    return [
        tensor
        for known, atom in zip(specs, atoms, strict=True)
        for tensor in known._to_tensor_list(atom)
    ]


def to_batched_tensors(spec: Any, element: Any) -> list[Tensor]:
    """The tensors that the elements are kept in which are batched in one."""
    return [
        tensor
        for known, atom in zip(
            element_nest.flatten(spec), element_nest.flatten(element), strict=True
        )
        for tensor in known._to_batched_tensor_list(atom)
    ]


def from_tensors(spec: Any, tensors: Sequence[Tensor]) -> Any:
    """The element that is kept in tensors.

    Raises:
      ValueError: There are too many or too few.
    """
    specs = element_nest.flatten(spec)
    parts = [known._parts() for known in specs]
    if (count := sum(map(len, parts))) != len(tensors):
        raise ValueError(f"Expected {count} tensors but got {len(tensors)}.")
    made, rest = [], iter(tensors)
    for known, its_parts in zip(specs, parts, strict=True):
        own = list(islice(rest, len(its_parts)))
        for tensor, (dtype, shape) in zip(own, its_parts, strict=True):
            if tensor.dtype != dtype or not tensor.shape.is_compatible_with(shape):
                raise ValueError(f"Incompatible input: {known} (tensor={tensor}).")
        made.append(known._from_tensor_list(own))
    return element_nest.pack(spec, made)


def batched(spec: Any, size: int | None) -> Any:
    """The spec of a batch of elements."""
    return element_nest.map_atoms(lambda atom: atom._batch(size), spec)


def unbatched(spec: Any) -> Any:
    """The spec of the elements that a batch is made of."""
    return element_nest.map_atoms(lambda atom: atom._unbatch(), spec)


def relaxed(first: Any, second: Any) -> Any:
    """The spec of elements of either of two specs.

    Raises:
      TypeError: They have different types.
    """
    return element_nest.map_atoms_of(lambda a, b: a._relaxed(b), first, second)


def legacy_types(spec: Any) -> Any:
    """What `output_types` is."""
    return element_nest.map_atoms(lambda atom: atom._legacy_type, spec)


def legacy_shapes(spec: Any) -> Any:
    """What `output_shapes` is."""
    return element_nest.map_atoms(lambda atom: atom._legacy_shape, spec)


def legacy_classes(spec: Any) -> Any:
    """What `output_classes` is."""
    return element_nest.map_atoms(lambda atom: atom._legacy_class, spec)


def from_legacy(types: Any, shapes: Any, classes: Any) -> Any:
    """The spec that types, shapes and classes stand for; None for shapes that are not known.

    Raises:
      TypeError: A class is none of a component.
    """
    flat_types_ = element_nest.flatten(types)
    count = len(flat_types_)
    flat_classes: list[Any] = [Tensor] * count
    if classes is not None:
        flat_classes = element_nest.flatten(classes)
    flat_shapes_: list[Any] = [None] * count
    if shapes is not None:
        flat_shapes_ = element_nest.flatten_up_to(types, shapes)
    specs: list[TypeSpec] = []
    for dtype, shape, kind in zip(flat_types_, flat_shapes_, flat_classes, strict=True):
        if isinstance(kind, TypeSpec):
            specs.append(kind)
        elif isinstance(dtype, TypeSpec):
            specs.append(dtype)
        elif isinstance(kind, type) and issubclass(kind, SparseTensor):
            specs.append(SparseTensorSpec(as_shape(shape), dtypes.as_dtype(dtype)))
        elif isinstance(kind, type) and issubclass(kind, TensorArray):
            specs.append(TensorArraySpec._from_legacy(dtype, shape))
        elif isinstance(kind, type) and issubclass(kind, Tensor):
            specs.append(TensorSpec(as_shape(shape), dtypes.as_dtype(dtype)))
        else:
            raise TypeError(
                "Could not build a structure for output class "
                f"{getattr(kind, '__name__', kind)}. Make sure any component class in "
                "`output_classes` inherits from one of the following classes: `tf.TypeSpec`, "
                "`tf.sparse.SparseTensor`, `tf.Tensor`, `tf.TensorArray`."
            )
    return element_nest.pack(types, specs)


def check_same(first: Any, second: Any) -> None:
    """Refuses elements of other types.

    Raises:
      TypeError: The types differ.
    """
    if legacy_types(first) != legacy_types(second):
        raise TypeError(f"Incompatible types: {legacy_types(first)} and {legacy_types(second)}.")
