"""An estimator whose model function is the graphs of a SavedModel, one for each mode."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from dataflow.estimation.estimator import Estimator
from dataflow.estimation.export_outputs import DEFAULT_KEY, EvalOutput, TrainOutput
from dataflow.estimation.export_signatures import EXPORT_TAG_MAP
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.receivers import named_tensors
from dataflow.estimation.warm_starting import WarmStartSettings
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.ops.basic.constant import constant
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef, TensorInfo
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.assets import get_asset_tensors
from dataflow.saving.saved_model.loader import SavedModelLoader, get_init_op, get_train_op
from dataflow.saving.saved_model.paths import get_variables_path
from dataflow.training.global_step import assert_global_step, get_global_step
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.values import dtypes, logging
from dataflow.values.shapes import TensorShape

_METHODS: Final = {ModeKeys.TRAIN: TrainOutput.method, ModeKeys.EVAL: EvalOutput.method}


class SavedModelEstimator(Estimator):
    """Trains on, evaluates and asks a model that an estimator has exported.

    What `experimental_export_all_saved_models` wrote can do all that it was exported for, what
    `export_saved_model` wrote can be asked. Variables begin with the exported values.
    """

    def __init__(self, saved_model_dir: Any, model_dir: Any = None) -> None:
        """Makes an estimator.

        Args:
          saved_model_dir: The folder of the SavedModel.
          model_dir: Folder of checkpoints and summaries.

        Raises:
          ValueError: The SavedModel has no variables' files.
          OSError: There is no SavedModel.
          NotImplementedError: A subclass has strategies in its configuration.
        """
        checkpoint = get_variables_path(saved_model_dir)
        if not os.path.exists(f"{checkpoint}.index"):
            raise ValueError(
                "Directory provided has an invalid SavedModel format: "
                f"{os.fsdecode(saved_model_dir)}"
            )
        # The loaded graph restores all that was saved: variables, tables, trees.
        super().__init__(
            self._model_fn_from_saved_model,
            model_dir,
            warm_start_from=WarmStartSettings(checkpoint, vars_to_warm_start=None),
        )
        if self.config.train_distribute or self.config.eval_distribute:
            raise NotImplementedError(
                "SavedModelEstimator currently does not support DistributionStrategy."
            )
        self.saved_model_dir = saved_model_dir
        self.saved_model_loader = SavedModelLoader(saved_model_dir)
        self._available_modes = self._modes()

    def _create_and_assert_global_step(self, graph: Graph) -> Any:
        # The loaded graph has one.
        return None

    def _modes(self) -> list[str]:
        logging.info("Checking available modes for SavedModelEstimator.")
        found = []
        for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
            try:
                meta_graph = self._meta_graph(mode)
            except RuntimeError:
                logging.warning("%s mode not found in SavedModel.", mode)
                continue
            if _signature(meta_graph, mode) is not None:
                found.append(mode)
        logging.info("Available modes for Estimator: %s", found)
        return found

    def _meta_graph(self, mode: str) -> MetaGraphDef:
        return self.saved_model_loader.get_meta_graph_def_from_tags(EXPORT_TAG_MAP[mode])

    def _model_fn_from_saved_model(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        if mode not in self._available_modes:
            raise RuntimeError(
                f"{mode} mode is not available in the SavedModel. Use saved_model_cli to check "
                "that the Metagraph for this mode has been exported."
            )
        graph = scopes.get_default_graph()
        if get_global_step(graph) is not None:
            raise RuntimeError(
                "Graph must not contain a global step tensor before the SavedModel is loaded. "
                "Please make sure that the input function does not create a global step."
            )
        meta_graph = self._meta_graph(mode)
        signature = _signature(meta_graph, mode)
        assert signature is not None
        assets = _assets(self.saved_model_loader, meta_graph)
        names = [each.name for each in signature.outputs.values()]
        saver, tensors = self.saved_model_loader.load_graph(
            graph,
            EXPORT_TAG_MAP[mode],
            input_map={**assets, **_fed(signature, features, labels)},
            return_elements=names,
        )
        scaffold = self._scaffold(saver, get_init_op(meta_graph))
        assert_global_step(get_global_step(graph))
        outputs = dict(zip(signature.outputs, tensors or (), strict=True))
        if len(scopes.get_collection(constants.TRAIN_OP_KEY)) > 1:
            raise RuntimeError("Multiple ops found in the train_op collection.")
        train_op = get_train_op(meta_graph)
        _clear_collections(list(assets.values()))
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, outputs, train_op=train_op, scaffold=scaffold)
        if signature.method_name != _METHODS[mode]:
            raise RuntimeError(
                f"Invalid SignatureDef method name for mode {mode}.\n\tExpected: "
                f"{_METHODS[mode]}\n\tGot: {signature.method_name}\nPlease ensure that the "
                "SavedModel was exported with "
                "`tf.estimator.experimental_export_all_saved_models()`."
            )
        return EstimatorSpec(
            mode,
            {key: each for key, each in outputs.items() if key.split("/")[0] == "predictions"},
            outputs.get("loss"),
            train_op,
            _metrics(outputs),
            scaffold=scaffold,
        )

    def _scaffold(self, saver: Any, local_init_op: Any) -> Scaffold:
        """Begins with the exported values where there is no checkpoint of its own."""
        path = self.saved_model_loader.variables_path

        def init_fn(_: Scaffold, session: Any) -> None:
            saver.restore(session, path)

        # Of what are no variables a graph has lost how to save it, but the loaded saver knows.
        others = scopes.get_collection(GraphKeys.SAVEABLE_OBJECTS)
        return Scaffold(
            init_fn=init_fn if saver is not None else None,
            local_init_op=local_init_op,
            saver=saver if others else None,
        )


def _signature(meta_graph: MetaGraphDef, mode: str) -> SignatureDef | None:
    key = DEFAULT_KEY if mode == ModeKeys.PREDICT else mode
    if key not in meta_graph.signature_def:
        logging.warning(
            'Metagraph for mode %s was found, but SignatureDef with key "%s" is missing.', mode, key
        )
        return None
    return meta_graph.signature_def[key]


def _assets(loader: SavedModelLoader, meta_graph: MetaGraphDef) -> dict[str, Any]:
    """By the names of tensors with paths of files, where the SavedModel has these files."""
    found = get_asset_tensors(loader.export_dir, meta_graph)
    return {name: constant(path, dtypes.string) for name, path in found.items()}


def _fed(signature: SignatureDef, features: Any, labels: Any) -> dict[str, Any]:
    """By the names of the graph's inputs, as data and as what is waited for, what is put there.

    Raises:
      ValueError: An input has no feature or label, or one of another type or shape.
    """
    given = dict(named_tensors(labels, "label")) if labels is not None else {}
    given.update(named_tensors(features, "feature"))
    found = {}
    for key, info in signature.inputs.items():
        if key not in given:
            raise ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. '
                f"All required keys: {signature.inputs.keys()}"
            )
        _check_fits(given[key], info, key)
        name = info.name.partition(":")[0]
        found[name] = found[f"^{name}"] = given[key]
    return found


def _check_fits(tensor: Any, info: TensorInfo, name: str) -> None:
    dtype, shape = dtypes.as_dtype(info.dtype), TensorShape(info.tensor_shape)
    text = ""
    if tensor.dtype != dtype:
        text += f"\n\tExpected dtype: {dtype!r}, Got: {tensor.dtype!r}"
    if not tensor.shape.is_compatible_with(shape):
        text += f"\n\tExpected shape: {shape}, Got: {tensor.shape}"
    if text:
        raise ValueError(f"Tensor shape and/or dtype validation failed for input {name}:{text}")


def _metrics(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The pairs of values and updates among a signature's outputs."""
    found = {}
    for key, tensor in outputs.items():
        name, _, kind = key.rpartition("/")
        update = outputs.get(f"{name}/update_op")
        if key.split("/")[0] == "metrics" and kind == "value" and update is not None:
            found[name] = (tensor, update)
    return found


def _clear_collections(assets: list[Any]) -> None:
    """Takes out what belongs to the loaded SavedModel, so that another can be made of the graph."""
    for key in (
        constants.ASSETS_KEY,
        constants.LEGACY_INIT_OP_KEY,
        constants.MAIN_OP_KEY,
        constants.TRAIN_OP_KEY,
    ):
        del scopes.get_collection_ref(key)[:]
    scopes.get_collection_ref(GraphKeys.ASSET_FILEPATHS)[:] = assets
