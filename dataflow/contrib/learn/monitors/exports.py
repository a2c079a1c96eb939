"""A monitor that exports checkpoints as session bundles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.bundle_exports import SignatureFn
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.monitors.base import EveryN
from dataflow.saving.state import latest_checkpoint
from dataflow.values import logging


class ExportMonitor(EveryN):
    """Exports the newest checkpoint every so many steps, and the last one."""

    def __init__(
        self,
        every_n_steps: int,
        export_dir: Any,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        exports_to_keep: int | None = 5,
        signature_fn: SignatureFn | None = None,
        default_batch_size: int | None = 1,
    ) -> None:
        """Makes a monitor.

        Args:
          every_n_steps: Every how many steps of the training it looks for a checkpoint.
          export_dir: The folder of all exports.
          input_fn: Gives features and labels; if None features are read of serialized Examples, as
            `tf.contrib.learn.Estimator.export` says.
          input_feature_key: Which of these features has serialized Examples; None for a
            `signature_fn` that takes none.
          exports_to_keep: How many of the newest stay; all if None.
          signature_fn: Takes examples, features and predictions, and gives a signature and others
            by name.
          default_batch_size: How many Examples there are; any number if None.
        """
        super().__init__(every_n_steps=every_n_steps)
        self._export_dir = export_dir
        self._input_fn = input_fn
        self._input_feature_key = input_feature_key
        self._exports_to_keep = exports_to_keep
        self._signature_fn = signature_fn
        self._default_batch_size = default_batch_size
        self._last_export_dir: bytes | None = None

    @property
    def export_dir(self) -> Any:
        """The folder of all exports."""
        return self._export_dir

    @property
    def exports_to_keep(self) -> int | None:
        """How many of the newest stay."""
        return self._exports_to_keep

    @property
    def signature_fn(self) -> SignatureFn | None:
        """Gives the signatures."""
        return self._signature_fn

    @property
    def last_export_dir(self) -> bytes | None:
        """The folder of the newest export; None if there is none yet."""
        return self._last_export_dir

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Exports the newest checkpoint.

        Raises:
          ValueError: The estimator is one of `tf.estimator`, or has no checkpoint.
        """
        super().every_n_step_end(step, outputs)
        self._export()

    def end(self, session: Any = None) -> None:
        """Exports the last checkpoint, if there is one; see `every_n_step_end`."""
        super().end(session=session)
        if latest_checkpoint(self._estimator.model_dir) is None:
            logging.info("Skipping export at the end since model has not been saved yet.")
            return
        self._export()

    def _export(self) -> None:
        if not isinstance(self._estimator, Estimator):
            raise ValueError(
                "ExportMonitor does not support `tf.estimator.Estimator. `. Please pass an "
                "ExportStrategy to Experiment instead."
            )
        try:
            self._last_export_dir = self._estimator.export(
                self._export_dir,
                input_fn=self._input_fn,
                input_feature_key=self._input_feature_key,
                use_deprecated_input_fn=self._input_fn is None,
                signature_fn=self._signature_fn,
                default_batch_size=self._default_batch_size,
                exports_to_keep=self._exports_to_keep,
            )
        except RuntimeError:
            # Checkpoints are saved less often than this monitor may look.
            logging.info(
                "Skipping exporting because the existing checkpoint has already been exported. "
                "Consider exporting less frequently."
            )
