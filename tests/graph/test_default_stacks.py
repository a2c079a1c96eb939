"""Contexts that are abandoned, and left late, disturb nobody."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import dataflow as tf
from dataflow.graph import default_stacks


def test_contexts_are_left_in_order() -> None:
    first, second = tf.Graph().as_default(), tf.Graph().as_default()
    first.__enter__()
    second.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    default_stacks.graphs.reset()


def test_an_abandoned_context_is_collected_inside_another(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", complaints.append)
    abandoned = [tf.Graph().as_default()]
    abandoned[0].__enter__()
    default_stacks.graphs.reset()
    with tf.Graph().as_default() as graph:
        abandoned.clear()
        gc.collect()
        assert tf.get_default_graph() is graph
    assert not complaints
