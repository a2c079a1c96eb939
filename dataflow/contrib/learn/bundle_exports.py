"""Exports of estimators as session bundles, and the signatures that these get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from dataflow.contrib.learn.tensor_signature import (
    create_example_parser_from_signatures,
    create_signatures,
    tensors_compatible,
)
from dataflow.contrib.session_bundle import exporter, gc
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection, get_collection
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.table_initializers import tables_initializer
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.placeholder import placeholder
from dataflow.proto.session_bundle_manifest_pb2 import Signature
from dataflow.saving.saver import Saver
from dataflow.saving.state import latest_checkpoint
from dataflow.session.session import Session
from dataflow.training.global_step import create_global_step, get_global_step
from dataflow.values import dtypes, logging
from dataflow.variables.variable import local_variables_initializer

Signed = tuple[Signature, dict[str, Signature]]
"""The signature of requests that name none, and others by name."""
SignatureFn = Callable[[Any, Any, Any], Signed]
"""Takes serialized Examples, features and predictions."""


def generic_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signed:
    """Names the examples "inputs" and a single prediction "outputs", several by their own names.

    Args:
      examples: Serialized Examples, `[batch_size]`.
      unused_features: Not used.
      predictions: A tensor, or tensors by name.

    Raises:
      ValueError: There are no examples.
    """
    found = predictions if isinstance(predictions, dict) else {"outputs": predictions}
    return exporter.generic_signature({"inputs": _given(examples), **found}), {}


def classification_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signed:
    """Says which classes examples have: a tensor, or that named "classes"; see
    `generic_signature_fn`."""
    classes = _named(predictions, "classes")
    return exporter.classification_signature(_given(examples), classes_tensor=classes), {}


def classification_signature_fn_with_prob(
    examples: Any, unused_features: Any, predictions: Any
) -> Signed:
    """Says how probable classes are: a tensor, or that named "probabilities"."""
    scores = _named(predictions, "probabilities")
    return exporter.classification_signature(_given(examples), scores_tensor=scores), {}


def regression_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signed:
    """Says which number examples have."""
    return exporter.regression_signature(_given(examples), predictions), {}


def logistic_regression_signature_fn(
    examples: Any, unused_features: Any, predictions: Any
) -> Signed:
    """Says how probable the second of two classes is: "probabilities", `[batch_size, 2]`.

    Raises:
      ValueError: There are no examples, or not two probabilities each.
    """
    _given(examples)
    chances = _named(predictions, "probabilities")
    shape = chances.get_shape()
    if shape.rank != 2 or not shape[1:].is_compatible_with([2]):
        raise ValueError(
            "logistic_regression_signature_fn needs probabilities of shape [batch_size, 2], not "
            f"{shape}: use regression_signature_fn or classification_signature_fn_with_prob."
        )
    return exporter.regression_signature(examples, chances[:, 1]), {}


def _given(examples: Any) -> Any:
    if examples is None:
        raise ValueError("examples cannot be None when using this signature fn.")
    return examples


def _named(predictions: Any, name: str) -> Any:
    return predictions[name] if isinstance(predictions, dict) else predictions


def export_estimator(
    estimator: Any,
    export_dir: Any,
    signature_fn: SignatureFn | None = None,
    input_fn: Callable[[Any, Any], Any] | None = None,
    default_batch_size: int | None = 1,
    exports_to_keep: int | None = None,
) -> None:
    """Writes a session bundle of an estimator of tf.contrib.learn; see `Estimator.export`."""
    estimator.export(
        export_dir,
        input_fn=input_fn,
        signature_fn=signature_fn,
        default_batch_size=default_batch_size,
        exports_to_keep=exports_to_keep,
    )


class ExportsBundles:
    """What estimators of tf.contrib.learn are exported as bundles by."""

    model_dir: Any
    _features_info: Any = None
    _labels_info: Any = None
    _prediction_key: ClassVar[str | None] = None
    """Which prediction these signatures tell of; all if None."""

    def export(
        self,
        export_dir: Any,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: SignatureFn | None = None,
        prediction_key: str | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes a session bundle, as models were exported before there were SavedModels.

        Args:
          export_dir: The folder of all exports.
          input_fn: Takes the estimator and serialized Examples `[default_batch_size]` and gives
            features; if None these are read as they were seen in training, or by the columns of an
            estimator that has some. Without `use_deprecated_input_fn` it takes nothing, and gives
            features and labels.
          input_feature_key: Which of these features has serialized Examples.
          use_deprecated_input_fn: Which of both `input_fn` is.
          signature_fn: Takes examples, features and predictions, and gives a signature and others
            by name; by default what the kind of estimator asks for, or a generic one.
          prediction_key: Which prediction it takes; all if None.
          default_batch_size: How many Examples there are; any number if None.
          exports_to_keep: How many of the newest stay; all if None.
          checkpoint_path: A checkpoint; the newest if None.

        Returns:
          The new folder's path, which the global step names.

        Raises:
          RuntimeError: This step has been exported before.
          ValueError: There are neither examples nor features, or no checkpoint, or `input_fn` is
            missing.
        """
        if input_fn is None and not use_deprecated_input_fn:
            raise ValueError("input_fn must be defined.")
        checkpoint = checkpoint_path or latest_checkpoint(self.model_dir)
        if not checkpoint:
            raise ValueError(f"Couldn't find trained model at {self.model_dir}.")
        with Graph().as_default() as graph:
            create_global_step(graph)
            if use_deprecated_input_fn:
                examples = placeholder(
                    dtypes.string, [default_batch_size], name="input_example_tensor"
                )
                features = input_fn(self, examples) if input_fn else self._read_examples(examples)
            else:
                examples, features = _inputs(input_fn, input_feature_key)
            if not features and examples is None:
                raise ValueError("Either features or examples must be defined.")
            predictions = self._predictions(features)
            key = prediction_key or self._prediction_key
            if key is not None:
                predictions = predictions[key]
            sign = signature_fn or self._default_signature_fn()
            return _export(
                export_dir, str(checkpoint), sign(examples, features, predictions), exports_to_keep
            )

    def _default_signature_fn(self) -> SignatureFn:
        """Gives the signatures of exports for which nothing else does."""
        logging.warning(
            "There is no signature_fn: the export gets generic signatures. Give it "
            "export.generic_signature_fn, or a function for classes or numbers."
        )
        return generic_signature_fn

    def _predictions(self, features: Any) -> Any:
        """What the model tells of features."""
        raise NotImplementedError

    def _read_examples(self, examples: Any) -> Any:
        """The features of serialized Examples."""
        if self._features_info is None:
            raise ValueError("Features information missing, was fit() ever called?")
        return create_example_parser_from_signatures(self._features_info, examples)

    def _check_inputs(self, features: Any, labels: Any) -> None:
        """Takes note of types and shapes, and compares later ones with them.

        Raises:
          ValueError: They do not fit.
        """
        self._features_info = _noted("Features", features, self._features_info)
        if labels is not None:
            self._labels_info = _noted("Labels", labels, self._labels_info)


def _noted(kind: str, given: Any, known: Any) -> Any:
    several = given.values() if isinstance(given, dict) else [given]
    if not all(isinstance(each, Tensor | SparseTensor) for each in several):
        return known
    if known is None:
        return create_signatures(given)
    if not tensors_compatible(given, known):
        raise ValueError(
            f"{kind} are incompatible with given information. Given {kind.lower()}: {given}, "
            f"required signatures: {known}."
        )
    return known


def _inputs(input_fn: Any, input_feature_key: str | None) -> tuple[Any, Any]:
    """Serialized Examples, or None, and the other features."""
    features, _ = input_fn()
    if input_feature_key is None:
        return None, features
    features = dict(features)
    if input_feature_key not in features:
        raise ValueError(
            f"input_fn gives no feature {input_feature_key!r}, which input_feature_key asks for; "
            f"it gives {sorted(features)}."
        )
    return features.pop(input_feature_key), features


def _export(export_dir: Any, checkpoint: str, signed: Signed, exports_to_keep: int | None) -> bytes:
    saver = _saver()
    with Session("") as session:
        # TensorFlow makes these, which nothing runs, and names those of the bundle after them.
        local_variables_initializer()
        tables_initializer()
        saver.restore(session, checkpoint)
        export = exporter.Exporter(saver)
        export.init(
            init_op=group(local_variables_initializer(), tables_initializer()),
            default_graph_signature=signed[0],
            named_graph_signatures=signed[1],
            assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
        )
        keep = None if exports_to_keep is None else gc.largest_export_versions(exports_to_keep)
        return export.export(export_dir, get_global_step(), session, exports_to_keep=keep)


def _saver() -> Saver:
    found: list[Saver] = get_collection(GraphKeys.SAVERS)
    if found:
        return found[0]
    made = Saver()
    add_to_collection(GraphKeys.SAVERS, made)
    return made
