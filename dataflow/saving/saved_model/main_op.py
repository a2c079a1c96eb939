"""Main ops: what runs when a SavedModel was loaded."""

from __future__ import annotations

from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.library.table_initializers import tables_initializer
from dataflow.ops.basic.grouping import group
from dataflow.variables.variable import global_variables_initializer, local_variables_initializer


def main_op() -> Operation:
    """An operation that initializes all variables, local ones too, and all tables."""
    init = global_variables_initializer()
    init_local = local_variables_initializer()
    init_tables = tables_initializer()
    return group(init, init_local, init_tables)


def main_op_with_restore(restore_op_name: str) -> Operation:
    """An operation that does what `main_op` does, and then restores.

    Args:
      restore_op_name: The operation that restores, or what `tf.group` takes.
    """
    with scopes.control_dependencies([main_op()]):
        return group(restore_op_name)
