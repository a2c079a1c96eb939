"""How an estimator exports its model: one graph for each mode, with signatures, in a SavedModel."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.errors import NotFoundError
from dataflow.estimation.export_outputs import EvalOutput, ExportOutput, TrainOutput
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.random_seed import set_random_seed
from dataflow.library.public_modules import public_module
from dataflow.saving.saver import Saver
from dataflow.saving.state import latest_checkpoint
from dataflow.session.session import Session
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.values import logging

EXPORT_TAG_MAP: Final = {
    ModeKeys.TRAIN: ["train"],
    ModeKeys.EVAL: ["eval"],
    ModeKeys.PREDICT: ["serve"],
}
"""Tags of a mode's graph, in the order in which modes are written."""

_TRIES: Final = 10


def export_all(
    estimator: Any,
    export_dir_base: Any,
    receivers: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, Any] | None,
    as_text: bool,
    checkpoint_path: str | None,
    strip_default_attrs: bool,
) -> bytes:
    """Writes a graph for each mode; only the first comes with the variables.

    Returns:
      The path of the new folder.

    Raises:
      ValueError: There is no mode, or no checkpoint, or the checkpoint lacks variables.
    """
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint_path:
        if not estimator._warm_start_settings:
            raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
        checkpoint_path = estimator._warm_start_settings.ckpt_to_initialize_from
        if os.path.isdir(str(checkpoint_path)):
            checkpoint_path = latest_checkpoint(checkpoint_path)
    modes = [mode for mode in EXPORT_TAG_MAP if receivers.get(mode)]
    if not modes:
        raise ValueError(f"No valid modes for exporting found. Got {receivers.keys()}.")
    path = timestamped_export_dir(export_dir_base)
    unfinished = os.path.join(os.path.dirname(path), f"temp-{os.path.basename(path)}")
    builder = public_module("saved_model").Builder(unfinished)
    for mode in modes:
        _add_graph(
            estimator,
            builder,
            mode,
            receivers[mode],
            str(checkpoint_path),
            with_variables=mode == modes[0],
            strip_default_attrs=strip_default_attrs,
        )
    builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        target = os.path.join(unfinished, "assets.extra", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    os.rename(unfinished, path)
    return path.encode()


def timestamped_export_dir(export_dir_base: Any) -> str:
    """A folder that is not there yet, named by the seconds since the epoch.

    Raises:
      RuntimeError: There is none for some seconds.
    """
    base = os.fsdecode(export_dir_base)
    for turn in range(_TRIES):
        path = os.path.join(base, str(int(time.time())))
        if not os.path.exists(path):
            return path
        time.sleep(1)
        logging.warning(
            "Directory %s already exists; retrying (attempt %d/%d)", path, turn + 1, _TRIES
        )
    raise RuntimeError(f"Failed to obtain a unique export directory name after {_TRIES} attempts.")


def _add_graph(
    estimator: Any,
    builder: Any,
    mode: str,
    receiver_fn: Callable[[], Any],
    checkpoint_path: str,
    with_variables: bool,
    strip_default_attrs: bool,
) -> None:
    with Graph().as_default() as graph:
        estimator._create_and_assert_global_step(graph)
        set_random_seed(estimator.config.tf_random_seed)
        receiver = receiver_fn()
        spec = estimator._call_model_fn(
            receiver.features, getattr(receiver, "labels", None), mode, estimator.config
        )
        options: dict[str, Any] = {
            "tags": EXPORT_TAG_MAP[mode],
            "signature_def_map": signatures(
                receiver.receiver_tensors,
                _outputs_of(spec),
                getattr(receiver, "receiver_tensors_alternatives", None),
            ),
            "assets_collection": scopes.get_collection(GraphKeys.ASSET_FILEPATHS),
            "strip_default_attrs": strip_default_attrs,
        }
        with Session(config=estimator._session_config) as session:
            scaffold = spec.scaffold
            options["main_op"] = (
                Scaffold.default_local_init_op()
                if scaffold.local_init_op is None
                else scaffold.local_init_op
            )
            options["saver"] = scaffold.saver or Saver(sharded=True)
            try:
                options["saver"].restore(session, checkpoint_path)
            except NotFoundError as error:
                raise ValueError(
                    "Could not load all requested variables from checkpoint. Please make sure "
                    "your model_fn does not expect variables that were not saved in the "
                    f"checkpoint.\n\nEncountered error with mode `{mode}` while restoring "
                    f"checkpoint from: `{checkpoint_path}`. Full Traceback:\n\n{error}"
                ) from error
            if spec.train_op is not None:
                scopes.add_to_collection("saved_model_train_op", spec.train_op)
            if with_variables:
                builder.add_meta_graph_and_variables(session, **options)
            else:
                builder.add_meta_graph(**options)


def _outputs_of(spec: Any) -> dict[str, ExportOutput]:
    if spec.mode == ModeKeys.PREDICT:
        found: dict[str, ExportOutput] = spec.export_outputs
        return found
    output = TrainOutput if spec.mode == ModeKeys.TRAIN else EvalOutput
    metrics = None if spec.mode == ModeKeys.TRAIN else spec.eval_metric_ops
    return {spec.mode: output(spec.loss, spec.predictions, metrics)}


def signatures(
    receivers: Mapping[str, Any], outputs: Mapping[str, ExportOutput], alternatives: Any = None
) -> dict[str, Any]:
    """By name the signatures from all that may be fed to all outputs for which one is possible.

    Args:
      receivers: Tensors by name.
      outputs: By name what is shown.
      alternatives: By name other tensors that may be fed.
    """
    made, left_out = {}, {}
    ways = [("", receivers), *((f"{name}:", each) for name, each in (alternatives or {}).items())]
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
