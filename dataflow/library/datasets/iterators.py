"""tf.data.Iterator: the elements of a dataset, one in each step."""

from __future__ import annotations

import warnings
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import nodes, structures
from dataflow.library.datasets.optionals import Optional
from dataflow.values import dtypes, nest

GET_NEXT_CALL_WARNING_THRESHOLD: Final = 32
GET_NEXT_CALL_WARNING_MESSAGE: Final = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates "
    "that `Iterator.get_next()` is being called inside a training loop, which will cause gradual "
    "slowdown and eventual resource exhaustion. If this is the case, restructure your code to call "
    "`next_element = iterator.get_next()` once outside the loop, and use `next_element` as the "
    "input to some computation that is invoked inside the loop."
)
GLOBAL_ITERATORS: Final = "iterators"
"""The collection that iterators are put into."""


class Iterator:
    """The elements of a dataset, of which each step that runs `get_next` takes one.

    Args:
      iterator_resource: The handle.
      initializer: The operation that begins an iteration, or None.
      output_types: Element types of the components, in the form of an element.
      output_shapes: Their shapes.
      output_classes: Their classes.

    Raises:
      ValueError: Something is missing.
    """

    # Checkpoints hold iterators, which are made of nothing else that they hold.
    _checkpoint_dependencies = ()

    def __init__(
        self,
        iterator_resource: Tensor,
        initializer: Operation | None,
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ) -> None:
        if output_types is None or output_shapes is None or output_classes is None:
            raise ValueError(
                "If `structure` is not specified, all of `output_types`, `output_shapes`, and "
                "`output_classes` must be specified."
            )
        spec = structures.from_legacy(output_types, output_shapes, output_classes)
        self._set(iterator_resource, initializer, spec)

    def _set(self, resource: Tensor, initializer: Operation | None, spec: Any) -> None:
        self._iterator_resource = resource
        self._initializer = initializer
        self._spec = spec
        self._string_handle = apply_op("IteratorToStringHandle", resource)
        self._calls = 0
        scopes.get_default_graph().add_to_collection(GLOBAL_ITERATORS, resource)

    @classmethod
    def _of(cls, resource: Tensor, initializer: Operation | None, spec: Any) -> Iterator:
        made = object.__new__(cls)
        made._set(resource, initializer, spec)
        return made

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator over any dataset of such elements: `make_initializer` says over which.

        Args:
          output_types: Element types of the components, in the form of an element.
          output_shapes: Their shapes; None if nothing is known of them.
          shared_name: Name under which sessions share the iterator.
          output_classes: Their classes; None if all are tensors.

        Raises:
          TypeError: A class is none of a component.
        """
        spec = structures.from_legacy(output_types, output_shapes, output_classes)
        resource = apply_op(
            "IteratorV2",
            shared_name=(shared_name or "").encode(),
            container=b"",
            **nodes.described(spec),
        )
        return Iterator._of(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """The iterator that a string stands for, which may be fed.

        Args:
          string_handle: A scalar string: what `string_handle` of an iterator gave.
          output_types: Element types of the components, in the form of an element.
          output_shapes: Their shapes; None if nothing is known of them.
          output_classes: Their classes; None if all are tensors.

        Raises:
          TypeError: A class is none of a component.
        """
        spec = structures.from_legacy(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=dtypes.string)
        resource = apply_op("IteratorFromStringHandleV2", handle, **nodes.described(spec))
        return Iterator._of(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that begins an iteration.

        Raises:
          ValueError: There is none.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An operation that begins an iteration over a dataset.

        Args:
          dataset: A dataset of such elements.
          name: The operation's name.

        Raises:
          TypeError: Its elements are of other types, shapes or classes.
        """
        with scopes.name_scope(name, "make_initializer") as scope:
            given = dataset.element_spec
            nest.assert_same_structure(
                structures.legacy_types(self._spec), structures.legacy_types(given)
            )
            for what, other, view in (
                ("types", "types", structures.legacy_types),
                ("classes", "class", structures.legacy_classes),
            ):
                if view(given) != view(self._spec):
                    raise TypeError(
                        f"Expected output {what} {view(self._spec)!r} but got dataset with "
                        f"output {other} {view(given)!r}."
                    )
            wanted, found = structures.flat_shapes(self._spec), structures.flat_shapes(given)
            if not all(a.is_compatible_with(b) for a, b in zip(wanted, found, strict=True)):
                raise TypeError(
                    "Expected output shapes compatible with "
                    f"{structures.legacy_shapes(self._spec)} but got dataset with output shapes "
                    f"{structures.legacy_shapes(given)}."
                )
            with scopes.colocate_with(self._iterator_resource):
                made: Operation = apply_op(
                    "MakeIterator",
                    dataset._variant_tensor,
                    self._iterator_resource,
                    name=scope,
                )
                return made

    def get_next(self, name: str | None = None) -> Any:
        """The next element: another one in each step.

        Args:
          name: The operation's name.

        Returns:
          The components, in the form of an element. Running one raises OutOfRangeError at the end.
        """
        self._calls += 1
        if self._calls > GET_NEXT_CALL_WARNING_THRESHOLD:
            warnings.warn(
                GET_NEXT_CALL_WARNING_MESSAGE,
                stacklevel=2,
            )
        with scopes.colocate_with(self._iterator_resource):
            tensors = apply_op(
                "IteratorGetNext",
                self._iterator_resource,
                name=name,
                **nodes.described(self._spec),
            )
            return structures.from_tensors(self._spec, tensors)

    def get_next_as_optional(self) -> Optional:
        """The next element as an optional, which holds nothing at the end."""
        with scopes.colocate_with(self._iterator_resource):
            variant = apply_op(
                "IteratorGetNextAsOptional",
                self._iterator_resource,
                **nodes.described(self._spec),
            )
            return Optional._of(variant, self._spec)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A scalar string that stands for the iterator: what is fed to `from_string_handle`.

        Args:
          name: Name of the operation; one that there is already if None.
        """
        if name is None:
            made: Tensor = self._string_handle
        else:
            made = apply_op("IteratorToStringHandle", self._iterator_resource, name=name)
        return made

    @property
    def element_spec(self) -> Any:
        """Describes the elements: a structure of specs."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """Element types of the components of an element, in its form."""
        return structures.legacy_types(self._spec)

    @property
    def output_shapes(self) -> Any:
        """Shapes of the components of an element, in its form."""
        return structures.legacy_shapes(self._spec)

    @property
    def output_classes(self) -> Any:
        """Classes of the components of an element, in its form."""
        return structures.legacy_classes(self._spec)
