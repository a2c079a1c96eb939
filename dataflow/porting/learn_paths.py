"""The paths of tf.contrib.learn: where their names are below this library's `contrib`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LEARN_PATHS: Final[Mapping[str, tuple[str, ...]]] = {
    "learn": (),
    "learn.python": (),
    "learn.python.learn": ("learn",),
    "learn.python.learn.export_strategy": ("learn",),
    "learn.python.learn.utils": ("learn.utils",),
    **dict.fromkeys(
        ("learn.python.learn.utils.export", "learn.utils.export"), ("learn.bundle_exports",)
    ),
    "learn.python.learn.utils.input_fn_utils": ("learn.utils.input_fn_utils",),
    "learn.python.learn.datasets": ("learn.datasets",),
    "learn.python.learn.datasets.base": ("learn.datasets.base",),
    "learn.python.learn.datasets.mnist": ("learn.datasets.mnist",),
    "learn.python.learn.datasets.synthetic": ("learn.datasets.synthetic",),
    "learn.python.learn.datasets.text_datasets": ("learn.datasets.text_datasets",),
    "learn.utils": ("learn.utils",),
    **dict.fromkeys(("learn.python.learn.utils.gc", "learn.utils.gc"), ("session_bundle.gc",)),
    "learn.utils.input_fn_utils": ("learn.utils.input_fn_utils",),
    **dict.fromkeys(
        (
            "learn.python.learn.utils.saved_model_export_utils",
            "learn.utils.saved_model_export_utils",
        ),
        (
            "learn.utils.saved_model_export_utils",
            "learn.utils.best_models",
            "learn.utils.kept_exports",
            "learn.utils.signatures",
            "dataflow.estimation.export_signatures",
        ),
    ),
    **dict.fromkeys(("learn.python.learn.estimators", "learn.estimators"), ("learn",)),
    "learn.python.learn.estimators.estimator": ("learn",),
    "learn.python.learn.estimators.model_fn": ("learn",),
    **dict.fromkeys(
        ("learn.python.learn.estimators.run_config", "learn.python.learn.run_config"),
        ("learn", "learn.configuration"),
    ),
    **dict.fromkeys(
        (
            "learn.python.learn.estimators.dnn",
            "learn.python.learn.estimators.dnn_linear_combined",
            "learn.python.learn.estimators.linear",
            "learn.python.learn.estimators.logistic_regressor",
        ),
        ("learn",),
    ),
    "learn.python.learn.estimators.composable_model": ("learn.composable_model",),
    "learn.python.learn.estimators.constants": ("layers.targets",),
    "learn.python.learn.estimators.head": (
        "learn.heads.base",
        "learn.heads.classes",
        "learn.heads.numbers",
        "learn.heads.several",
        "dataflow.porting.older.heads",
    ),
    "learn.python.learn.estimators.kmeans": ("learn",),
    "learn.python.learn.estimators.metric_key": ("learn.heads.keys",),
    "learn.python.learn.estimators.prediction_key": ("learn.heads.keys",),
    "learn.python.learn.estimators.dynamic_rnn_estimator": (
        "learn",
        "learn.recurrent",
        "learn.recurrent.inputs",
    ),
    "learn.python.learn.estimators.rnn_common": ("learn.recurrent",),
    "learn.python.learn.estimators.svm": ("learn",),
    **dict.fromkeys(
        ("learn.python.learn.estimators.tensor_signature", "learn.estimators.tensor_signature"),
        ("learn.tensor_signature",),
    ),
    "learn.python.learn.evaluable": ("learn.interfaces",),
    "learn.python.learn.trainable": ("learn.interfaces",),
    "learn.python.learn.graph_actions": ("learn.graph_actions",),
    "learn.python.learn.learn_io": ("learn.learn_io",),
    "learn.python.learn.learn_io.data_feeder": ("learn.learn_io.data_feeder",),
    "learn.python.learn.learn_io.generator_io": ("learn.learn_io",),
    "learn.python.learn.learn_io.graph_io": ("learn.learn_io", "learn.learn_io.graph_io"),
    "learn.python.learn.learn_io.numpy_io": ("learn.learn_io",),
    "learn.python.learn.learn_io.pandas_io": ("learn.learn_io",),
    "learn.python.learn.learn_runner": ("learn.learn_runner",),
    "learn.python.learn.metric_spec": ("learn",),
    "learn.python.learn.models": ("learn.models",),
    "learn.python.learn.ops": ("learn.ops",),
    "learn.python.learn.ops.embeddings_ops": ("learn.ops.embeddings_ops",),
    "learn.python.learn.ops.losses_ops": ("learn.ops.losses_ops",),
    "learn.python.learn.ops.seq2seq_ops": ("learn.ops.seq2seq_ops",),
    **dict.fromkeys(
        (
            "learn.python.learn.basic_session_run_hooks",
            "learn.python.learn.monitored_session",
            "learn.python.learn.session_run_hook",
        ),
        ("dataflow.train",),
    ),
    "learn.python.learn.summary_writer_cache": ("dataflow.porting.spellings.events",),
    "learn.python.learn.monitors": ("learn.monitors",),
    "learn.python.learn.preprocessing": ("learn.preprocessing",),
    "learn.python.learn.preprocessing.categorical": ("learn.preprocessing",),
    "learn.python.learn.preprocessing.categorical_vocabulary": ("learn.preprocessing",),
    "learn.python.learn.preprocessing.text": ("learn.preprocessing",),
}
"""Path below `tensorflow.contrib` -> the modules below ours that have its names."""
