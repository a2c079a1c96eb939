"""The core of datasets: the variant that stands for one, the spec of its elements, iterators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from dataflow.graph import random_seed, scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.importing.sub_graphs import extract_sub_graph
from dataflow.library.datasets import nodes, structures
from dataflow.library.datasets.iterators import Iterator
from dataflow.library.datasets.settings.options import Options
from dataflow.library.datasets.specs import DatasetSpec
from dataflow.library.defun import Defun
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList
from dataflow.values.composite_tensor import CompositeTensor


class DatasetBase(CompositeTensor):
    """What all datasets have in common."""

    _plain: ClassVar[Any] = None
    """The class of datasets that are made of others."""

    _variant_tensor: Tensor
    _spec: Any
    _merged: Options | str
    """What it says and what its sources say; a text about how they contradict each other."""
    _graph_attr: Any

    def __init__(self) -> None:
        """Makes a dataset of a class of the user's: `_as_variant_tensor` gives its variant."""
        self._set(self._as_variant_tensor(), None, ())

    def _as_variant_tensor(self) -> Tensor:
        """The variant that stands for the dataset.

        Raises:
          NotImplementedError: The class does not say.
        """
        raise NotImplementedError(f"{type(self).__name__}.as_variant_tensor()")

    def _components(self) -> tuple[Tensor, ...]:
        return (self._variant_tensor,)

    def _with_components(self, components: Sequence[Any]) -> Any:
        (variant,) = components
        return wrap(variant, self.element_spec)

    def _inputs(self) -> list[Any]:
        """The datasets that it is made of."""
        return list(self._sources)

    def _functions(self) -> list[NameAttrList]:
        """The functions of the graph that it calls."""
        attrs = self._variant_tensor.op.attrs.values()
        return [value for value in attrs if isinstance(value, NameAttrList)]

    def _set(self, variant: Tensor, spec: Any, sources: tuple[Any, ...]) -> None:
        self._variant_tensor = variant
        self._graph_attr = variant.graph
        self._spec = spec
        self._sources = sources
        self._merged = Options()
        for source in sources:
            if isinstance(source, DatasetBase):
                self._merged = _joined(self._merged, source._merged)

    @classmethod
    def _made(cls, variant: Tensor, spec: Any, *sources: Any) -> Any:
        made = object.__new__(cls._plain)
        made._set(variant, spec, sources)
        return made

    @property
    def _graph(self) -> Any:
        return self._graph_attr

    @property
    def _type_spec(self) -> DatasetSpec:
        shape = self._variant_tensor.shape
        return DatasetSpec(self.element_spec, () if shape.rank is None else shape)

    @property
    def element_spec(self) -> Any:
        """Describes the elements: a structure of specs."""
        if self._spec is None:
            return structures.from_legacy(
                self.output_types, self.output_shapes, self.output_classes
            )
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

    @property
    def _options(self) -> Options:
        if isinstance(self._merged, str):
            raise ValueError(self._merged)
        return self._merged

    def options(self) -> Options:
        """The options of the dataset and of those that it is made of.

        Raises:
          ValueError: They contradict each other.
        """
        self._options._set_mutable(False)
        return self._options

    def __iter__(self) -> Any:
        """Refuses: elements are there when a session runs."""
        raise RuntimeError(
            "__iter__() is only supported inside of tf.function or when eager execution is enabled."
        )

    def __len__(self) -> int:
        raise TypeError(
            "`tf.data.Dataset` only supports `len` in eager mode. Use "
            "`tf.data.Dataset.cardinality()` instead."
        )

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    def as_numpy_iterator(self) -> Any:
        """Refuses: elements are there when a session runs.

        Raises:
          RuntimeError: Always.
        """
        raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """An iterator over the elements, which begins when its `initializer` is run.

        Args:
          shared_name: Name under which sessions share the iterator.

        Raises:
          ValueError: The default graph is another one than the dataset's.
        """
        self._check_graph()
        variant = self._final_variant()
        spec = self.element_spec
        with scopes.colocate_with(self._variant_tensor):
            resource = apply_op(
                "IteratorV2",
                shared_name=(shared_name or "").encode(),
                container=b"",
                **nodes.described(spec),
            )
            initializer = apply_op("MakeIterator", variant, resource)
            return Iterator._of(resource, initializer, spec)

    def make_one_shot_iterator(self) -> Iterator:
        """An iterator over the elements that needs no initializer; it goes through them once.

        Raises:
          ValueError: The dataset depends on state or on what is fed.
        """
        self._check_graph()
        variant = self._final_variant()
        spec = self.element_spec
        allowed = _allowed_operations(variant.op)
        # TensorFlow seeds the function by one of the graph's numbers, even where nothing in it is
        # random: who comes later gets the next one.
        random_seed.get_seed(None)

        def _make_dataset() -> Tensor:
            return variant

        factory: Any = Defun(capture_by_value=True, allowlisted_stateful_ops=allowed)(_make_dataset)
        graph = scopes.get_default_graph()
        try:
            factory.add_to_graph(graph)
        except ValueError as error:
            if "Cannot capture a stateful node" not in str(error):
                raise
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. "
                "`Dataset.make_one_shot_iterator()` does not support datasets that capture "
                "stateful objects, such as a `Variable` or `LookupTable`. In these cases, use "
                f"`Dataset.make_initializable_iterator()`. (Original error: {error})"
            ) from None
        with scopes.colocate_with(self._variant_tensor):
            resource = apply_op(
                "OneShotIterator",
                dataset_factory=NameAttrList(factory.name),
                container=b"",
                shared_name=b"",
                **nodes.described(spec),
            )
            return Iterator._of(resource, None, spec)

    def _final_variant(self) -> Tensor:
        """The variant of the dataset as its options want it to be run."""
        variant, spec = self._variant_tensor, self.element_spec
        stats = self._options._values.get("experimental_stats")
        if stats is None:
            return variant
        if stats.latency_all_edges:
            rewrites = convert_to_tensor(["latency_all_edges"], name="optimizations")
            variant = nodes.dataset_node("OptimizeDataset", spec, variant, rewrites)
        if stats.aggregator is not None:
            variant = nodes.dataset_node(
                "SetStatsAggregatorDataset",
                spec,
                variant,
                stats.aggregator._resource,
                stats.prefix,
                stats.counter_prefix,
            )
        return variant

    def _as_serialized_graph(self, stateful_allowlist: Any = None) -> Tensor:
        """A scalar string: the graph that the dataset's variant comes from."""
        variant = self._final_variant()
        made = extract_sub_graph(variant.graph.as_graph_def(), [variant.op.name])
        return convert_to_tensor(made.SerializeToString(deterministic=True), name="DatasetToGraph")

    def _check_graph(self) -> None:
        graph = scopes.get_default_graph()
        inner: Any = graph
        while inner is not None and inner is not self._graph_attr:
            inner = getattr(inner, "outer_graph", None)
        if inner is None:
            raise ValueError(
                f"The graph {graph} of the iterator is different from the graph "
                f"{self._graph_attr} the dataset: {self._variant_tensor} was created in. Make sure "
                "that the dataset is created in the same graph as the iterator."
            )

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """What a function makes of the dataset.

        Args:
          transformation_func: Takes a dataset and returns one.

        Raises:
          TypeError: It returns something else.
        """
        made = transformation_func(self)
        if not isinstance(made, DatasetBase):
            raise TypeError(f"`transformation_func` must return a Dataset. Got {made}.")
        return made

    def cardinality(self) -> Tensor:
        """How many elements there are; -1 for without end, -2 if it is not known: scalar int64."""
        made: Tensor = apply_op("DatasetCardinality", self._variant_tensor)
        return made


def _joined(first: Options | str, second: Options | str) -> Options | str:
    """Options of two datasets; nothing is refused before somebody asks for the elements."""
    for each in (first, second):
        if isinstance(each, str):
            return each
    assert isinstance(first, Options) and isinstance(second, Options)
    try:
        return first.merge(second)
    except ValueError as error:
        return str(error)


def _allowed_operations(op: Operation) -> list[Operation]:
    """The operations that a dataset is made of, and checks, which have no state in TensorFlow 1."""
    found: dict[Operation, None] = {}
    stack = [op]
    while stack:
        each = stack.pop()
        if each in found:
            continue
        makes_variant = each.outputs and each.outputs[0].dtype == dtypes.variant
        if makes_variant or each.type == "CheckNumerics":
            found[each] = None
        stack += [tensor.op for tensor in each.inputs]
    return list(found)


def wrap(variant: Any, spec: Any) -> Any:
    """The dataset that a variant stands for."""
    return DatasetBase._made(variant, spec)


DatasetSpec._wrap = staticmethod(wrap)
DatasetSpec.value_type = DatasetBase
