"""Steps of a session: fetches and feeds resolved once, remembered, and run many times."""

from __future__ import annotations

import copy
import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.errors import InternalError
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.runtime.signature import StepSignature
from dataflow.session import feeds as feed_mapper
from dataflow.session.feeds import FeedSlot
from dataflow.session.fetches import FetchMap, map_fetches
from dataflow.session.handles import mover, with_handles
from dataflow.session.link import SessionLink, SharedCallable
from dataflow.values import dtypes

if TYPE_CHECKING:
    from dataflow.proto.config_pb2 import RunMetadata, RunOptions

MAX_STEPS: Final = 512
"""Fetch and feed arguments a session remembers; the least recently used is forgotten first."""


class PreparedStep:
    """A fetch argument and fed tensors, resolved; runs on a plan made at its first run."""

    __slots__ = (
        "_build",
        "_gather",
        "_has_strings",
        "_is_refused",
        "_keys",
        "_link",
        "_movers",
        "_order",
        "_plan",
        "last_used",
        "signature",
        "slots",
    )

    def __init__(
        self,
        link: SessionLink,
        slots: Sequence[FeedSlot],
        fetch_map: FetchMap,
        keys: Sequence[Any] = (),
        feeds_fit: bool = True,
        connections: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._link = link
        self._plan: SharedCallable | None = None
        self._keys = keys
        self._build = fetch_map.build
        self.slots = tuple(slots)
        self.last_used = 0
        self._has_strings = any(slot.dtype.kind == "O" for slot in self.slots)
        movers = ((i, mover(link, s.tensor)) for i, s in enumerate(self.slots) if s.dtype == object)
        self._movers = [(index, move) for index, move in movers if move is not None]
        # Of several entries for one tensor the last one counts. Sorted, so that another order of
        # the same feeds and fetches shares the plan.
        entry_of = {slot.tensor.name: index for index, slot in enumerate(self.slots)}
        feeds = tuple(sorted(entry_of))
        order = [entry_of[name] for name in feeds]
        self._order = None if order == list(range(len(self.slots))) else order
        asked = fetch_map.elements
        tensors = {element.name for element in asked if isinstance(element, Tensor)}
        fetched = tensors - entry_of.keys()
        # What has no form outside of a step is made, and refused then.
        variants = {
            e.name: e.op.name
            for e in asked
            if isinstance(e, Tensor) and e.name in fetched and e.dtype.base_dtype is dtypes.variant
        }
        self._is_refused = bool(variants)
        fetches = sorted(fetched - variants.keys())
        operations = {e.name for e in asked if not isinstance(e, Tensor)}
        targets = sorted(operations.union(variants.values()))
        self.signature = StepSignature(
            feeds, tuple(fetches), tuple(targets), feeds_fit, connections
        )
        self._gather = _gather(fetch_map, fetches, entry_of)

    @property
    def has_work(self) -> bool:
        """False if everything asked for is fed, or nothing is asked for."""
        return bool(self.signature.fetches or self.signature.targets)

    def watched(self, watches: tuple[tuple[str, str], ...]) -> PreparedStep:
        """The same step on a plan that dumps tensors; see `StepSignature.watches`."""
        step = copy.copy(self)
        step.signature = replace(self.signature, watches=watches)
        step._plan = None
        return step

    def arrays(self, values: Iterable[Any]) -> list[np.ndarray]:
        """What is fed, one value a slot, as arrays.

        Raises:
          TypeError: A value cannot be converted.
          ValueError: A value has the wrong shape.
        """
        return [slot.convert(value) for slot, value in zip(self.slots, values, strict=True)]

    def run(
        self,
        arrays: list[np.ndarray],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
        force: bool = False,
    ) -> Any:
        """Runs the step.

        Args:
          arrays: What `arrays` made.
          options: Options of this run.
          metadata: Filled in.
          force: Whether to ask the runtime for a step without work, which it refuses.

        Raises:
          OpError: The first error of the step.
        """
        results: list[Any] = []
        plan = self._plan
        if plan is not None or force or self.has_work:
            if plan is None:
                plan = self._plan = self._link.plan(self.signature)
            fed: list[Any] = arrays
            if self._has_strings:
                fed = [s.for_runtime(a) for s, a in zip(self.slots, arrays, strict=True)]
                # What was moved is kept until the step has read it.
                moved = [(index, move(fed[index])) for index, move in self._movers]
                for index, handle in moved:
                    if handle is not None:
                        fed[index] = handle.text_array()
            if self._order is not None:
                fed = [fed[index] for index in self._order]
            results = plan.call(fed, options, metadata)
        return self._packed(results, arrays)

    def run_partially(self, run: str, arrays: list[np.ndarray]) -> Any:
        """Feeds and fetches as a part of a piecewise step.

        Args:
          run: The handle of the piecewise step.
          arrays: What `arrays` made.

        Raises:
          OpError: The step fails, or was not set up for this.
        """
        results: list[Any] = []
        if arrays or self.signature.fetches:
            feeds = [
                (slot.tensor.name, slot.for_runtime(array))
                for slot, array in zip(self.slots, arrays, strict=True)
            ]
            results = self._link.partial_run(run, feeds, self.signature.fetches)
        return self._packed(results, arrays)

    def _packed(self, results: list[Any], arrays: list[np.ndarray]) -> Any:
        if self._is_refused:
            raise InternalError(
                None,
                None,
                f"Tensorflow type {dtypes.variant.as_datatype_enum} not convertible to numpy "
                "dtype.",
            )
        if self._gather is not None:
            pool = [*results, *arrays, None]
            results = [pool[index] for index in self._gather]
        return self._build(results)


def _gather(
    fetch_map: FetchMap, fetches: Sequence[str], entry_of: dict[str, int]
) -> list[int] | None:
    """Where the values of the elements stand in fetched values + fed arrays + [None]."""
    place_of = {name: index for index, name in enumerate(fetches)}
    places = []
    for element in fetch_map.elements:
        if not isinstance(element, Tensor):
            places.append(-1)
        elif element.name in entry_of:
            places.append(len(fetches) + entry_of[element.name])
        else:
            places.append(place_of.get(element.name, -1))
    return None if places == list(range(len(fetches))) else places


def resolve(
    graph: Graph, link: SessionLink, fetches: Any, feed_dict: Any
) -> tuple[PreparedStep, list[np.ndarray]]:
    """Resolves the arguments of a run: feeds first, then fetches, each in the order given.

    Returns:
      The step, and the fed arrays.

    Raises:
      TypeError: An argument is of a type that cannot be fed or fetched.
      ValueError: A value has the wrong shape, or a fetch is not in the graph.
    """
    slots: list[FeedSlot] = []
    arrays: list[np.ndarray] = []
    keys: list[Any] = []
    for key, value, feed, feed_value in feed_mapper.expand(feed_dict) if feed_dict else ():
        slot = FeedSlot(feed_mapper.feed_tensor(graph, key))
        arrays.append(slot.convert(value, feed, feed_value))
        slots.append(slot)
        keys.append(key)
    fetch_map = with_handles(link, map_fetches(graph, fetches))
    return PreparedStep(link, slots, fetch_map, (*keys, *fetch_map.leaves)), arrays


class StepCache:
    """The steps a session remembers, by what tells their arguments apart.

    The objects the arguments were made of are kept with the steps, so that their ids stay theirs.
    """

    def __init__(self) -> None:
        self._steps: dict[tuple[Any, ...], PreparedStep] = {}
        self._lock = threading.Lock()
        self._clock: Iterator[int] = itertools.count(1)

    def get(self, key: tuple[Any, ...]) -> PreparedStep | None:
        """The step of a key. Takes no lock, so that many threads may run at once."""
        step = self._steps.get(key)
        if step is not None:
            step.last_used = next(self._clock)
        return step

    def put(self, key: tuple[Any, ...], step: PreparedStep) -> None:
        """Remembers a step."""
        with self._lock:
            if len(self._steps) >= MAX_STEPS:
                oldest = sorted(self._steps.items(), key=lambda item: item[1].last_used)
                for forgotten, _ in oldest[: MAX_STEPS // 8]:
                    del self._steps[forgotten]
            step.last_used = next(self._clock)
            self._steps[key] = step

    def clear(self) -> None:
        """Forgets all steps."""
        with self._lock:
            self._steps.clear()

    def __len__(self) -> int:
        return len(self._steps)
