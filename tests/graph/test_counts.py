"""How many operations a graph has, as it says itself."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow.compat.v1 as tf


@pytest.mark.parametrize("library", [tf, oracle])
def test_operations_are_listed_and_counted(library: Any) -> None:
    with library.Graph().as_default() as graph:
        assert graph.num_operations() == 0
        x = library.constant(1.0, name="x")
        library.identity(x, name="y")
    assert graph.num_operations() == 2
    assert [op.name for op in graph.operations] == ["x", "y"]
    assert graph.new_operations() == []
    with pytest.raises(AttributeError):
        graph.operations = []
