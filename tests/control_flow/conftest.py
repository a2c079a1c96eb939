"""Fixtures of the control-flow tests: which of the two ways a session runs loops and branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dataflow.graph import default_stacks
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.session.session import Session
from tests.conftest import SessionFactory

PATHS = ["lowered", "general"]
"""Loops and branches as Python code where they are structured, or all in the general executor."""


@dataclass(frozen=True)
class ControlFlowPath:
    """A way to run control flow; makes the configs and sessions that take it."""

    name: str

    def config(self, **fields: Any) -> ConfigProto:
        """A config with these fields for sessions that take this way."""
        config = ConfigProto(**fields)
        if self.name == "general":
            config.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF
        return config

    def session(self, graph: Any = None, target: str = "", **fields: Any) -> Session:
        """A session that takes this way; the caller closes it."""
        return Session(target, graph=graph, config=self.config(**fields))


@pytest.fixture(params=PATHS)
def control_flow_path(request: pytest.FixtureRequest) -> ControlFlowPath:
    """Runs the test on both ways."""
    return ControlFlowPath(request.param)


@pytest.fixture
def path_factory(control_flow_path: ControlFlowPath) -> Iterator[SessionFactory]:
    """Opens sessions of this process that take the way of the test, as `session_factory` does."""
    opened: list[Session] = []

    class Factory:
        """Opens sessions and remembers them."""

        target = ""

        def __call__(self, graph: Any = None, config: Any = None) -> Session:
            merged = control_flow_path.config()
            if config is not None:
                merged.MergeFrom(config)
            opened.append(Session(graph=graph, config=merged))
            return opened[-1]

    default_stacks.graphs.global_default = None
    yield Factory()
    for session in opened:
        session.close()
    default_stacks.sessions.reset()
    default_stacks.graphs.reset()
    default_stacks.graphs.global_default = None
