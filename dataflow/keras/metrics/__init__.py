"""tf.keras.metrics: what is told of predictions, added up over the batches of an epoch."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras.losses import KLD as KLD
from dataflow.keras.losses import MAE as MAE
from dataflow.keras.losses import MAPE as MAPE
from dataflow.keras.losses import MSE as MSE
from dataflow.keras.losses import MSLE as MSLE
from dataflow.keras.losses import binary_crossentropy as binary_crossentropy
from dataflow.keras.losses import categorical_crossentropy as categorical_crossentropy
from dataflow.keras.losses import categorical_hinge as categorical_hinge
from dataflow.keras.losses import cosine as cosine
from dataflow.keras.losses import cosine_proximity as cosine_proximity
from dataflow.keras.losses import cosine_similarity as cosine_similarity
from dataflow.keras.losses import hinge as hinge
from dataflow.keras.losses import kld as kld
from dataflow.keras.losses import kullback_leibler_divergence as kullback_leibler_divergence
from dataflow.keras.losses import logcosh as logcosh
from dataflow.keras.losses import mae as mae
from dataflow.keras.losses import mape as mape
from dataflow.keras.losses import mean_absolute_error as mean_absolute_error
from dataflow.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from dataflow.keras.losses import mean_squared_error as mean_squared_error
from dataflow.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from dataflow.keras.losses import mse as mse
from dataflow.keras.losses import msle as msle
from dataflow.keras.losses import poisson as poisson
from dataflow.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from dataflow.keras.losses import squared_hinge as squared_hinge
from dataflow.keras.metrics.counts import AUC as AUC
from dataflow.keras.metrics.counts import FalseNegatives as FalseNegatives
from dataflow.keras.metrics.counts import FalsePositives as FalsePositives
from dataflow.keras.metrics.counts import Precision as Precision
from dataflow.keras.metrics.counts import Recall as Recall
from dataflow.keras.metrics.counts import SensitivityAtSpecificity as SensitivityAtSpecificity
from dataflow.keras.metrics.counts import SpecificityAtSensitivity as SpecificityAtSensitivity
from dataflow.keras.metrics.counts import TrueNegatives as TrueNegatives
from dataflow.keras.metrics.counts import TruePositives as TruePositives
from dataflow.keras.metrics.functions import accuracy as accuracy
from dataflow.keras.metrics.functions import binary_accuracy as binary_accuracy
from dataflow.keras.metrics.functions import categorical_accuracy as categorical_accuracy
from dataflow.keras.metrics.functions import (
    sparse_categorical_accuracy as sparse_categorical_accuracy,
)
from dataflow.keras.metrics.functions import (
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
)
from dataflow.keras.metrics.functions import (
    top_k_categorical_accuracy as top_k_categorical_accuracy,
)
from dataflow.keras.metrics.means import Mean as Mean
from dataflow.keras.metrics.means import MeanIoU as MeanIoU
from dataflow.keras.metrics.means import MeanMetricWrapper as MeanMetricWrapper
from dataflow.keras.metrics.means import MeanRelativeError as MeanRelativeError
from dataflow.keras.metrics.means import MeanTensor as MeanTensor
from dataflow.keras.metrics.means import Metric as Metric
from dataflow.keras.metrics.means import RootMeanSquaredError as RootMeanSquaredError
from dataflow.keras.metrics.means import Sum as Sum
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object

acc = ACC = accuracy


def _mean_class(name: str, fn: Any, label: str, **defaults: Any) -> Any:
    """A class whose objects are means of one function of what is true and what is predicted."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    k_first = {"k": defaults.pop("k")} if "k" in defaults else {}
    named = {**k_first, "name": label, "dtype": None, **defaults}
    own = [*k_first, *defaults]
    parameters = [inspect.Parameter(key, kind, default=named[key]) for key in named]
    signature = inspect.Signature([inspect.Parameter("self", kind), *parameters])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        MeanMetricWrapper.__init__(
            self, fn, given["name"], given["dtype"], **{key: given[key] for key in own}
        )

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    members = {
        "__init__": __init__,
        "__doc__": f"The mean of `{fn.__name__}`.",
        "__module__": __name__,
    }
    return type(name, (MeanMetricWrapper,), members)


Accuracy = _mean_class("Accuracy", accuracy, "accuracy")
BinaryAccuracy = _mean_class("BinaryAccuracy", binary_accuracy, "binary_accuracy", threshold=0.5)
CategoricalAccuracy = _mean_class(
    "CategoricalAccuracy", categorical_accuracy, "categorical_accuracy"
)
SparseCategoricalAccuracy = _mean_class(
    "SparseCategoricalAccuracy", sparse_categorical_accuracy, "sparse_categorical_accuracy"
)
TopKCategoricalAccuracy = _mean_class(
    "TopKCategoricalAccuracy", top_k_categorical_accuracy, "top_k_categorical_accuracy", k=5
)
SparseTopKCategoricalAccuracy = _mean_class(
    "SparseTopKCategoricalAccuracy",
    sparse_top_k_categorical_accuracy,
    "sparse_top_k_categorical_accuracy",
    k=5,
)
CosineSimilarity = _mean_class("CosineSimilarity", cosine_similarity, "cosine_similarity", axis=-1)
MeanAbsoluteError = _mean_class("MeanAbsoluteError", mae, "mean_absolute_error")
MeanAbsolutePercentageError = _mean_class(
    "MeanAbsolutePercentageError", mape, "mean_absolute_percentage_error"
)
MeanSquaredError = _mean_class("MeanSquaredError", mse, "mean_squared_error")
MeanSquaredLogarithmicError = _mean_class(
    "MeanSquaredLogarithmicError", msle, "mean_squared_logarithmic_error"
)
Hinge = _mean_class("Hinge", hinge, "hinge")
SquaredHinge = _mean_class("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _mean_class("CategoricalHinge", categorical_hinge, "categorical_hinge")
LogCoshError = _mean_class("LogCoshError", logcosh, "logcosh")
Poisson = _mean_class("Poisson", poisson, "poisson")
KLDivergence = _mean_class("KLDivergence", kld, "kullback_leibler_divergence")
BinaryCrossentropy = _mean_class(
    "BinaryCrossentropy",
    binary_crossentropy,
    "binary_crossentropy",
    from_logits=False,
    label_smoothing=0,
)
CategoricalCrossentropy = _mean_class(
    "CategoricalCrossentropy",
    categorical_crossentropy,
    "categorical_crossentropy",
    from_logits=False,
    label_smoothing=0,
)
SparseCategoricalCrossentropy = _mean_class(
    "SparseCategoricalCrossentropy",
    sparse_categorical_crossentropy,
    "sparse_categorical_crossentropy",
    from_logits=False,
    axis=-1,
)


def clone_metric(metric: Any) -> Any:
    """A metric of the same configuration; a function as it is."""
    return type(metric).from_config(metric.get_config()) if isinstance(metric, Metric) else metric


def serialize(metric: Any) -> Any:
    """The name of a function, or the class and configuration of an object."""
    return serialize_keras_object(metric)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The metric of a name or configuration."""
    return deserialize_keras_object(config, globals(), custom_objects, "metric function")


def get(identifier: Any) -> Any:
    """A metric as it is, or of its name or configuration.

    Raises:
      ValueError: There is none of this name.
    """
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric function identifier: {identifier}")
