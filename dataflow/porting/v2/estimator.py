"""tf.compat.v2.estimator where it is not tf.estimator: optimizers of tf.keras train its models."""

from dataflow.keras.canned import BaselineClassifierV2 as BaselineClassifier
from dataflow.keras.canned import BaselineEstimatorV2 as BaselineEstimator
from dataflow.keras.canned import BaselineRegressorV2 as BaselineRegressor
from dataflow.keras.canned import DNNClassifierV2 as DNNClassifier
from dataflow.keras.canned import DNNEstimatorV2 as DNNEstimator
from dataflow.keras.canned import (
    DNNLinearCombinedClassifierV2 as DNNLinearCombinedClassifier,
)
from dataflow.keras.canned import (
    DNNLinearCombinedEstimatorV2 as DNNLinearCombinedEstimator,
)
from dataflow.keras.canned import (
    DNNLinearCombinedRegressorV2 as DNNLinearCombinedRegressor,
)
from dataflow.keras.canned import DNNRegressorV2 as DNNRegressor
from dataflow.keras.canned import LinearClassifierV2 as LinearClassifier
from dataflow.keras.canned import LinearEstimatorV2 as LinearEstimator
from dataflow.keras.canned import LinearRegressorV2 as LinearRegressor

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
]
