"""Kernels of iterators that deal elements out to several devices."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import NotFoundError, OutOfRangeError
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Element, as_dataset
from dataflow.kernels.datasets.dealing import MultiDeviceIterator, place_of
from dataflow.kernels.datasets.iterator import check_shapes, check_types
from dataflow.kernels.ops.datasets.arguments import described, number, string
from dataflow.kernels.ops.datasets.iterators import Own, element_checker, string_handle

_NUMBERS: Final = itertools.count()
_HANDLES: Final[weakref.WeakValueDictionary[bytes, MultiDeviceIterator]] = (
    weakref.WeakValueDictionary()
)
"""Those of this process whose handles were asked for as strings."""


@kernel("MultiDeviceIterator", device="CPU")
def iterator(node: KernelNode, xp: Any) -> Callable[[], MultiDeviceIterator]:
    types, shapes = described(node)
    devices = node.attr("devices")
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        own = f"_{next(_NUMBERS)}_{node.name}"
        return Own(MultiDeviceIterator(own, devices, types, shapes))
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> MultiDeviceIterator:
        found = find(
            container,
            name,
            MultiDeviceIterator,
            lambda: MultiDeviceIterator(name, devices, types, shapes),
        )
        check_types(types, found.types)
        check_shapes(shapes, found.shapes)
        return found

    return run


@kernel("MultiDeviceIteratorInit", device="CPU")
def begin(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(dataset: Any, dealt: MultiDeviceIterator, most: Any) -> Any:
        return np.int64(dealt.begin(as_dataset(dataset), number(most, "max_buffer_size")))

    return run


@kernel("MultiDeviceIteratorGetNextFromShard", device="CPU", blocking=True)
def get_next(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = element_checker(node)
    lone = len(node.output_dtypes) == 1

    def run(
        step: Any, done: Callable[..., None], dealt: MultiDeviceIterator, shard: Any, begun: Any
    ) -> None:
        def finish(error: BaseException | None, element: Element | None) -> None:
            if error is not None:
                done(error=error)
            elif element is None:
                done(error=OutOfRangeError(None, None, "End of sequence"))
            else:
                try:
                    check(element)
                except Exception as wrong:
                    done(error=wrong)
                else:
                    done(element[0] if lone else element)

        place = place_of(number(shard, "shard_num"), dealt.devices)
        dealt.dealer(number(begun, "incarnation_id")).request(place, step, finish)

    return run


@kernel("MultiDeviceIteratorToStringHandle", device="CPU")
def to_string_handle(node: KernelNode, xp: Any) -> Callable[[MultiDeviceIterator], Any]:
    device = node.device.encode()

    def run(dealt: MultiDeviceIterator) -> Any:
        with dealt.lock:
            return string_handle(dealt, device, _HANDLES)

    return run


@kernel("MultiDeviceIteratorFromStringHandle", device="CPU")
def from_string_handle(node: KernelNode, xp: Any) -> Callable[[Any], MultiDeviceIterator]:
    types, shapes = node.attr("output_types"), node.attr("output_shapes")

    def run(handle: Any) -> MultiDeviceIterator:
        name = string(handle, "string_handle")
        found = _HANDLES.get(name)
        if found is None:
            where = name.rpartition(b";")[0].decode(errors="replace")
            raise NotFoundError(
                None,
                None,
                f"Resource {where}/MultiDeviceIterator does not exist: the session is over, or it "
                "is in another process.",
            )
        check_types(types, found.types)
        check_shapes(shapes, found.shapes)
        return found

    return run
