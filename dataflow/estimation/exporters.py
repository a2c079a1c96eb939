"""What exports a model between its evaluations: always, at the end, or where it was better."""

from __future__ import annotations

import glob
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.estimation.functions import argument_names
from dataflow.estimation.summaries import read_results
from dataflow.values import logging


class Exporter(ABC):
    """Exports a model after an evaluation, where it thinks fit."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of its folder below `export`."""

    @abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports a checkpoint.

        Args:
          estimator: The estimator.
          export_path: The folder to export into.
          checkpoint_path: The checkpoint.
          eval_result: What its evaluation gave.
          is_the_final_export: Whether training has ended.

        Returns:
          The path of what was exported, or None.
        """


class _SavedModels(Exporter):
    """Writes SavedModels by `Estimator.export_savedmodel`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None,
        as_text: bool,
    ) -> None:
        self._name = name
        self._receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        """The name of its folder below `export`."""
        return self._name

    def _write(self, estimator: Any, export_path: str, checkpoint_path: str) -> Any:
        return estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModels):
    """Exports once, when training has ended."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
    ) -> None:
        """Takes what `Estimator.export_saved_model` does."""
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """See `Exporter`."""
        if not is_the_final_export:
            return None
        logging.info("Performing the final export in the end of training.")
        return self._write(estimator, export_path, checkpoint_path)


class LatestExporter(_SavedModels):
    """Exports after each evaluation, and keeps the newest few."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Takes what `Estimator.export_saved_model` does.

        Args:
          name: The name of its folder below `export`.
          serving_input_receiver_fn: As there.
          assets_extra: As there.
          as_text: As there.
          exports_to_keep: How many are kept; None for all.

        Raises:
          ValueError: None would be kept.
        """
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        _check_number(exports_to_keep)
        self._exports_to_keep = exports_to_keep

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """See `Exporter`."""
        result = self._write(estimator, export_path, checkpoint_path)
        keep_newest(export_path, self._exports_to_keep)
        return result


class BestExporter(_SavedModels):
    """Exports where an evaluation was better than those before, by default of smaller loss."""

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = None,
        compare_fn: Callable[..., bool] | None = None,
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Takes what `Estimator.export_saved_model` does.

        Args:
          name: The name of its folder below `export`.
          serving_input_receiver_fn: As there.
          event_file_pattern: Event files below the model's folder with earlier evaluations, of
            which the best is the one to beat when the program is started anew.
          compare_fn: `f(best_eval_result, current_eval_result)`: whether the current is better.
          assets_extra: As there.
          as_text: As there.
          exports_to_keep: How many are kept; None for all.

        Raises:
          ValueError: None would be kept, or there is nothing to export or to compare by.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("`serving_input_receiver_fn` must not be None.")
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        compare_fn = loss_smaller if compare_fn is None else compare_fn
        _check_compare_fn(compare_fn)
        _check_number(exports_to_keep)
        self._compare_fn = compare_fn
        self._exports_to_keep = exports_to_keep
        self._event_file_pattern = event_file_pattern
        self._best: Mapping[str, Any] | None = None
        self._model_dir: Any = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """See `Exporter`."""
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            self._model_dir = estimator.model_dir
            self._best = self._best_of_files(
                os.path.join(self._model_dir, self._event_file_pattern)
            )
        if self._best is not None and not self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        logging.info("Performing best model export.")
        self._best = eval_result
        result = self._write(estimator, export_path, checkpoint_path)
        keep_newest(export_path, self._exports_to_keep)
        return result

    def _best_of_files(self, pattern: str) -> Mapping[str, Any] | None:
        best: Mapping[str, Any] | None = None
        for folder in sorted({os.path.dirname(path) for path in glob.glob(pattern)}):
            for result in read_results(folder).values():
                if best is None or self._compare_fn(
                    best_eval_result=best, current_eval_result=result
                ):
                    best = result
        return best


def loss_smaller(
    best_eval_result: Mapping[str, Any], current_eval_result: Mapping[str, Any]
) -> bool:
    """Whether the current loss is below the best.

    Raises:
      ValueError: A result is empty, or has no loss.
    """
    for result, which in (
        (best_eval_result, "best_eval_result"),
        (current_eval_result, "current_eval_result"),
    ):
        if not result or "loss" not in result:
            raise ValueError(f"{which} cannot be empty or no loss is found in it.")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


def _check_compare_fn(function: Any) -> None:
    names = argument_names(function)
    for name in ("best_eval_result", "current_eval_result"):
        if name not in names:
            raise ValueError(f"compare_fn ({function}) must include {name} argument.")
    strange = list(set(names) - {"best_eval_result", "current_eval_result"})
    if strange:
        raise ValueError(f"compare_fn ({function}) has following not expected args: {strange}")


def _check_number(exports_to_keep: int | None) -> None:
    if exports_to_keep is not None and exports_to_keep <= 0:
        raise ValueError(
            f"`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}"
        )


def keep_newest(folder: str, count: int | None) -> None:
    """Removes all but the newest exports of a folder; none if `count` is None."""
    if not count:
        return
    found = sorted((name for name in os.listdir(folder) if name.isdigit()), key=int)
    for name in found[:-count]:
        try:
            shutil.rmtree(os.path.join(folder, name))
        except OSError as error:
            logging.warning("Can not delete %s recursively: %s", name, error)
