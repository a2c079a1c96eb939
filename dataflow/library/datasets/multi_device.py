"""An iterator whose elements go to several devices in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.library.datasets import nodes, structures
from dataflow.library.datasets.generators import generator_dataset
from dataflow.library.datasets.settings.options import Options
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.values import dtypes


class MultiDeviceIterator:
    """Gives the elements of one dataset to devices in turn, each of which fetches its own ahead.

    The dataset is run in one place; the devices must be of the same process.
    """

    def __init__(
        self,
        dataset: Any,
        devices: Sequence[str],
        max_buffer_size: int = 1,
        prefetch_buffer_size: int = 1,
        source_device: str = "/cpu:0",
    ) -> None:
        """Adds the iterators of all devices; `initializer` begins at the first element.

        Args:
          dataset: What is dealt out.
          devices: Names of the devices, the first of which has the first element.
          max_buffer_size: How many elements are kept for a device where the dataset is run; at
            least `prefetch_buffer_size`.
          prefetch_buffer_size: How many each device fetches ahead; 0 for none.
          source_device: Where the dataset is run.
        """
        options = Options()
        options.experimental_distribute.num_devices = len(devices)
        dataset = dataset.with_options(options)
        self._dataset = dataset
        self._devices = list(devices)
        self._max_buffer_size = max(max_buffer_size, prefetch_buffer_size)
        self._prefetch_buffer_size = prefetch_buffer_size
        described = nodes.described(dataset.element_spec)
        with scopes.device(source_device):
            self._multi_device_iterator_resource = apply_op(
                "MultiDeviceIterator",
                devices=[name.encode() for name in self._devices],
                shared_name=b"",
                container=b"",
                **described,
            )
            self._incarnation_id = apply_op(
                "MultiDeviceIteratorInit",
                dataset._final_variant(),
                self._multi_device_iterator_resource,
                constant(self._max_buffer_size, dtypes.int64),
            )
        self._device_iterators = []
        for place, name in enumerate(self._devices):
            with scopes.device(name):
                part = self._of_device(place)
                self._device_iterators.append(part.make_initializable_iterator())
        self._initializer = group(*(each.initializer for each in self._device_iterators))

    def _of_device(self, place: int) -> Any:
        """The elements of one device."""
        spec = self._dataset.element_spec
        described = nodes.described(spec)
        handle = apply_op("MultiDeviceIteratorToStringHandle", self._multi_device_iterator_resource)
        incarnation = self._incarnation_id

        def following(string_handle: Any) -> Any:
            iterator = apply_op("MultiDeviceIteratorFromStringHandle", string_handle, **described)
            tensors = apply_op(
                "MultiDeviceIteratorGetNextFromShard",
                iterator,
                constant(place, dtypes.int32),
                incarnation,
                **described,
            )
            return structures.from_tensors(spec, tensors)

        part = generator_dataset(
            handle, lambda given: given, following, lambda _: constant(0, dtypes.int64), spec
        )
        if self._prefetch_buffer_size > 0:
            part = part.prefetch(self._prefetch_buffer_size)
        options = Options()
        options.experimental_optimization.apply_default_optimizations = False
        options.experimental_optimization.autotune = False
        return part.with_options(options)

    def get_next(self, device: str | None = None) -> Any:
        """The next element of a device, or a list of those of all.

        Args:
          device: One of the names; None for all.

        Raises:
          ValueError: There is no such device.
        """
        if device is not None:
            return self._device_iterators[self._devices.index(device)].get_next()
        found = []
        for name, iterator in zip(self._devices, self._device_iterators, strict=True):
            with scopes.device(name):
                found.append(iterator.get_next())
        return found

    def get_next_as_optional(self) -> list[Any]:
        """The next elements of all devices as optionals, which hold nothing at the end."""
        found = []
        for name, iterator in zip(self._devices, self._device_iterators, strict=True):
            with scopes.device(name):
                found.append(iterator.get_next_as_optional())
        return found

    @property
    def initializer(self) -> Operation:
        """What begins at the first element, on all devices."""
        return self._initializer

    @property
    def element_spec(self) -> Any:
        """Describes the elements."""
        return self._dataset.element_spec
