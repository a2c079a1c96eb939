"""Where the time of a step goes: the engine's own trace, summed by operation type."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from programs.program import Program
from rich.table import Table

import dataflow

_STEPS = 20
_MOST = 15
"""Operation types that are shown."""


class _TracedSession:
    """A session whose steps leave their statistics behind once `metadata` is set."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._options = dataflow.RunOptions(trace_level=dataflow.RunOptions.FULL_TRACE)
        self.metadata: Any = None

    def run(self, fetches: Any, feeds: Any = None) -> Any:
        if self.metadata is None:
            return self._session.run(fetches, feeds)
        return self._session.run(fetches, feeds, self._options, self.metadata)

    def make_callable(self, fetches: Any, feed_list: Any = None) -> Callable[..., Any]:
        plain = self._session.make_callable(fetches, feed_list)
        traced = self._session.make_callable(fetches, feed_list, accept_options=True)

        def run(*values: Any) -> Any:
            if self.metadata is None:
                return plain(*values)
            return traced(*values, options=self._options, run_metadata=self.metadata)

        return run


def profile(program: Program) -> Table:
    """A table of the operation types of a program by time, medians over some steps."""
    with dataflow.Graph().as_default() as graph, dataflow.Session(graph=graph) as session:
        traced = _TracedSession(session)
        step = program.build(dataflow, traced)
        for _ in range(5):
            step()
        whole = min(_timed(step) for _ in range(_STEPS))
        type_of = {operation.name: operation.type for operation in graph.get_operations()}
        spent: dict[str, float] = defaultdict(float)
        calls: dict[str, int] = defaultdict(int)
        for _ in range(_STEPS):
            traced.metadata = dataflow.RunMetadata()
            step()
            for device in traced.metadata.step_stats.dev_stats:
                for node in device.node_stats:
                    kind = type_of.get(node.node_name, f"(made by a pass) {node.timeline_label}")
                    spent[kind] += node.op_end_rel_micros - node.op_start_rel_micros
                    calls[kind] += 1
    table = Table("operation", "calls", "us", "us a call", title=program.name)
    for kind in sorted(spent, key=lambda kind: -spent[kind])[:_MOST]:
        table.add_row(
            kind,
            f"{calls[kind] / _STEPS:.0f}",
            f"{spent[kind] / _STEPS:,.0f}",
            f"{spent[kind] / calls[kind]:.1f}",
        )
    table.add_section()
    total = sum(spent.values()) / _STEPS
    table.add_row("all, one node at a time", f"{sum(calls.values()) / _STEPS:.0f}", f"{total:,.0f}")
    table.add_row("the step as it runs untraced", "1", f"{whole * 1e6:,.0f}")
    return table


def _timed(step: Callable[[], Any]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start
