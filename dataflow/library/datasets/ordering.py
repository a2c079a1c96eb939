"""Methods of datasets that choose, repeat, order or keep elements."""

from __future__ import annotations

from typing import Any

from dataflow.library.datasets import structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, number, seeds, text
from dataflow.library.datasets.settings.options import Options
from dataflow.values import dtypes


class OrderingMethods(DatasetBase):
    """Chooses, repeats, orders or keeps elements."""

    def _same(self, op: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        """A dataset of elements of the same spec."""
        spec = self.element_spec
        variant = dataset_node(op, spec, self._variant_tensor, *inputs, name=name, **attrs)
        return self._made(variant, spec, self)

    def take(self, count: Any, name: str | None = None) -> Any:
        """The first elements.

        Args:
          count: How many; all if it is negative: scalar int64.
          name: Name of the operation.
        """
        return self._same("TakeDataset", number(count, "count"), name=name)

    def skip(self, count: Any, name: str | None = None) -> Any:
        """The elements behind the first ones.

        Args:
          count: How many are left out; all if it is negative: scalar int64.
          name: Name of the operation.
        """
        return self._same("SkipDataset", number(count, "count"), name=name)

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """All elements, several times.

        Args:
          count: How many times; without end if it is None or negative: scalar int64.
          name: Name of the operation.
        """
        return self._same("RepeatDataset", number(count, "count", -1), name=name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Each n-th element.

        Args:
          num_shards: n: scalar int64.
          index: Which of the first n elements is the first one: scalar int64.
          name: Name of the operation.
        """
        return self._same(
            "ShardDataset", number(num_shards, "num_shards"), number(index, "index"), name=name
        )

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Any:
        """The elements in a random order.

        Args:
          buffer_size: Among how many elements the next one is chosen: scalar int64.
          seed: Decides on the order, with the seed of the graph: scalar int64.
          reshuffle_each_iteration: Whether each iteration has an order of its own.
          name: Name of the operation.
        """
        size = number(buffer_size, "buffer_size")
        first, second = seeds(seed)
        changes = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        return self._same(
            "ShuffleDataset", size, first, second, name=name, reshuffle_each_iteration=changes
        )

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """The elements, which are kept when they come for the first time.

        Args:
          filename: What the names of files begin with that hold them; in memory if it is empty.
          name: Name of the operation.
        """
        return self._same("CacheDataset", text(filename, "filename"), name=name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Any:
        """The elements, some of which are made ahead.

        Args:
          buffer_size: How many at most; -1 for a good number: scalar int64.
          name: Name of the operation.
        """
        return self._same(
            "PrefetchDataset",
            number(buffer_size, "buffer_size", -1),
            name=name,
            slack_period=0,
            legacy_autotune=False,
        )

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """The elements of this dataset, then those of another one.

        Args:
          dataset: The other one.
          name: Name of the operation.

        Raises:
          TypeError: Its elements are of other types, or it is no dataset.
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(
                "`dataset_or_iterator` must be a Dataset or Iterator object, but got "
                f"{type(dataset)}."
            )
        try:
            spec = structures.relaxed(self.element_spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            what, mine, others = "types", self.output_types, dataset.output_types
            if mine == others:
                what, mine, others = "classes", self.output_classes, dataset.output_classes
            raise TypeError(
                f"Two datasets to concatenate have different {what} {mine} and {others}"
            ) from error
        variant = dataset_node(
            "ConcatenateDataset", spec, self._variant_tensor, dataset._variant_tensor, name=name
        )
        return self._made(variant, spec, self, dataset)

    def unique(self, name: str | None = None) -> Any:
        """Each element when it comes for the first time.

        Args:
          name: Name of the operation.

        Raises:
          TypeError: Elements have several components, or others than int32, int64 or string.
        """
        if self.output_types not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                "`tf.data.experimental.unique()` only supports inputs with a single "
                "`tf.int32`, `tf.int64`, or `tf.string` component."
            )
        return self._same("UniqueDataset", name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """The elements in whose place there is no error.

        Args:
          log_warning: Whether errors are logged.
          name: Name of the operation.
        """
        return self._same("IgnoreErrorsDataset", name=name, log_warning=log_warning)

    def with_options(self, options: Options, name: str | None = None) -> Any:
        """The same elements, with options for how they are made.

        Args:
          options: The options.
          name: Name of the operation.

        Raises:
          TypeError: They are no options.
          ValueError: They contradict those that it has.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Incompatible options type: {type(options)} vs {Options}")
        variant = dataset_node(
            "OptionsDataset",
            self.element_spec,
            self._variant_tensor,
            name=name,
            serialized_options=options._to_proto().SerializeToString(),
        )
        made = self._made(variant, self.element_spec, self)
        made._merged = self._options.merge(options)
        return made

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Pairs of a number and an element.

        Args:
          start: The first number: scalar int64.
          name: Name of the operation.
        """
        greatest = 2**63 - 1
        counted = self._plain.range(start, greatest, name=name)
        return self._plain.zip((counted, self), name=name)
