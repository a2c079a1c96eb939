"""Rows that are read without the others: of resource variables only."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow.compat.v1 as tf


@pytest.mark.parametrize("library", [tf, oracle])
@pytest.mark.parametrize("name", ["sparse_read", "gather_nd"])
def test_a_reference_variable_is_read_whole(library: Any, name: str) -> None:
    with library.Graph().as_default():
        variable = library.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=False)
        with pytest.raises(AttributeError):
            getattr(variable, name)([[1]])
        with pytest.raises(AttributeError):
            getattr(library.Variable, name)(variable, [[1]])


@pytest.mark.parametrize("library", [tf, oracle])
def test_a_resource_variable_is_read_in_part(library: Any) -> None:
    with library.Graph().as_default(), library.Session() as session:
        variable = library.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
        session.run(variable.initializer)
        rows, element = session.run([variable.sparse_read([1]), variable.gather_nd([[0, 1]])])
    assert rows.tolist() == [[3.0, 4.0]]
    assert element.tolist() == [2.0]
