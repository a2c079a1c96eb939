"""from_generator: a dataset of what a Python generator yields."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import element_nest, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.functions import element_function
from dataflow.library.datasets.nodes import captures, dataset_node
from dataflow.library.datasets.specs import TensorSpec, TypeSpec
from dataflow.library.py_func import py_func
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_RUNNING: Final[dict[tuple[str, int], Iterator[Any]]] = {}
"""The generators that are being run in this process, by their source and number."""
_NUMBERS: Final = itertools.count()


class _Begin:
    """Begins a generator; gives its number. The three are found again by name in any process."""

    def __init__(self, key: str, generator: Callable[..., Any]) -> None:
        self._key = key
        self._generator = generator

    def __call__(self, *args: Any) -> Any:
        number = next(_NUMBERS)
        _RUNNING[self._key, number] = iter(self._generator(*args))
        return np.int64(number)


class _Following:
    """Gives the next element of a generator, as a list of arrays."""

    def __init__(self, key: str, spec: Any) -> None:
        self._key = key
        self._form = element_nest.map_atoms(lambda atom: atom.dtype.name, spec)
        self._expected = repr(element_nest.map_atoms(lambda atom: atom.dtype, spec))
        self._types = [atom.dtype.name for atom in element_nest.flatten(spec)]
        self._sizes = [atom.shape.dims_tuple for atom in element_nest.flatten(spec)]

    def __call__(self, number: Any) -> list[Any]:
        value = next(_RUNNING[self._key, int(number)])
        try:
            parts = element_nest.flatten_up_to(self._form, value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {self._expected}, but the yielded element was {value}."
            ) from error
        made = []
        for part, name, size in zip(parts, self._types, self._sizes, strict=True):
            array = _converted(part, name)
            shape = TensorShape(size)
            if not shape.is_compatible_with(array.shape):
                raise TypeError(
                    f"`generator` yielded an element of shape {array.shape} where an element of "
                    f"shape {shape} was expected."
                )
            made.append(array)
        return made


def _converted(part: Any, name: str) -> Any:
    try:
        if name != "string":
            return np.asarray(part, dtype=dtypes.as_dtype(name).as_numpy_dtype)
        array = np.asarray(part, dtype=object)
        for item in array.ravel().tolist():
            if not isinstance(item, (bytes, str)):
                raise TypeError(item)
        return array
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {name}, but the yielded element was {part}."
        ) from error


class _End:
    """Forgets a generator."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, number: Any) -> Any:
        _RUNNING.pop((self._key, int(number)), None)
        return np.int64(0)


def from_generator(
    plain: Any,
    generator: Any,
    output_types: Any,
    output_shapes: Any,
    args: Any,
    output_signature: Any,
    name: str | None,
) -> Any:
    """See `Dataset.from_generator`."""
    spec = _signature(generator, output_types, output_shapes, output_signature)
    given = [] if args is None else [convert_to_tensor(arg, name="args") for arg in args]
    key = uuid.uuid4().hex
    types = structures.flat_types(spec)

    def get_iterator_id_fn(unused: Any) -> Any:
        return _scalar(py_func(_Begin(key, generator), given, dtypes.int64))

    def generator_next_fn(number: Any) -> Any:
        made = py_func(_Following(key, spec), [number], types)
        for tensor, shape in zip(made, structures.flat_shapes(spec), strict=True):
            tensor.set_shape(shape)
        return element_nest.pack(spec, made)

    def finalize_fn(number: Any) -> Any:
        return _scalar(py_func(_End(key), [number], dtypes.int64))

    def flat_map_fn(dummy: Any) -> Any:
        return generator_dataset(
            dummy, get_iterator_id_fn, generator_next_fn, finalize_fn, returns_spec=spec
        )

    return plain.from_tensors(np.int64(0)).flat_map(flat_map_fn, name=name)


def generator_dataset(
    init_args: Any,
    init_func: Callable[..., Any],
    next_func: Callable[..., Any],
    finalize_func: Callable[..., Any],
    returns_spec: Any = None,
) -> Any:
    """A dataset of what a function of the graph gives until it is out of range.

    Args:
      init_args: An element: what `init_func` is given.
      init_func: Makes a state of it.
      next_func: Makes an element of the state.
      finalize_func: Takes the state when the iteration has ended.
      returns_spec: Describes the elements, if that is known.
    """
    where = "Dataset.from_generator()"
    args = structures.normalized(init_args)
    given = structures.spec_of_element(args)
    begin = element_function(init_func, where, given)
    following = element_function(next_func, where, begin.spec, returns_spec=returns_spec)
    end = element_function(finalize_func, where, begin.spec)
    variant = dataset_node(
        "GeneratorDataset",
        following.spec,
        [*structures.to_tensors(given, args), *captures(begin)],
        captures(following),
        captures(end),
        init_func=begin.attr,
        next_func=following.attr,
        finalize_func=end.attr,
    )
    return DatasetBase._made(variant, following.spec)


def _scalar(tensor: Any) -> Any:
    tensor.set_shape([])
    return tensor


def _signature(generator: Any, types: Any, shapes: Any, signature: Any) -> Any:
    if not callable(generator):
        raise TypeError("`generator` must be callable.")
    if types is not None and signature is not None:
        raise TypeError(
            "The `output_types` argument and the `output_signature` argument cannot both be "
            "specified."
        )
    if shapes is not None and signature is not None:
        raise TypeError(
            "The `output_shapes` argument and the `output_signature` argument cannot both be "
            "specified."
        )
    if types is None and signature is None:
        raise TypeError(
            "Either the `output_types` argument or the `output_signature` argument must be "
            "specified."
        )
    if signature is None:
        return structures.from_legacy(types, shapes, None)
    _check_specs(element_nest.flatten(signature))
    return signature


def _check_specs(atoms: Sequence[Any]) -> None:
    for atom in atoms:
        if not isinstance(atom, TypeSpec):
            raise TypeError(
                f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(atom)} which is not."
            )
        if not isinstance(atom, TensorSpec):
            raise TypeError(
                f"`output_signature` of a generator can only have tensors here, not {atom}."
            )
