"""tensorflow.python.keras.engine.base_layer_utils.call_context: the calls of layers that run."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from dataflow.keras.engine import context


class CallContext:
    """The innermost call of a layer on this thread."""

    @property
    def in_call(self) -> bool:
        """Whether there is one."""
        return context.in_call()

    @property
    def training(self) -> Any:
        """Its `training`, or None."""
        return context.training_of_caller()

    def enter(
        self, layer: Any, inputs: Any, build_graph: bool, training: Any
    ) -> AbstractContextManager[None]:
        """A call of a layer, within what is returned."""
        return context.calling(training, inputs)


def call_context() -> CallContext:
    """What tells of the innermost call."""
    return CallContext()
