"""A function with a plan of its own, that is run outside of the steps of sessions."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.rendezvous import RendezvousTable
from dataflow.actors.step.step import Step
from dataflow.errors import InvalidArgumentError

if TYPE_CHECKING:
    from dataflow.actors.plan.plan import Plan
    from dataflow.actors.run.executor import Executor
    from dataflow.kernels.contract.functions import Caller


class PreparedFunction:
    """Runs a plan anew for each call; calls may run at the same time."""

    def __init__(self, plan: Plan, executor: Executor) -> None:
        """Takes the function's plan, and what runs the plans of the device."""
        self._plan = plan
        self._executor = executor
        self._table = RendezvousTable()
        self._ids = itertools.count()
        self._results = tuple(plan.fetches.values())
        self._places = tuple(
            (index, slot, adapter)
            for index, (slot, adapter) in zip(plan.feeds, plan.feed_places, strict=True)
        )
        self._session = plan.session

    @property
    def may_wait(self) -> bool:
        """True if a call may wait for something that other steps do."""
        return not self._plan.is_straight

    def __call__(self, caller: Caller, arguments: Sequence[Any]) -> list[Any]:
        """Runs the function; see `Ready`."""
        plan = self._plan
        step = Step(next(self._ids), self._session, self._table)
        slots = plan.template.copy()
        try:
            for index, slot, adapter in self._places:
                value = arguments[index]
                slots[slot] = value if adapter is None else adapter(value)
        except IndexError:
            raise InvalidArgumentError(
                None, None, f"A function that takes more was given {len(arguments)} arguments."
            ) from None
        caller.begin(step)
        try:
            if plan.is_straight:
                self._executor.run(plan, plan.layout, step, slots)
            else:
                slots = self._run_in_parts(step, slots)
        finally:
            caller.end(step)
            if step.error is not None or step.used_rendezvous:
                self._table.finish(step.step_id)
        results = [slots[slot] for slot in self._results]
        if plan.uncertain and any(value is DEAD for value in results):
            raise InvalidArgumentError(
                None, None, "A function has no value for one of its results."
            )
        return results

    def _run_in_parts(self, step: Step, slots: list[Any]) -> list[Any]:
        over = threading.Event()
        ended: list[Any] = []

        def done(error: BaseException | None, values: Sequence[Any]) -> None:
            ended.append((error, values))
            over.set()

        self._executor.start(self._plan, step, slots, done)
        over.wait()
        error, values = ended[0]
        if error is not None:
            raise error
        return list(values)
