"""tf.contrib.learn: estimators by their older names."""

import typing as _typing

import dataflow.values.submodules as _submodules
from dataflow.contrib.layers.targets import ProblemType as ProblemType
from dataflow.contrib.learn.arrays import (
    SKCompat as SKCompat,
)
from dataflow.contrib.learn.arrays import (
    infer_real_valued_columns_from_input as infer_real_valued_columns_from_input,
)
from dataflow.contrib.learn.arrays import (
    infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn,
)
from dataflow.contrib.learn.canned import (
    DNNClassifier as DNNClassifier,
)
from dataflow.contrib.learn.canned import (
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
)
from dataflow.contrib.learn.canned import (
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
)
from dataflow.contrib.learn.canned import (
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
)
from dataflow.contrib.learn.canned import (
    DNNRegressor as DNNRegressor,
)
from dataflow.contrib.learn.canned import (
    LinearClassifier as LinearClassifier,
)
from dataflow.contrib.learn.canned import (
    LinearRegressor as LinearRegressor,
)
from dataflow.contrib.learn.configuration import RunConfig as RunConfig
from dataflow.contrib.learn.estimator import Estimator as Estimator
from dataflow.contrib.learn.experiment import Experiment as Experiment
from dataflow.contrib.learn.model_fn import MetricSpec as MetricSpec
from dataflow.contrib.learn.model_fn import ModeKeys as ModeKeys
from dataflow.contrib.learn.model_fn import ModelFnOps as ModelFnOps
from dataflow.contrib.learn.monitors.values import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from dataflow.contrib.learn.utils.input_fn_utils import (
    InputFnOps as InputFnOps,
)
from dataflow.contrib.learn.utils.input_fn_utils import (
    build_parsing_serving_input_fn as build_parsing_serving_input_fn,
)
from dataflow.contrib.learn.utils.saved_model_export_utils import (
    ExportStrategy as ExportStrategy,
)
from dataflow.contrib.learn.utils.saved_model_export_utils import (
    make_export_strategy as make_export_strategy,
)
from dataflow.estimation.cluster_environment import TaskType as TaskType
from dataflow.training.global_step import get_global_step as get_global_step

if _typing.TYPE_CHECKING:
    from dataflow.contrib.learn import datasets as datasets
    from dataflow.contrib.learn import learn_runner as learn_runner
    from dataflow.contrib.learn import monitors as monitors
    from dataflow.contrib.learn import preprocessing as preprocessing
    from dataflow.contrib.learn import utils as utils
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__,
        hidden=(
            "arrays",
            "canned",
            "configuration",
            "estimator",
            "experiment",
            "model_fn",
            "monitor_hooks",
            "vocabulary",
        ),
    )
