"""The arguments of a traced function: as Python binds them, as tensors, and as a key."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dataflow.functions.tracing import Parameter, parameter_of
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library import shallow_nest
from dataflow.library.datasets.specs import SparseTensorSpec, TensorSpec, TypeSpec, spec_of
from dataflow.values import dtypes, nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape
from dataflow.variables.base import BaseVariable

Unpack = Callable[[Sequence[Tensor]], Any]
"""Makes an argument of the tensors that stand for it in the body."""


@dataclass(frozen=True)
class Leaf:
    """One argument, or a part of one.

    Attributes:
        value: What a tensor, composite or description is known by; else the value itself.
        name: Where it stands, such as `x` or `x_0`.
        parameters: The tensors that the body takes for it.
        unpack: Makes it of those; None for a value that is no tensor, which is a part of the key.
        tensors: What a call gives for it; nothing if the function is only described.
    """

    value: Any
    name: str
    parameters: tuple[Parameter, ...] = ()
    unpack: Unpack | None = None
    tensors: tuple[Tensor, ...] = ()

    @property
    def key(self) -> Any:
        """What must be equal for a traced function to be used again."""
        if self.unpack is not None:
            return repr(self.value), repr([each.handle_data for each in self.parameters])
        try:
            hash(self.value)
        except TypeError:
            return _Same(self.value)
        is_variable = isinstance(self.value, BaseVariable)
        return _Same(self.value) if is_variable else (type(self.value), self.value)

    @property
    def can_relax(self) -> bool:
        """Whether its shape may be left open."""
        return isinstance(self.value, TensorSpec) and self.unpack is not None

    def loose_key(self, tells_rank: bool) -> Any:
        """Equal for tensors of one type and, where it tells, of one rank."""
        return self.value.dtype, self.value.shape.ndims if tells_rank else None

    def relaxed_to(self, other: Leaf) -> Leaf:
        """This tensor, with only those sizes known that another one has, too."""
        if not self.can_relax:
            return self
        shape = self.value.shape.most_specific_compatible_shape(other.value.shape)
        (own,) = self.parameters
        return replace(
            self, value=TensorSpec(shape, self.value.dtype), parameters=(replace(own, shape=shape),)
        )


class _Same:
    """Equal to what holds the very same object."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._held is self._held

    def __hash__(self) -> int:
        return id(self._held)


@dataclass(frozen=True)
class BoundArguments:
    """The arguments of one call.

    Attributes:
        structure: `(args, kwargs)`, with the defaults that were left out.
        leaves: What is in it, in the order of `nest.flatten`.
    """

    structure: tuple[tuple[Any, ...], dict[str, Any]]
    leaves: tuple[Leaf, ...]

    @property
    def key(self) -> Any:
        """Equal for calls that one traced function serves."""
        return _outline(self.structure), tuple(leaf.key for leaf in self.leaves)

    def loose_key(self, tells_ranks: bool) -> Any:
        """Equal for calls that differ in the shapes of tensors only, or only in their sizes."""
        keys = (leaf.loose_key(tells_ranks) if leaf.can_relax else leaf.key for leaf in self.leaves)
        return _outline(self.structure), tuple(keys)

    def relaxed(self, other: BoundArguments) -> BoundArguments:
        """These arguments, with only those sizes known that others have in common with them."""
        pairs = zip(self.leaves, other.leaves, strict=True)
        return BoundArguments(self.structure, tuple(mine.relaxed_to(its) for mine, its in pairs))

    @property
    def parameters(self) -> list[Parameter]:
        """The tensors that the body takes."""
        return [each for leaf in self.leaves for each in leaf.parameters]

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors of the call."""
        return [each for leaf in self.leaves for each in leaf.tensors]

    @property
    def signature(self) -> tuple[Any, Any]:
        """The structure, with descriptions in place of tensors."""
        described = [
            TensorSpec(leaf.value.shape, leaf.value.dtype, leaf.name)
            if isinstance(leaf.value, TensorSpec)
            else leaf.value
            for leaf in self.leaves
        ]
        args, kwargs = nest.pack_sequence_as(self.structure, described)
        return args, kwargs

    def unpacked(self, placeholders: Sequence[Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that the Python function is called with in the body."""
        remaining = iter(placeholders)
        values = []
        for leaf in self.leaves:
            own = [next(remaining) for _ in leaf.parameters]
            values.append(leaf.value if leaf.unpack is None else leaf.unpack(own))
        args, kwargs = nest.pack_sequence_as(self.structure, values)
        return args, kwargs


class Signature:
    """How a Python function takes its arguments.

    Args:
      function: The function.
      input_signature: A sequence of structures of TensorSpecs, one for each argument; or None.

    Raises:
      TypeError: `input_signature` is no sequence of descriptions, or longer than the arguments.
    """

    def __init__(self, function: Callable[..., Any], input_signature: Any) -> None:
        self.of_function = inspect.signature(function, follow_wrapped=False)
        if input_signature is not None:
            if not isinstance(input_signature, (tuple, list)):
                raise TypeError(
                    "input_signature must be either a tuple or a list, got "
                    f"{type(input_signature)}."
                )
            input_signature = tuple(input_signature)
            if not all(isinstance(each, TypeSpec) for each in nest.flatten(input_signature)):
                raise TypeError(
                    "input_signature must be a possibly nested sequence of TensorSpec objects, got "
                    f"{input_signature}."
                )
        self.input_signature = input_signature

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> BoundArguments:
        """The arguments of a call.

        Raises:
          TypeError: They do not fit the function, or what `input_signature` says.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        try:
            bound = self.of_function.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.args
            if self.input_signature is not None:
                given = self._as_described(given)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: "
                f"{tuple(args)} and kwargs: {dict(kwargs)} for signature: {self.of_function}."
            ) from None
        structure = (given, bound.kwargs)
        names = [*self._positional_names(len(given)), *sorted(bound.kwargs)]
        tops = [*given, *(bound.kwargs[name] for name in sorted(bound.kwargs))]
        leaves = [
            leaf for name, top in zip(names, tops, strict=True) for leaf in _leaves(name, name, top)
        ]
        return BoundArguments(structure, tuple(leaves))

    def _positional_names(self, count: int) -> list[str]:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = self.of_function.parameters.values()
        names = [each.name for each in parameters if each.kind in kinds][:count]
        rest = next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), "")
        return names + [f"{rest}_{index}" for index in range(count - len(names))]

    def _as_described(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as `input_signature` describes them; those behind have their defaults."""
        described = self.input_signature
        assert described is not None
        if len(given) < len(described):
            raise TypeError(f"input_signature describes {len(described)} arguments")
        own = given[: len(described)]
        flat = shallow_nest.flatten_up_to(described, own, check_types=False)
        fitted = map(_fitted, flat, nest.flatten(described))
        return (*nest.pack_sequence_as(described, list(fitted)), *given[len(described) :])


@dataclass(frozen=True)
class _Described:
    """A tensor of a call whose function is made for all that a description fits."""

    tensor: Tensor
    spec: TensorSpec


def _fitted(value: Any, spec: TypeSpec) -> Any:
    if isinstance(value, TypeSpec):
        if not spec.is_compatible_with(value):
            raise TypeError(f"Can not cast {value} to {spec}")
        return spec
    if not isinstance(spec, TensorSpec):
        if not spec.is_compatible_with(value):
            raise TypeError(f"Can not cast {spec_of(value)} to {spec}")
        return value
    tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {spec_of(tensor)} to {spec}")
    return _Described(tensor, spec)


def _leaves(name: str, top: str, value: Any) -> Iterator[Leaf]:
    """The parts of an argument that is named `top`."""
    if not nest.is_nested(value):
        yield _leaf(name, top, value)
        return
    for key, part in nest.sorted_items(value):
        yield from _leaves(f"{name}_{key}", top, part)


def _leaf(name: str, top: str, value: Any) -> Leaf:
    if isinstance(value, _Described):
        parameter = Parameter(value.spec.dtype, value.spec.shape, value.spec.name or top)
        return Leaf(value.spec, name, (parameter,), _only, (value.tensor,))
    if isinstance(value, (np.ndarray, np.generic)):
        value = convert_to_tensor(value)
    if isinstance(value, Tensor):
        spec = TensorSpec(value.shape, value.dtype.base_dtype)
        return Leaf(spec, name, (parameter_of(value, top),), _only, (value,))
    if isinstance(value, CompositeTensor):
        parts = value._components()
        parameters = tuple(parameter_of(part, top) for part in parts)
        return Leaf(spec_of(value), name, parameters, value._with_components, tuple(parts))
    if isinstance(value, TensorSpec):
        parameter = Parameter(value.dtype, value.shape, value.name or top)
        return Leaf(TensorSpec(value.shape, value.dtype), value.name or name, (parameter,), _only)
    if isinstance(value, SparseTensorSpec):
        rank = value.shape.rank
        kinds = ((dtypes.int64, [None, rank]), (value.dtype, [None]), (dtypes.int64, [rank]))
        parameters = tuple(Parameter(dtype, TensorShape(shape), top) for dtype, shape in kinds)
        return Leaf(value, name, parameters, SparseTensor._from_components)
    return Leaf(value, name)


def _only(tensors: Sequence[Tensor]) -> Tensor:
    (tensor,) = tensors
    return tensor


def _outline(structure: Any) -> Any:
    """The structure without what is in it, as something that can be compared."""
    if not nest.is_nested(structure):
        return None
    parts = ((key, _outline(part)) for key, part in nest.sorted_items(structure))
    return type(structure), tuple(parts)
