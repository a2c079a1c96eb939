"""What a supervisor needs of a graph: taken from the graph's collections, or made and put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection, get_collection, get_default_graph
from dataflow.library.table_initializers import tables_initializer
from dataflow.ops.basic.grouping import group
from dataflow.saving.saver import Saver
from dataflow.values import dtypes, logging
from dataflow.variables.variable import global_variables, local_variables_initializer


def first_or_made(key: str, make: Callable[[], Any]) -> Any:
    """The first item of a collection; what `make` gives, which is put there, if it is empty."""
    found = get_collection(key)
    if len(found) > 1:
        logging.info("Found %d %s operations. Returning the first one.", len(found), key)
    if found:
        return found[0]
    made = make()
    if made is not None:
        add_to_collection(key, made)
    return made


def local_initializer() -> Any:
    """Initialises local variables and tables."""
    return group(local_variables_initializer(), tables_initializer())


def saver_of_all() -> Saver | None:
    """A Saver of all global variables; None if there are none."""
    return Saver() if global_variables() else None


def step_by_name() -> Any:
    """The tensor `global_step:0`; None if it is not there, or counts nothing."""
    try:
        step = get_default_graph().get_tensor_by_name(f"{GraphKeys.GLOBAL_STEP}:0")
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return step
    logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None
