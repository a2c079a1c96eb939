"""Straight code that first needs values of other devices: it runs when the last one has come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from dataflow.actors.code.failure import cancel_step, describe_node_failure, error_of_step
from dataflow.actors.code.interpreter import store

if TYPE_CHECKING:
    from dataflow.actors.nodes.plan_node import PlanNode
    from dataflow.actors.plan.layout import Layout
    from dataflow.actors.step.join import DoneCallback
    from dataflow.actors.step.step import Step
    from dataflow.actors.threads.home import Home


class Arrivals:
    """A plan in a step that is receives, and one segment of straight code behind them.

    The ready queue would do the same; without it, a step that is but a few nodes between two
    transfers takes half the time.
    """

    __slots__ = (
        "_device",
        "_done",
        "_error",
        "_home",
        "_lock",
        "_missing",
        "_run",
        "_slots",
        "_step",
    )

    def __init__(
        self,
        device: str,
        step: Step,
        slots: list[Any],
        run: Callable[[list[Any]], None],
        done: DoneCallback,
        home: Home,
    ) -> None:
        """Makes a wait.

        Args:
          device: Full name of the device.
          step: The step.
          slots: The plan's template with the feeds filled in.
          run: Runs the straight code over the slots; may raise.
          done: Called when nothing is waited for any more and the code has run or will not.
          home: Where the code goes if the last value was not there at the beginning. Who brought it
            holds it, and the code is to be the last one that does.
        """
        self._device = device
        self._step = step
        self._slots = slots
        self._run = run
        self._done = done
        self._error: BaseException | None = None
        self._home = home
        self._missing = 0
        self._lock = threading.Lock()

    def begin(self, layout: Layout) -> None:
        """Receives all values; those that are there are taken before this returns."""
        self._missing = 1 + len(layout.receives)
        for node in layout.receives:
            take = partial(self._take, node)
            try:
                node.call(self._step, take)
            except Exception as error:
                take(error=error)
        if self._is_last():
            self._complete()

    def _take(
        self, node: PlanNode, value: Any = None, *, error: BaseException | None = None
    ) -> None:
        if error is None:
            store(node, value, self._slots)
        else:
            self._fail(error, node)
        if self._is_last():
            self._home.put(self._complete)

    def _is_last(self) -> bool:
        """Whether nothing is missing but what has come now."""
        with self._lock:
            self._missing -= 1
            return not self._missing

    def _fail(self, error: BaseException, node: PlanNode) -> None:
        if error is not self._step.error:
            error = describe_node_failure(error, node, (), self._device)
        if self._error is None:
            self._error = error_of_step(error, self._step)
            # The other values are waited for in vain.
            cancel_step(self._step, self._error)

    def _complete(self) -> None:
        error = self._error or self._step.error
        slots, self._slots = self._slots, []
        if error is None:
            try:
                self._run(slots)
            except BaseException as failure:
                error = failure
        self._done(error, slots)
