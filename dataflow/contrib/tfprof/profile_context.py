"""tf.contrib.tfprof.ProfileContext: traces and profiles some of the steps that sessions run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.errors import InternalError
from dataflow.profiling.profiler import Profiler
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.session.base_session import BaseSession
from dataflow.session.fetches import map_fetches

_WARM_UP: Final = 10
"""Steps that come before those that are traced unasked."""
_MOST_TRACED: Final = 100


class ProfileContext:
    """Within it steps of all sessions are counted; some are traced, and profiles written.

    Where no steps are told, those after the tenth are traced that fetch what no traced one did.

    Args:
      profile_dir: Folder of the profiles.
      trace_steps: Numbers of the steps to trace.
      dump_steps: Numbers of the steps after which a profile is written; 100 if None.
      enabled: If False, nothing is done.
      debug: Whether traces are written as text, too, and steps told of.

    Raises:
      ValueError: No folder is told, or more than 100 steps are to be traced.
    """

    def __init__(
        self,
        profile_dir: str | None,
        trace_steps: Sequence[int] | None = None,
        dump_steps: Sequence[int] | None = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self._enabled = enabled
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        if trace_steps is not None and len(trace_steps) > _MOST_TRACED:
            raise ValueError("Only support tracing up to 100 steps.\n")
        self._profiler_dir = profile_dir
        self._debug = debug
        self._auto_tracing = trace_steps is None
        self._trace_steps = set(trace_steps or ())
        self._dump_steps = {_MOST_TRACED} if dump_steps is None else set(dump_steps)
        self._trace_next_step = self._dump_next_step = False
        self._step = self._traced_steps = 0
        self._fetched: set[frozenset[str]] = set()
        self._auto_profiles: list[tuple[str, Any, frozenset[int]]] = []
        self._views: dict[str, dict[int, Any]] = {}
        self._profiler: Profiler | None = None
        self._lock = threading.Lock()

    @property
    def profiler(self) -> Profiler | None:
        """What the traced steps are added to; None if nothing is done."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = Profiler()
        return self._profiler

    def add_auto_profiling(self, cmd: str, options: Any, profile_steps: Sequence[int]) -> None:
        """Traces steps and profiles after each.

        Args:
          cmd: "scope", "op", "code" or "graph".
          options: Options of the profile.
          profile_steps: Numbers of the steps.
        """
        if self._enabled:
            self._auto_profiles.append((cmd, options, frozenset(profile_steps)))
            self._trace_steps.update(profile_steps)

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """The profiles of a kind that `add_auto_profiling` asked for, by step.

        Raises:
          ValueError: There are none.
        """
        if cmd not in self._views:
            raise ValueError(f"No autoprofiler for command: {cmd}, was run")
        return self._views[cmd]

    def trace_next_step(self) -> None:
        """Traces the next step."""
        if self._enabled:
            self._trace_next_step = True

    def dump_next_step(self) -> None:
        """Writes a profile after the next step."""
        if self._enabled:
            self._dump_next_step = True

    def __enter__(self) -> ProfileContext:
        if self._enabled:
            if hasattr(BaseSession.run, "profile_context"):
                raise InternalError(None, None, "Already in context or context not cleaned.")
            self._plain_run = BaseSession.run
            BaseSession.run = _profiled(self, self._plain_run)  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: object) -> None:
        if self._enabled:
            BaseSession.run = self._plain_run  # type: ignore[method-assign]

    def _run(self, run: Callable[..., Any], session: BaseSession, *arguments: Any) -> Any:
        """One step; those that other threads run meanwhile are counted only."""
        is_alone = self._lock.acquire(blocking=False)
        try:
            if not is_alone:
                return run(session, *arguments)
            if self._is_to_trace(session, arguments[0]):
                result = self._traced(run, session, *arguments)
            else:
                result = run(session, *arguments)
            if self._step in self._dump_steps or self._dump_next_step:
                self._write(f"profile_{self._step}", self._profile().serialize_to_string())
            self._profile_step()
            return result
        finally:
            self._step += 1
            self._trace_next_step = self._dump_next_step = False
            if is_alone:
                self._lock.release()

    def _profile(self) -> Profiler:
        found = self.profiler
        assert found is not None
        return found

    def _is_to_trace(self, session: BaseSession, fetches: Any) -> bool:
        if self._traced_steps > _MOST_TRACED:
            return False
        if self._step in self._trace_steps or self._trace_next_step:
            return True
        if not self._auto_tracing or self._step <= _WARM_UP:
            return False
        names = frozenset(each.name for each in map_fetches(session.graph, fetches).elements)
        is_new = names not in self._fetched
        self._fetched.add(names)
        return is_new

    def _traced(
        self,
        run: Callable[..., Any],
        session: BaseSession,
        fetches: Any,
        feed_dict: Any,
        options: RunOptions | None,
        run_metadata: RunMetadata | None,
    ) -> Any:
        if self._debug:
            sys.stderr.write(f"debug: tracing step: {self._step}\n")
        self._traced_steps += 1
        tracing = RunOptions()
        tracing.CopyFrom(options or tracing)
        tracing.trace_level = RunOptions.FULL_TRACE
        metadata = RunMetadata() if run_metadata is None else run_metadata
        result = run(session, fetches, feed_dict, tracing, metadata)
        if self._debug:
            self._write(f"run_meta_{self._step}", str(metadata).encode())
        profiler = self._profile()
        profiler._graph = session.graph
        profiler.add_step(self._step, metadata)
        return result

    def _profile_step(self) -> None:
        profiler = self._profile()
        views = {
            "graph": profiler.profile_graph,
            "scope": profiler.profile_name_scope,
            "op": profiler.profile_operations,
            "code": profiler.profile_python,
        }
        for kind, options, steps in self._auto_profiles:
            if self._step in steps:
                if kind not in views:
                    raise ValueError(f"Unknown cmd: {kind}\n")
                self._views.setdefault(kind, {})[self._step] = views[kind](options)

    def _write(self, name: str, content: bytes) -> None:
        os.makedirs(self._profiler_dir, exist_ok=True)
        with open(os.path.join(self._profiler_dir, name), "wb") as file:
            file.write(content)


def _profiled(context: ProfileContext, plain: Callable[..., Any]) -> Callable[..., Any]:
    def run(
        self: BaseSession,
        fetches: Any,
        feed_dict: Any = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        return context._run(plain, self, fetches, feed_dict, options, run_metadata)

    run.profile_context = context  # type: ignore[attr-defined]
    return run
