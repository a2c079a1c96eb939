"""Gradients that functions brought with them: a SavedModel has them as functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dataflow.ops.array.fill as array_fill
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.function import ConcreteFunction
from dataflow.ops.basic.constant import constant
from dataflow.proto.function_pb2 import FunctionDefLibrary


@dataclass(frozen=True)
class SavedGradient:
    """A gradient function as `tf.RegisterGradient` takes it; it is registered for good.

    Attributes:
        function: Of the gradients of the operation's outputs, and of what it takes besides.
        besides: Names of tensors beside the operation, constants, and None for what is elsewhere.
    """

    function: ConcreteFunction
    besides: Sequence[str | np.ndarray | None]

    def __call__(self, op: Operation, *grads: Tensor | None) -> Any:
        """The gradients of the operation's inputs.

        Raises:
          LookupError: It takes what is not beside the operation.
        """
        given = [
            array_fill.zeros_like(output) if grad is None else grad
            for output, grad in zip(op.outputs, grads, strict=True)
        ]
        captured = []
        for each in self.besides:
            if each is None:
                raise LookupError(f"The gradient of '{op.name}' takes what its function does not.")
            by_name = op.graph.get_tensor_by_name
            captured.append(by_name(each) if isinstance(each, str) else constant(each))
        return self.function._packed(self.function._call(given, captured))


def functions_around(library: FunctionDefLibrary) -> dict[str, Any]:
    """The name of a registered gradient -> the function in which an operation has it."""
    return {
        node.attr["_gradient_op_type"].s.decode(errors="replace"): function
        for function in library.function
        for node in function.node_def
        if "_gradient_op_type" in node.attr
    }
