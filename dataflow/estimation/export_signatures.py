"""The signatures of exported graphs, mode by mode, and the folders that they are written to."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dataflow.estimation.export_outputs import (
    DEFAULT_KEY,
    EvalOutput,
    ExportOutput,
    TrainOutput,
)
from dataflow.estimation.model_spec import ModeKeys, checked_export_outputs
from dataflow.saving.saved_model.signature_defs import is_valid_signature
from dataflow.values import logging

SINGLE_FEATURE_DEFAULT_NAME: Final = "feature"
SINGLE_RECEIVER_DEFAULT_NAME: Final = "input"
SINGLE_LABEL_DEFAULT_NAME: Final = "label"
MAX_DIRECTORY_CREATION_ATTEMPTS: Final = 10


class KerasModeKeys:
    """What Keras calls the modes."""

    TRAIN: Final = "train"
    TEST: Final = "test"
    PREDICT: Final = "predict"


def is_predict(mode: str) -> bool:
    """Whether a mode of an estimator or of Keras is prediction."""
    return mode in (KerasModeKeys.PREDICT, ModeKeys.PREDICT)


def is_eval(mode: str) -> bool:
    """Whether a mode of an estimator or of Keras is evaluation."""
    return mode in (KerasModeKeys.TEST, ModeKeys.EVAL)


def is_train(mode: str) -> bool:
    """Whether a mode of an estimator or of Keras is training."""
    return mode in (KerasModeKeys.TRAIN, ModeKeys.TRAIN)


class ModeKeyMap(Mapping[str, Any]):
    """What belongs to each mode, whether an estimator or Keras names it."""

    def __init__(self, **kwargs: Any) -> None:
        """Takes a value for each mode.

        Raises:
          ValueError: A name is no mode, or two are the same one.
        """
        self._names = list(kwargs)
        self._values: dict[str, Any] = {}
        for name, value in kwargs.items():
            mode = _mode(name)
            if mode in self._values:
                raise ValueError(
                    f"Error creating ModeKeyMap. Multiple keys/values found for {mode} mode."
                )
            self._values[mode] = value

    def __getitem__(self, key: str) -> Any:
        return self._values[_mode(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _mode(key: str) -> str:
    """What Keras calls a mode."""
    if is_train(key):
        return KerasModeKeys.TRAIN
    if is_eval(key):
        return KerasModeKeys.TEST
    if is_predict(key):
        return KerasModeKeys.PREDICT
    raise ValueError(f"Invalid mode key: {key}.")


EXPORT_TAG_MAP: Final = ModeKeyMap(train=["train"], eval=["eval"], infer=["serve"])
"""Tags of a mode's graph, in the order in which modes are written."""

SIGNATURE_KEY_MAP: Final = ModeKeyMap(train="train", eval="eval", infer=DEFAULT_KEY)
"""The name of a mode's own signature."""


def build_all_signature_defs(
    receiver_tensors: Any,
    export_outputs: Any,
    receiver_tensors_alternatives: Any = None,
    serving_only: bool = True,
) -> dict[str, Any]:
    """By name the signatures from all that may be fed to all outputs for which one is possible.

    Args:
      receiver_tensors: Tensors by name, or one that is called "input".
      export_outputs: By name what is shown.
      receiver_tensors_alternatives: By name other tensors that may be fed.
      serving_only: Leaves out those that cannot be served.

    Raises:
      ValueError: `export_outputs` is no dictionary.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(f"`export_outputs` must be a dict. Received {type(export_outputs)}.")
    others = {name: _named(each) for name, each in (receiver_tensors_alternatives or {}).items()}
    made = signatures(_named(receiver_tensors), export_outputs, others)
    return {
        name: each for name, each in made.items() if not serving_only or is_valid_signature(each)
    }


def _named(tensors: Any) -> Any:
    return tensors if isinstance(tensors, dict) else {SINGLE_RECEIVER_DEFAULT_NAME: tensors}


def signatures(
    receivers: Mapping[str, Any], outputs: Mapping[str, ExportOutput], alternatives: Any = None
) -> dict[str, Any]:
    """As `build_all_signature_defs`, with the names of all tensors, and all signatures."""
    made, left_out = {}, {}
    ways = [("", receivers)]
    ways += [(f"{name or 'None'}:", each) for name, each in (alternatives or {}).items()]
    for prefix, tensors in ways:
        for name, output in outputs.items():
            key = f"{prefix}{name or 'None'}"
            try:
                made[key] = output.as_signature_def(tensors)
            except ValueError as error:
                left_out[key] = str(error)
    for title, method in (
        ("Classify", "tensorflow/serving/classify"),
        ("Regress", "tensorflow/serving/regress"),
        ("Predict", "tensorflow/serving/predict"),
        ("Train", TrainOutput.method),
        ("Eval", EvalOutput.method),
    ):
        names = [name for name, each in made.items() if each.method_name == method]
        logging.info("Signatures INCLUDED in export for %s: %s", title, names or None)
    if left_out:
        logging.info("Signatures EXCLUDED from export because they cannot be served:")
        for name, why in left_out.items():
            logging.info("'%s' : %s", name, why)
    return made


def export_outputs_for_mode(
    mode: str,
    serving_export_outputs: Any = None,
    predictions: Any = None,
    loss: Any = None,
    metrics: Any = None,
) -> dict[str, ExportOutput]:
    """What a mode's graph shows, by the names of signatures.

    Args:
      mode: A mode of an estimator or of Keras.
      serving_export_outputs: What a graph that predicts shows; by default `predictions`.
      predictions: Tensors by name, or one.
      loss: Tensors by name, or one.
      metrics: Metrics by name, or one.

    Raises:
      ValueError: There is no such mode.
    """
    key = SIGNATURE_KEY_MAP[mode]
    if is_predict(mode):
        return get_export_outputs(serving_export_outputs, predictions)
    output = TrainOutput if is_train(mode) else EvalOutput
    return {key: output(loss, predictions, metrics)}


def get_export_outputs(export_outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """What a graph that predicts shows, one of it by default.

    Raises:
      TypeError: It is no dictionary of ExportOutputs.
      ValueError: There are several, none of which is the default.
    """
    checked: dict[str, ExportOutput] = checked_export_outputs(export_outputs, predictions)
    return checked


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """A folder that is not there yet, named by the seconds since the epoch.

    Raises:
      RuntimeError: There is none for some seconds.
    """
    base = os.fsdecode(export_dir_base)
    for turn in range(MAX_DIRECTORY_CREATION_ATTEMPTS):
        path = os.path.join(base, str(int(time.time())))
        if not os.path.exists(path):
            return os.fsencode(path)
        time.sleep(1)
        logging.warning(
            "Directory %s already exists; retrying (attempt %d/%d)",
            path,
            turn + 1,
            MAX_DIRECTORY_CREATION_ATTEMPTS,
        )
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """Where an export is until it is whole: a folder beside its own."""
    parent, name = os.path.split(os.fsdecode(timestamped_export_dir))
    return os.fsencode(os.path.join(parent, f"temp-{name}"))
