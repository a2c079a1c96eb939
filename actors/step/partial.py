"""A step that is fed and fetched piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import (
    KERNEL_PATIENCE,
    DoneCallback,
    Failed,
    StartTogether,
    StepJoin,
)
from dataflow.actors.wire.messages import DevicePart, StepPlan
from dataflow.errors import InvalidArgumentError, OpError
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import Monitor

FetchCallback = Callable[[int, Any], None]


class PiecewiseDevice(Protocol):
    """A device as a piecewise step drives it."""

    def start_piecewise(
        self,
        part: DevicePart,
        step_id: int,
        done: DoneCallback,
        on_fetch: FetchCallback,
        failed: Failed,
    ) -> None:
        """Starts a plan; calls `on_fetch` for each fetch, and `done` once."""

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""

    def abort(self, step_id: int, error: OpError) -> None:
        """Stops the step."""


class PartialRun:
    """One piecewise step; each feed and each fetch once."""

    def __init__(
        self,
        step_id: int,
        signature: StepSignature,
        plan: StepPlan,
        devices: Mapping[str, PiecewiseDevice],
        together: StartTogether | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        """Starts the step; it waits for its feeds.

        Args:
          step_id: A new id.
          signature: What is fed and fetched.
          plan: The devices and their parts.
          devices: The devices, by name.
          together: Calls the functions that start them; None starts one after the other.
          on_change: Called when something was fetched, the step has failed, or is over.
        """
        self._on_change = on_change
        self._step_id = step_id
        self._plan = plan
        self._feeds = {name: index for index, name in enumerate(signature.feeds)}
        self._fetches = {name: index for index, name in enumerate(signature.fetches)}
        self._fed: set[int] = set()
        self._fetched: set[int] = set()
        self._values: dict[int, Any] = {}
        self._changed = Monitor()
        self._error: BaseException | None = None
        self._taker = {index: devices[part.device] for part in plan.parts for index in part.feeds}
        parts = [(_Piecewise(devices[part.device], self._add), part) for part in plan.parts]
        self._join = StepJoin(step_id, parts, len(signature.fetches), on_change=self._wake)
        self._join.start((), together)

    @property
    def join(self) -> StepJoin:
        """The step on its devices."""
        return self._join

    @property
    def is_over(self) -> bool:
        """True if all was fed and fetched, or the step failed."""
        complete = len(self._fed) == len(self._feeds) and len(self._fetched) == len(self._fetches)
        return complete or self._join.error is not None

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        self._join.fail(error)

    def run(self, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]) -> list[Any]:
        """Feeds some and fetches some.

        Raises:
          InvalidArgumentError: A feed or fetch is none of the step's or was given before, or a
            fetch needs more feeds.
          OpError: The first error of the step.
        """
        with self._changed:
            self._check(feeds, fetches)
            self._fed.update(self._feeds[name] for name, _ in feeds)
            self._fetched.update(self._fetches[name] for name in fetches)
        for name, value in feeds:
            taker = self._taker.get(self._feeds[name])
            if taker is not None:
                taker.feed(self._step_id, self._feeds[name], value)
        wanted = [self._fetches[name] for name in fetches]
        with self._changed:
            self._changed.wait_for(
                lambda: self._join.error is not None or all(i in self._values for i in wanted)
            )
            if self._join.error is None:
                values = [self._values.pop(index) for index in wanted]
        if self._join.error is not None:
            # What takes longer is left behind on its thread.
            self._join.serve(KERNEL_PATIENCE)
            raise self._join.error
        if self.is_over:
            self._join.wait()
        for name, value in zip(fetches, values, strict=True):
            if value is DEAD:
                raise InvalidArgumentError(
                    None, None, f"The tensor returned for {name} was not valid."
                )
        return values

    def _check(self, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]) -> None:
        for name, _ in feeds:
            self._check_one("feed", name, self._feeds, self._fed, "fed")
        for name in fetches:
            self._check_one("fetch", name, self._fetches, self._fetched, "fetched")
        fed = self._fed | {self._feeds[name] for name, _ in feeds}
        for name in fetches:
            if not fed.issuperset(self._plan.needs[self._fetches[name]]):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Fetch {name} can't be computed from the feeds that have been fed so far.",
                )

    @staticmethod
    def _check_one(
        what: str, name: str, known: Mapping[str, int], seen: set[int], done: str
    ) -> None:
        index = known.get(name)
        if index is None:
            reason = "was not specified in partial_run_setup."
        elif index in seen:
            reason = f"has already been {done}."
        else:
            return
        raise InvalidArgumentError(None, None, f"The {what} {name} {reason}")

    def _add(self, index: int, value: Any) -> None:
        with self._changed:
            self._values[index] = value
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
        if self._on_change is not None:
            self._on_change()


class _Piecewise:
    """Adapts a device to `StepJoin`."""

    def __init__(self, device: PiecewiseDevice, on_fetch: FetchCallback) -> None:
        self._device = device
        self._on_fetch = on_fetch

    def start(
        self,
        part: DevicePart,
        step_id: int,
        feeds: Sequence[Any],
        done: DoneCallback,
        failed: Failed,
    ) -> None:
        self._device.start_piecewise(part, step_id, done, self._on_fetch, failed)

    def abort(self, step_id: int, error: OpError) -> None:
        self._device.abort(step_id, error)
