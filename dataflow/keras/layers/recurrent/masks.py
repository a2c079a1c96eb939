"""The zeros of a cell with dropout: drawn once for all steps of a sequence."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops


class DropoutRNNCellMixin:
    """The part of a cell that keeps them.

    A cell that takes it in has `dropout` and `recurrent_dropout`: the shares of its inputs and of
    its states that are zero.
    """

    dropout: float
    recurrent_dropout: float

    @property
    def _masks(self) -> dict[str, Any]:
        known: dict[str, Any] = vars(self).setdefault("_drawn_masks", {})
        return known

    def reset_dropout_mask(self) -> None:
        """Lets the next sequence have other zeros among its inputs."""
        self._masks.pop("dropout", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Lets the next sequence have other zeros among its states."""
        self._masks.pop("recurrent_dropout", None)

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """What the inputs of a sequence are multiplied by: the same at every step.

        Args:
          inputs: Of a step.
          training: Whether some are zero; by default as Keras' learning phase says.
          count: For how many gates.

        Returns:
          None without dropout, a list for several gates, or else a tensor.
        """
        return self._mask_of("dropout", inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        """The same for states."""
        return self._mask_of("recurrent_dropout", inputs, training, count)

    def _mask_of(self, kind: str, values: Any, training: Any, count: int) -> Any:
        rate = getattr(self, kind)
        if not rate:
            return None
        if kind not in self._masks:
            ones = ops.ones_like(values)

            def mask() -> Any:
                return K.in_train_phase(lambda: K.dropout(ones, rate), ones, training=training)

            self._masks[kind] = [mask() for _ in range(count)] if count > 1 else mask()
        return self._masks[kind]
