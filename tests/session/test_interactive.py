"""InteractiveSession: the default session from the moment it is made."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import dataflow as tf
from dataflow.graph import default_stacks
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.session.session import InteractiveSession
from tests.session.both import oracle


@pytest.fixture
def interactive() -> Any:
    """Opens interactive sessions, in TensorFlow or here, and closes them."""
    opened: list[Any] = []

    def open_one(lib: Any, **arguments: Any) -> Any:
        cls = oracle.InteractiveSession if lib is oracle else InteractiveSession
        opened.append(cls(**arguments))
        return opened[-1]

    default_stacks.graphs.global_default = None
    oracle.reset_default_graph()
    yield open_one
    for session in reversed(opened):
        session.close()


@pytest.mark.parametrize("lib", [oracle, tf], ids=["TensorFlow", "here"])
def test_interactive(lib: Any, interactive: Any) -> None:
    session = interactive(lib)
    x = lib.constant(3.0)
    assert x.eval() == 3.0
    assert lib.get_default_session() is session
    session.close()
    session.close()
    assert lib.get_default_session() is None
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(x)


@pytest.mark.parametrize("lib", [oracle, tf], ids=["TensorFlow", "here"])
def test_interactive_with_graph(lib: Any, interactive: Any) -> None:
    graph = lib.Graph()
    session = interactive(lib, graph=graph)
    assert lib.get_default_graph() is graph
    assert lib.constant(3.0).eval() == 3.0
    session.close()
    assert lib.get_default_graph() is not graph


def test_second_interactive_session_warns(interactive: Any) -> None:
    """As TensorFlow 1 has it: by a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interactive(tf)
    with pytest.warns(UserWarning, match="An interactive session is already active. This can"):
        interactive(tf)


def test_interactive_sessions_close_in_any_order(interactive: Any) -> None:
    first, second = interactive(tf), interactive(tf)
    first.close()
    assert tf.get_default_session() is second
    second.close()
    assert tf.get_default_session() is None


def test_interactive_places_what_is_fetched_only(interactive: Any) -> None:
    given = ConfigProto()
    session = interactive(tf, config=given)
    assert session._config.graph_options.place_pruned_graph
    assert not given.graph_options.place_pruned_graph
    assert interactive(tf)._config.gpu_options.allow_growth
