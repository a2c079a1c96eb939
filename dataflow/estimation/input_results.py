"""What an input function gives: features and labels, and the hooks that its dataset needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.estimation.functions import argument_names
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import device
from dataflow.graph.tensor import Tensor
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.values import nest


class DatasetInitializerHook(SessionRunHook):
    """Initialises the iterator of a dataset in each new session."""

    def __init__(self, iterator: Any) -> None:
        """Takes an iterator."""
        self._iterator = iterator
        self._initializer: Any = None

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        """See `SessionRunHook`."""
        session.run(self._initializer)


def call_input_fn(
    input_fn: Callable[..., Any], mode: str, params: Any, config: Any, input_context: Any = None
) -> Any:
    """What an input function gives on the processor, called with those of these that it takes."""
    names = argument_names(input_fn)
    given = {"mode": mode, "params": params, "config": config, "input_context": input_context}
    with device("/cpu:0"):
        return input_fn(**{name: value for name, value in given.items() if name in names})


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Features, labels (or None) and hooks of what an input function gave.

    Args:
      result: Features, a pair of features and labels, or a dataset of one of both.

    Raises:
      ValueError: It is a list or tuple of another length.
    """
    hooks: list[SessionRunHook] = []
    if is_dataset(result):
        iterator = (
            result.make_initializable_iterator()
            if hasattr(result, "make_initializable_iterator")
            else result._make_initializable_iterator()
        )
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)) and not hasattr(result, "_fields"):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return result[0], result[1], hooks
    return result, None, hooks


def may_end(features: Any, graph: Graph) -> bool:
    """Whether features may come to an end: a dataset or queues give them."""
    tensors = [each for each in nest.flatten(features) if isinstance(each, Tensor)]
    is_read = any(each.op.type == "IteratorGetNext" for each in tensors)
    return is_read or bool(graph.get_collection(GraphKeys.QUEUE_RUNNERS))


def is_dataset(result: Any) -> bool:
    """Whether something is a dataset: whether iterators can be made of it."""
    return hasattr(result, "make_initializable_iterator") or hasattr(
        result, "_make_initializable_iterator"
    )
