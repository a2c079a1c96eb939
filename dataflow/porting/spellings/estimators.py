"""Names of tensorflow.python.estimator that tf.estimator does not have."""

from typing import Final

from dataflow.estimation.cluster_environment import TaskType as TaskType
from dataflow.estimation.metric_values import LOSS as LOSS_METRIC_KEY

AVERAGE_LOSS_METRIC_KEY: Final = "average_loss"

__all__ = ["AVERAGE_LOSS_METRIC_KEY", "LOSS_METRIC_KEY", "TaskType"]


class MetricKeys:
    """The names of metrics of the estimators that TensorFlow comes with."""

    LOSS: Final = "loss"
    LOSS_MEAN: Final = "average_loss"
    ACCURACY: Final = "accuracy"
    PRECISION: Final = "precision"
    RECALL: Final = "recall"
    AUC: Final = "auc"
