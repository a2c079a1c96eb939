"""The operation that initialises the lookup tables of a graph."""

from __future__ import annotations

from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_collection
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that initialises all tables; one that does nothing if there are none."""
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name) if initializers else no_op(name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """`tables_initializer` under its former name."""
    return tables_initializer(name)
