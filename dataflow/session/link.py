"""A session's end of its runtime: what was sent, which plans exist, and when it is let go."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import Counter, OrderedDict, deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from dataflow.differentiation.symbolic_gradients import add_missing_gradients
from dataflow.errors import CancelledError, OpError
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.runtime.protocol import Runtime, StepCallable, takes_attrs
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import held_back, sheltered

_LOGGER = logging.getLogger("dataflow")

MAX_PLANS: Final = 256
"""Plans kept that no prepared step holds; the least recently asked for goes first."""
GROWTH_WARNING: Final = 100
"""A line that has made operations before this many runs is taken for one in a loop."""

_forks = 0


def _note_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_note_fork)


class SharedCallable:
    """One use of a prepared step; given back when nothing here holds it any more."""

    __slots__ = ("__weakref__", "call", "signature")

    def __init__(self, signature: StepSignature, call: StepCallable) -> None:
        self.signature = signature
        self.call = call


class SessionLink:
    """One session of a runtime. It refers to the graph; nothing in the graph keeps it alive."""

    def __init__(self, runtime: Runtime, handle: str, graph: Graph) -> None:
        self.runtime = runtime
        self.handle = handle
        self.sent = 0
        """The version of the graph that the runtime has."""
        self.closed = False
        self.dead_handles: deque[str] = deque()
        """Tensors that the runtime keeps for the session though no handle refers to them."""
        self._graph = graph
        self._forks = _forks
        self._process = os.getpid()
        self._sending = threading.Lock()
        self._planning = threading.RLock()
        self._plans: OrderedDict[StepSignature, SharedCallable] = OrderedDict()
        self._dropped: deque[StepSignature] = deque()
        self._growth: Counter[str] = Counter()
        _watch_mutations(graph, self)

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        return self._graph

    @property
    def inherited(self) -> bool:
        """True in a process that was forked from the one that opened the session."""
        return self._forks != _forks

    def check_process(self) -> None:
        """Refuses to use a session inherited through fork: its threads and sockets stayed behind.

        Raises:
          RuntimeError: This is another process than the one that opened the session.
        """
        if self.inherited:
            raise RuntimeError(
                f"This Session was opened in process {self._process} and inherited by process "
                f"{os.getpid()} through fork, where it cannot work. Open a new Session in this "
                "process, or start processes with the 'spawn' method."
            )

    def send_new_nodes(self) -> None:
        """Sends the nodes added to the graph since the last time.

        An interrupt does not stop it: the next call waits until the runtime has them.

        Raises:
          OpError: The runtime refuses them; the next call tries again.
        """
        if self._graph.version != self.sent:
            # On this thread, which may be the one that builds; the nodes are sent by another.
            with self._graph._building:
                sheltered(self._send_new_nodes)

    def _send_new_nodes(self) -> None:
        graph = self._graph
        with self._sending:
            # Whoever changes existing nodes holds the lock, too.
            with graph._lock:
                version = graph.version
                if version == self.sent:
                    return
                newest = graph._operations[version - 1]
                runtime, attrs = self.runtime, None
                # With functions the attrs are read here, too: for gradients that are missing.
                if takes_attrs(runtime) and not len(graph._functions):
                    graph_def, attrs = graph._new_nodes(self.sent)
                else:
                    graph_def = graph.as_graph_def(from_version=self.sent)
                    add_missing_gradients(graph, graph_def)
            if attrs is not None and takes_attrs(runtime):
                runtime.extend_session(self.handle, graph_def, attrs)
            else:
                runtime.extend_session(self.handle, graph_def)
            if self.sent:
                self._note_growth(newest)
            self.sent = version

    def plan(self, signature: StepSignature) -> SharedCallable:
        """The plan of a signature, made if there is none.

        An interrupt does not stop that: the next call finds the plan.

        Raises:
          OpError: The runtime cannot make one.
        """
        with self._planning:
            plan = None if self._dropped else self._plans.get(signature)
            if plan is not None:
                self._plans.move_to_end(signature)
                return plan
        return sheltered(partial(self._find_plan, signature))

    def forget(self, signature: StepSignature) -> None:
        """Keeps the plan of a signature no longer than who uses it."""
        with self._planning:
            self._plans.pop(signature, None)

    def partial_run_setup(self, signature: StepSignature) -> str:
        """Starts a step that is fed and fetched piecewise; returns its handle.

        One that an interrupted caller does not get to know is stopped.

        Raises:
          OpError: The runtime cannot start it.
        """
        runtime, handle = self.runtime, self.handle
        start = partial(runtime.partial_run_setup, handle, signature)
        run: str = sheltered(start, partial(runtime.partial_run_stop, handle))
        return run

    def partial_run(
        self, run: str, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]
    ) -> list[Any]:
        """Feeds some and fetches some of a piecewise step; an interrupt stops it.

        Raises:
          OpError: The step fails, or was not set up for this.
        """
        try:
            return self.runtime.partial_run(self.handle, run, feeds, fetches)
        except OpError:
            raise
        except BaseException:
            sheltered(partial(self.runtime.partial_run_stop, self.handle, run))
            raise

    def _find_plan(self, signature: StepSignature) -> SharedCallable:
        with self._planning:
            self._release_dropped()
            plan = self._plans.get(signature)
            if plan is not None:
                self._plans.move_to_end(signature)
                return plan
            plan = SharedCallable(signature, self.runtime.make_callable(self.handle, signature))
            # Garbage is collected at any moment, perhaps while this thread holds locks of the
            # runtime: so only take a note then.
            weakref.finalize(plan, self._dropped.append, signature).atexit = False
            self._plans[signature] = plan
            if len(self._plans) > MAX_PLANS:
                self._plans.popitem(last=False)
            return plan

    def close(self) -> None:
        """Closes the runtime's session; a second call, or one in a forked process, does nothing.

        Raises:
          OpError: The runtime fails to.
        """
        if self.closed or self.inherited:
            self.closed = True
            return
        self.closed = True
        self._plans.clear()
        self.runtime.close_session(self.handle)

    def close_forgotten(self) -> None:
        """Closes what the program forgot; there is no one to report an error to.

        Python calls this where it drops an interrupt: it comes once more when all is closed.
        """
        try:
            held_back(partial(sheltered, self.close), swallows=True)
        except Exception as error:
            _LOGGER.debug("Closing a forgotten session failed: %s", error)

    def check_usable(self) -> None:
        """Refuses what a closed or inherited session cannot do.

        Raises:
          CancelledError: The session is closed.
          RuntimeError: This is another process than the one that opened the session.
        """
        if self.closed and not self.inherited:
            raise CancelledError(None, None, "Session has been closed.")
        self.check_process()

    def _release_dropped(self) -> None:
        while self._dropped:
            signature = self._dropped.popleft()
            try:
                self.runtime.release_callable(self.handle, signature)
            except OpError as error:
                _LOGGER.debug("Releasing a plan failed: %s", error)

    def _note_growth(self, newest: Operation) -> None:
        line = newest.traceback_line
        self._growth[line] += 1
        if self._growth[line] == GROWTH_WARNING:
            _LOGGER.warning(
                "%d runs of a session found new operations made at %s, the last one '%s'. A line "
                "that adds operations in a loop makes every run slower and the graph larger: build "
                "the graph before the loop. Graph.finalize() makes such a line fail.",
                GROWTH_WARNING,
                line,
                newest.name,
            )


class _MutationWatch:
    """Warns of changes to operations that sessions have sent to their runtimes already."""

    def __init__(self) -> None:
        self.links: weakref.WeakSet[SessionLink] = weakref.WeakSet()

    def __call__(self, operation: Operation, change: str) -> None:
        if any(0 < operation._id <= link.sent for link in list(self.links)):
            _LOGGER.warning(
                "Operation '%s' was changed by %s after it was run by a session. This mutation "
                "will have no effect, and will trigger an error in the future. Either don't modify "
                "nodes after running them or create a new session.",
                operation.name,
                change,
            )


def _watch_mutations(graph: Graph, link: SessionLink) -> None:
    with graph._lock:
        watch = graph._mutation_listener
        if not isinstance(watch, _MutationWatch):
            watch = _MutationWatch()
            graph._mutation_listener = watch
        watch.links.add(link)
