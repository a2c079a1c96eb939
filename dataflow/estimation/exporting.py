"""How an estimator exports its model: one graph for each mode, with signatures, in a SavedModel."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.errors import NotFoundError
from dataflow.estimation.export_outputs import EvalOutput, ExportOutput, TrainOutput
from dataflow.estimation.export_signatures import (
    EXPORT_TAG_MAP,
    get_temp_export_dir,
    get_timestamped_export_dir,
    signatures,
)
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
    path = get_timestamped_export_dir(export_dir_base)
    unfinished = os.fsdecode(get_temp_export_dir(path))
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
    return path


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
