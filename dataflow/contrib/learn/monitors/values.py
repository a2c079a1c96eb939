"""Monitors that look at tensors: log them, keep them, compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.contrib.learn.monitors.base import BaseMonitor, EveryN, output_of
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection, get_default_graph
from dataflow.values import logging


class _Named(EveryN):
    """Logs tensors, under names."""

    _names: Mapping[str, Any]
    _text: str

    def every_n_step_begin(self, step: int) -> list[Any]:
        super().every_n_step_begin(step)
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        super().every_n_step_end(step, outputs)
        found = [
            f"{tag} = {output_of(outputs, tensor)}"
            for tag, tensor in self._names.items()
            if tensor in outputs
        ]
        logging.info(self._text, step, ", ".join(found))


class PrintTensor(_Named):
    """Logs the values of tensors."""

    _text = "Step %d: %s"

    def __init__(
        self,
        tensor_names: Mapping[str, Any] | Sequence[Any],
        every_n: int = 100,
        first_n: int = 1,
    ) -> None:
        """Makes a monitor.

        Args:
          tensor_names: The tensors' names; a dictionary has them by what the log calls them.
          every_n: Every how many steps.
          first_n: Up to which step all are logged.
        """
        super().__init__(every_n, first_n)
        named = isinstance(tensor_names, dict)
        self._names = dict(tensor_names) if named else {name: name for name in tensor_names}


class LoggingTrainable(_Named):
    """Logs the values of trainable variables."""

    _text = "Logging Trainable: Step %d: %s"

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        """Makes a monitor.

        Args:
          scope: Begins the names of the variables; all if None.
          every_n: Every how many steps.
          first_n: Up to which step all are logged.
        """
        super().__init__(every_n, first_n)
        self._scope = scope

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the variables that there are."""
        trainable = get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=self._scope)
        self._names = {variable.name: variable.value().name for variable in trainable}
        return super().every_n_step_begin(step)


class CaptureVariable(EveryN):
    """Keeps the values of a variable or a tensor."""

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        """Makes a monitor.

        Args:
          var_name: The variable's or the tensor's name.
          every_n: Every how many steps.
          first_n: Up to which step all are kept.
        """
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._var_values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """The values by step."""
        return self._var_values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the value."""
        super().every_n_step_begin(step)
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Keeps the value."""
        super().every_n_step_end(step, outputs)
        self._var_values[step] = output_of(outputs, self._var_name)


class NanLossDuringTrainingError(RuntimeError):
    """A loss is no number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanLoss(EveryN):
    """Ends the training if a loss is no number."""

    def __init__(
        self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True
    ) -> None:
        """Makes a monitor.

        Args:
          loss_tensor: The loss.
          every_n_steps: Every how many steps it is looked at.
          fail_on_nan_loss: Whether the end is an error.
        """
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the loss."""
        super().every_n_step_begin(step)
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Looks at the loss.

        Raises:
          NanLossDuringTrainingError: It is no number, and that is an error.
        """
        super().every_n_step_end(step, outputs)
        if not np.isnan(output_of(outputs, self._loss_tensor)):
            return None
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        return True


class GraphDump(BaseMonitor):
    """Keeps the first outputs of nearly all operations, to compare two trainings."""

    IGNORE_OPS = (
        *("Const", "Assign", "Identity", "Placeholder", "RandomUniform", "Cast"),
        "RestoreSlice",
    )

    def __init__(self, ignore_ops: Sequence[str] | None = None) -> None:
        """Makes a monitor; `ignore_ops` are the op types that are passed over."""
        super().__init__()
        self._ignore_ops = ignore_ops or GraphDump.IGNORE_OPS
        self._data: dict[int, Any] = {}

    def begin(self, max_steps: int | None = None) -> None:
        """Finds the operations."""
        super().begin(max_steps=max_steps)
        self._tensors = []
        for op in get_default_graph().get_operations():
            if op.type not in self._ignore_ops:
                logging.info("op=%s name=%s.", op.type, op.name)
                self._tensors.extend(op.outputs[:1])

    def step_begin(self, step: int) -> list[Any]:
        """Asks for the outputs."""
        super().step_begin(step)
        return self._tensors

    def step_end(self, step: int, output: Any) -> Any:
        """Keeps them."""
        super().step_end(step, output)
        self._data[step] = output

    @property
    def data(self) -> dict[int, Any]:
        """By step, the outputs by what was asked for."""
        return self._data

    def compare(
        self, other_dump: GraphDump, step: int, atol: float = 1e-06
    ) -> tuple[list[Any], dict[Any, Any]]:
        """The names whose values two monitors have kept alike, and differences by name.

        Only what was asked for by name is compared.

        Args:
          other_dump: Another monitor.
          step: The step.
          atol: How far arrays may differ.

        Raises:
          ValueError: The other one lacks something.
        """
        ours, theirs = self.data.get(step, {}), other_dump.data.get(step, {})
        matched: list[Any] = []
        different: dict[Any, Any] = {}
        for key, value in ours.items():
            if not isinstance(key, str):
                continue
            if key not in theirs:
                raise ValueError(f"{key} missing at step {step}.")
            other = theirs[key]
            if isinstance(value, str):
                continue
            if isinstance(value, np.ndarray):
                if np.allclose(value, other, atol=atol):
                    matched.append(key)
                else:
                    different[key] = value - other
            elif value == other:
                matched.append(key)
            else:
                different[key] = (value, other)
        return matched, different
