"""Kernels of iterators, and those that take elements out of datasets."""

from __future__ import annotations

import itertools
import secrets
import weakref
from collections.abc import Callable, MutableMapping
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import NotFoundError, OutOfRangeError
from dataflow.kernels.contract.functions import Function
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Element, as_dataset
from dataflow.kernels.datasets.iterator import Iterator, Pull, check_shapes, check_types
from dataflow.kernels.datasets.run import Captured, Run
from dataflow.kernels.lists.optional import NOTHING, Optional
from dataflow.kernels.ops.datasets.arguments import described, string
from dataflow.values.shapes import TensorShape

_NUMBERS: Final = itertools.count()
_HANDLES: Final[weakref.WeakValueDictionary[bytes, Iterator]] = weakref.WeakValueDictionary()
"""The iterators of this process whose handles were asked for as strings."""


@kernel("Iterator", "IteratorV2", device="CPU")
def iterator(node: KernelNode, xp: Any) -> Callable[[], Iterator]:
    """The iterator of the name that nodes share, or one of the node's own."""
    types, shapes = described(node)
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        return Own(Iterator(f"_{next(_NUMBERS)}_{node.name}", types, shapes))
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> Iterator:
        found = find(container, name, Iterator, lambda: Iterator(name, types, shapes))
        check_types(types, found.types)
        check_shapes(shapes, found.shapes)
        return found

    return run


class Own:
    """Gives a node's own iterator, of any kind, which ends with the kernel."""

    def __init__(self, own: Any, prepare: Callable[[Any], None] | None = None) -> None:
        """Takes the iterator, and what is done before it is given."""
        self._own = own
        self._prepare = prepare
        self.when_forgotten = own.when_forgotten

    def __call__(self) -> Any:
        if self._prepare is not None:
            self._prepare(self._own)
        return self._own


@kernel("OneShotIterator", device="CPU")
def one_shot_iterator(node: KernelNode, xp: Any) -> Callable[[], Iterator]:
    """The iterator over what a function makes, which is run when it is first asked for."""
    types, shapes = described(node)
    factory = node.function("dataset_factory")
    name = node.attr("shared_name").decode(errors="backslashreplace")
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def prepare(iterator: Iterator) -> None:
        with iterator.starting:
            if iterator.pull is None:
                _start(iterator, factory)

    own = Iterator(name or f"_{next(_NUMBERS)}_{node.name}", types, shapes)
    if not name:
        return Own(own, prepare)

    def run() -> Iterator:
        found = find(container, name, Iterator, lambda: own)
        prepare(found)
        return found

    return run


def _start(iterator: Iterator, factory: Function) -> None:
    run = Run()
    results = run.function(Captured(factory, ()), "OneShotIterator")(())
    if len(results) != 1:
        raise invalid(
            "The `dataset_factory` function must return a single scalar of dtype DT_VARIANT."
        )
    iterator.set_dataset(as_dataset(results[0]))


@kernel("MakeIterator", device="CPU")
def make_iterator(node: KernelNode, xp: Any) -> Callable[[Any, Iterator], None]:
    def run(dataset: Any, iterator: Iterator) -> None:
        iterator.set_dataset(as_dataset(dataset))

    return run


@kernel("IteratorGetNext", "IteratorGetNextSync", device="CPU", blocking=True)
def get_next(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = element_checker(node)
    lone = len(node.output_dtypes) == 1

    def run(step: Any, done: Callable[..., None], iterator: Iterator) -> None:
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

        iterator.get_next(step, finish)

    return run


@kernel("IteratorGetNextAsOptional", device="CPU", blocking=True)
def get_next_as_optional(node: KernelNode, xp: Any) -> Callable[..., None]:
    types = tuple(node.attr("output_types"))

    def run(step: Any, done: Callable[..., None], iterator: Iterator) -> None:
        def finish(error: BaseException | None, element: Element | None) -> None:
            if error is not None:
                done(error=error)
            else:
                done(NOTHING if element is None else Optional(element, types))

        iterator.get_next(step, finish)

    return run


def _fits(size: int | None, found: int) -> bool:
    return size is None or size == found


def element_checker(node: KernelNode) -> Callable[[Element], None]:
    """Refuses elements that a node does not say that it gives."""
    types, shapes = described(node)
    partly = [(i, dims) for i, s in enumerate(shapes) if (dims := s.dims_tuple) is not None]

    def check(element: Element) -> None:
        if len(element) != len(types):
            raise invalid(
                f"Number of components does not match: expected {len(types)} types but got "
                f"{len(element)}."
            )
        for place, dims in partly:
            found = np.shape(element[place])
            if len(found) != len(dims) or not all(map(_fits, dims, found)):
                check_shapes([shapes[place]], [TensorShape(found)])

    return check


@kernel("IteratorToStringHandle", device="CPU")
def to_string_handle(node: KernelNode, xp: Any) -> Callable[[Iterator], Any]:
    device = node.device.encode()

    def run(iterator: Iterator) -> Any:
        with iterator.starting:
            return string_handle(iterator, device, _HANDLES)

    return run


def string_handle(owner: Any, device: bytes, handles: MutableMapping[bytes, Any]) -> Any:
    """The string by which an iterator of any kind is found again, made when it is first asked for.

    Args:
      owner: The iterator, whose lock is held.
      device: Where it is.
      handles: What was asked for so far.
    """
    if not owner.handle:
        owner.handle = b"%s;%s" % (device, secrets.token_hex(16).encode())
        handles[owner.handle] = owner
    return np.array(owner.handle, object)


@kernel("IteratorFromStringHandle", "IteratorFromStringHandleV2", device="CPU")
def from_string_handle(node: KernelNode, xp: Any) -> Callable[[Any], Iterator]:
    types, shapes = node.attr("output_types"), node.attr("output_shapes")
    device = node.device

    def run(handle: Any) -> Iterator:
        name = string(handle, "string_handle")
        where = name.rpartition(b";")[0].decode(errors="replace")
        found = _HANDLES.get(name)
        if not where:
            raise invalid("Could not parse string_handle as a valid ResourceHandle.")
        if where != device:
            raise invalid(
                f'Attempted create an iterator on device "{device}" from handle defined on '
                f'device "{where}"'
            )
        if found is None:
            raise NotFoundError(
                None, None, f"Resource {where}/Iterator does not exist: the session is over."
            )
        check_types(types, found.types)
        check_shapes(shapes, found.shapes)
        return found

    return run


@kernel("IteratorGetDevice", "ExperimentalIteratorGetDevice", device="CPU")
def get_device(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    device = np.array(node.device.encode(), object)
    return lambda iterator: device


@kernel("DatasetToSingleElement", device="CPU", blocking=True)
def to_single_element(node: KernelNode, xp: Any) -> Callable[..., None]:
    types, shapes = described(node)

    def run(step: Any, done: Callable[..., None], dataset: Any) -> None:
        def finish(element: Element | None, more: Element | None) -> Any:
            if element is None:
                raise invalid("Dataset was empty.")
            if more is not None:
                raise invalid("Dataset had more than one element.")
            return element

        pull = Pull(as_dataset(dataset))
        check_types(types, pull.dataset.types)
        check_shapes(shapes, pull.dataset.shapes)
        _pull_two(pull, step, partial(_end, done, len(types) == 1), finish)

    return run


def _end(
    done: Callable[..., None], lone: bool, error: BaseException | None, element: Element | None
) -> None:
    if error is not None:
        done(error=error)
    else:
        assert element is not None
        done(element[0] if lone else element)


def _pull_two(
    pull: Pull,
    step: Any,
    done: Callable[[BaseException | None, Element | None], None],
    finish: Callable[[Element | None, Element | None], Any],
) -> None:
    found: list[Element | None] = []

    def take(error: BaseException | None, element: Element | None) -> None:
        if error is not None:
            pull.close()
            done(error, None)
            return
        found.append(element)
        if element is not None and len(found) == 1:
            pull.request(step, take)
            return
        pull.close()
        try:
            result = finish(found[0], found[1] if len(found) > 1 else None)
        except Exception as wrong:
            done(wrong, None)
        else:
            done(None, result)

    pull.request(step, take)


@kernel("ReduceDataset", device="CPU", blocking=True)
def reduce_dataset(node: KernelNode, xp: Any) -> Callable[..., None]:
    types, _ = described(node)
    states = len(node.attr("Tstate"))
    function = node.function("f")

    def run(step: Any, done: Callable[..., None], dataset: Any, *values: Any) -> None:
        pull = Pull(as_dataset(dataset))
        call = pull.run.function(Captured(function, values[states:]), "Reduce")
        state = values[:states]

        def take(error: BaseException | None, element: Element | None) -> None:
            nonlocal state
            while True:
                if error is not None:
                    pull.close()
                    done(error=error)
                    return
                if element is None:
                    pull.close()
                    done(state[0] if len(state) == 1 else state)
                    return
                try:
                    state = tuple(call(state + element))
                except Exception as wrong:
                    error = wrong
                    continue
                pull.request(step, take)
                return

        if len(types) != states:
            raise invalid("ReduceDataset gives as many tensors as its state has.")
        pull.request(step, take)

    return run


@kernel("DatasetCardinality", "ExperimentalDatasetCardinality", device="CPU")
def cardinality(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    return lambda dataset: np.int64(as_dataset(dataset).cardinality())
