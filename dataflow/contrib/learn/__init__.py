"""tf.contrib.learn: estimators by their older names."""

import typing as _typing

import dataflow.contrib.learn.interfaces as _interfaces
import dataflow.contrib.learn.learn_io as _learn_io
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
from dataflow.contrib.learn.canned import DNNEstimator as DNNEstimator
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
from dataflow.contrib.learn.canned import LinearEstimator as LinearEstimator
from dataflow.contrib.learn.canned import (
    LinearRegressor as LinearRegressor,
)
from dataflow.contrib.learn.clustering import KMeansClustering as KMeansClustering
from dataflow.contrib.learn.configuration import RunConfig as RunConfig
from dataflow.contrib.learn.estimator import Estimator as Estimator
from dataflow.contrib.learn.experiment import Experiment as Experiment
from dataflow.contrib.learn.graph_actions.evaluation import evaluate as evaluate
from dataflow.contrib.learn.graph_actions.feeding import infer as infer
from dataflow.contrib.learn.graph_actions.feeding import run_feeds as run_feeds
from dataflow.contrib.learn.graph_actions.feeding import run_n as run_n
from dataflow.contrib.learn.graph_actions.training import train as train
from dataflow.contrib.learn.heads.base import Head as Head
from dataflow.contrib.learn.heads.classes import binary_svm_head as binary_svm_head
from dataflow.contrib.learn.heads.classes import multi_class_head as multi_class_head
from dataflow.contrib.learn.heads.classes import multi_label_head as multi_label_head
from dataflow.contrib.learn.heads.keys import PredictionKey as PredictionKey
from dataflow.contrib.learn.heads.numbers import poisson_regression_head as poisson_regression_head
from dataflow.contrib.learn.heads.numbers import regression_head as regression_head
from dataflow.contrib.learn.heads.several import loss_only_head as loss_only_head
from dataflow.contrib.learn.heads.several import multi_head as multi_head
from dataflow.contrib.learn.heads.several import no_op_train_fn as no_op_train_fn
from dataflow.contrib.learn.interfaces import Evaluable as Evaluable
from dataflow.contrib.learn.interfaces import NotFittedError as NotFittedError
from dataflow.contrib.learn.interfaces import Trainable as Trainable
from dataflow.contrib.learn.learn_io.dask_io import extract_dask_data as extract_dask_data
from dataflow.contrib.learn.learn_io.dask_io import extract_dask_labels as extract_dask_labels
from dataflow.contrib.learn.learn_io.graph_io import read_batch_examples as read_batch_examples
from dataflow.contrib.learn.learn_io.graph_io import read_batch_features as read_batch_features
from dataflow.contrib.learn.learn_io.graph_io import (
    read_batch_record_features as read_batch_record_features,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_examples as read_keyed_batch_examples,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_examples_shared_queue as read_keyed_batch_examples_shared_queue,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_features as read_keyed_batch_features,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_features_shared_queue as read_keyed_batch_features_shared_queue,
)
from dataflow.contrib.learn.learn_io.pandas_io import extract_pandas_data as extract_pandas_data
from dataflow.contrib.learn.learn_io.pandas_io import extract_pandas_labels as extract_pandas_labels
from dataflow.contrib.learn.learn_io.pandas_io import extract_pandas_matrix as extract_pandas_matrix
from dataflow.contrib.learn.logistic_regressor import LogisticRegressor as LogisticRegressor
from dataflow.contrib.learn.model_fn import MetricSpec as MetricSpec
from dataflow.contrib.learn.model_fn import ModeKeys as ModeKeys
from dataflow.contrib.learn.model_fn import ModelFnOps as ModelFnOps
from dataflow.contrib.learn.monitors.values import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from dataflow.contrib.learn.recurrent.estimator import DynamicRnnEstimator as DynamicRnnEstimator
from dataflow.contrib.learn.svm import SVM as SVM
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

BaseEstimator = _interfaces.WithParameters
io = _learn_io

if _typing.TYPE_CHECKING:
    from dataflow.contrib.learn import datasets as datasets
    from dataflow.contrib.learn import graph_actions as graph_actions
    from dataflow.contrib.learn import learn_runner as learn_runner
    from dataflow.contrib.learn import models as models
    from dataflow.contrib.learn import monitors as monitors
    from dataflow.contrib.learn import ops as ops
    from dataflow.contrib.learn import preprocessing as preprocessing
    from dataflow.contrib.learn import utils as utils
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__,
        hidden=(
            "alternatives",
            "arrays",
            "canned",
            "clustering",
            "configuration",
            "dual_ascent",
            "estimator",
            "experiment",
            "heads",
            "interfaces",
            "logistic_regressor",
            "model_fn",
            "monitor_hooks",
            "predicting",
            "recurrent",
            "svm",
            "tensor_signature",
            "vocabulary",
        ),
    )
