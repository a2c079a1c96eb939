"""tf.contrib.timeseries: models of series of numbers."""

from dataflow.contrib.timeseries import exported_models as _exported_models
from dataflow.contrib.timeseries.ar_model import ARModel as ARModel
from dataflow.contrib.timeseries.estimators import ARRegressor as ARRegressor
from dataflow.contrib.timeseries.estimators import (
    StructuralEnsembleRegressor as StructuralEnsembleRegressor,
)
from dataflow.contrib.timeseries.estimators import TimeSeriesRegressor as TimeSeriesRegressor
from dataflow.contrib.timeseries.feature_keys import FilteringResults as FilteringResults
from dataflow.contrib.timeseries.feature_keys import TrainEvalFeatures as TrainEvalFeatures
from dataflow.contrib.timeseries.head import OneShotPredictionHead as OneShotPredictionHead
from dataflow.contrib.timeseries.readers import CSVReader as CSVReader
from dataflow.contrib.timeseries.readers import NumpyReader as NumpyReader
from dataflow.contrib.timeseries.windows import RandomWindowInputFn as RandomWindowInputFn
from dataflow.contrib.timeseries.windows import WholeDatasetInputFn as WholeDatasetInputFn
from dataflow.contrib.timeseries.windows import (
    predict_continuation_input_fn as predict_continuation_input_fn,
)

saved_model_utils = _exported_models
