"""Names of tensorflow.python.estimator that tf.estimator does not have."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Final

from dataflow.contrib.estimator.heads import regression_head
from dataflow.contrib.tpu.spec import TPUEstimatorSpec
from dataflow.errors import OpError
from dataflow.estimation.canned.logits import dnn_logit_fn_builder as dnn_logit_fn_builder
from dataflow.estimation.canned.logits import linear_logit_fn_builder as linear_logit_fn_builder
from dataflow.estimation.canned.logits import share_of_zeros
from dataflow.estimation.canned.nets import dnn_model_fn
from dataflow.estimation.canned.optimizers import get_optimizer_instance as get_optimizer_instance
from dataflow.estimation.canned.optimizers import (
    get_optimizer_instance_v2 as get_optimizer_instance_v2,
)
from dataflow.estimation.checks import checked_hooks, checked_listeners
from dataflow.estimation.cluster_environment import TaskType as TaskType
from dataflow.estimation.estimator import _get_replica_device_setter as _get_replica_device_setter
from dataflow.estimation.export_outputs import SupervisedOutput
from dataflow.estimation.exporters import loss_smaller
from dataflow.estimation.feeding import FeedingQueueRunner
from dataflow.estimation.functions import check_model_fn
from dataflow.estimation.heads.base import Head
from dataflow.estimation.heads.base import LossSpec as LossSpec
from dataflow.estimation.heads.classes import BinaryClassHead, MultiClassHead
from dataflow.estimation.heads.measures import MetricKeys as MetricKeys
from dataflow.estimation.heads.measures import PredictionKeys as PredictionKeys
from dataflow.estimation.metric_values import LOSS as LOSS_METRIC_KEY
from dataflow.estimation.model_spec import ModeKeys as EstimatorModeKeys
from dataflow.estimation.trees.heads import create_classification_head, create_regression_head
from dataflow.estimation.trees.model import bt_model_fn
from dataflow.estimation.trees.options import TreeHParams
from dataflow.library.losses.weighted import Reduction
from dataflow.library.public_modules import public_module
from dataflow.saving.reading import CheckpointReader
from dataflow.saving.state import latest_checkpoint

AVERAGE_LOSS_METRIC_KEY: Final = MetricKeys.LOSS_MEAN

__all__ = ["AVERAGE_LOSS_METRIC_KEY", "LOSS_METRIC_KEY", "EstimatorModeKeys"]

_TRAINED_BY_KERAS: Final = frozenset(
    {
        "dnn_logit_fn_builder_v2",
        "dnn_model_fn_v2",
        *(
            f"{model}{kind}V2"
            for model in ("Baseline", "DNN", "DNNLinearCombined", "Linear")
            for kind in ("Classifier", "Estimator", "Regressor")
        ),
    }
)
"""Names that load tf.keras, so that it loads when one is asked for."""


_IMPORTED: Final = {
    "checkpoint_management": "training.checkpoint_management",
    "model_fn_lib": "estimator.model_fn",
    "monitored_session": "training.monitored_session",
    "ops": "framework.ops",
    "random_seed": "framework.random_seed",
    "saver": "training.saver",
    "training": "training.training",
    "training_util": "training.training_util",
}
"""Modules that TensorFlow's estimators import, by the names that programs take them by."""


def __getattr__(name: str) -> Any:
    if name in _TRAINED_BY_KERAS:
        return getattr(public_module("keras.canned"), name)
    if name in _IMPORTED:
        return importlib.import_module(f"tensorflow.python.{_IMPORTED[name]}")
    if name == "six":
        return importlib.import_module(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_Head = Head
_FeedingQueueRunner = FeedingQueueRunner
_loss_smaller = loss_smaller
_SupervisedOutput = SupervisedOutput
_compute_fraction_of_zero = share_of_zeros
_dnn_model_fn = dnn_model_fn
linear_logit_fn_builder_v2 = linear_logit_fn_builder
_TPUEstimatorSpec = TPUEstimatorSpec
_check_hooks_type = checked_hooks
_check_listeners_type = checked_listeners
_verify_model_fn_args = check_model_fn
_binary_logistic_head_with_sigmoid_cross_entropy_loss = partial(
    BinaryClassHead, loss_reduction=Reduction.SUM
)
_multi_class_head_with_softmax_cross_entropy_loss = partial(
    MultiClassHead, loss_reduction=Reduction.SUM
)
_regression_head = partial(regression_head, loss_reduction=Reduction.SUM)
_TreeHParams = TreeHParams
_bt_model_fn = bt_model_fn
_create_classification_head = create_classification_head
_create_regression_head = create_regression_head


def _load_global_step_from_checkpoint_dir(checkpoint_dir: Any) -> int:
    """The global step that the latest checkpoint of a folder has; 0 where there is none."""
    try:
        return int(
            CheckpointReader(str(latest_checkpoint(checkpoint_dir))).get_tensor("global_step")
        )
    except (TypeError, OpError):
        return 0
