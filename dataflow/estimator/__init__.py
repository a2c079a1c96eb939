"""tf.estimator: models trained, evaluated, asked and exported by way of a model function."""

import typing as _typing

import dataflow.values.submodules as _submodules
from dataflow.estimation.canned.baseline import BaselineClassifier as BaselineClassifier
from dataflow.estimation.canned.baseline import BaselineEstimator as BaselineEstimator
from dataflow.estimation.canned.baseline import BaselineRegressor as BaselineRegressor
from dataflow.estimation.canned.combined import (
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
)
from dataflow.estimation.canned.combined import (
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
)
from dataflow.estimation.canned.combined import (
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
)
from dataflow.estimation.canned.examples import (
    classifier_parse_example_spec as classifier_parse_example_spec,
)
from dataflow.estimation.canned.examples import (
    regressor_parse_example_spec as regressor_parse_example_spec,
)
from dataflow.estimation.canned.linear import LinearClassifier as LinearClassifier
from dataflow.estimation.canned.linear import LinearEstimator as LinearEstimator
from dataflow.estimation.canned.linear import LinearRegressor as LinearRegressor
from dataflow.estimation.canned.nets import DNNClassifier as DNNClassifier
from dataflow.estimation.canned.nets import DNNEstimator as DNNEstimator
from dataflow.estimation.canned.nets import DNNRegressor as DNNRegressor
from dataflow.estimation.estimator import Estimator as Estimator
from dataflow.estimation.exporters import BestExporter as BestExporter
from dataflow.estimation.exporters import Exporter as Exporter
from dataflow.estimation.exporters import FinalExporter as FinalExporter
from dataflow.estimation.exporters import LatestExporter as LatestExporter
from dataflow.estimation.extending import add_metrics as add_metrics
from dataflow.estimation.model_spec import EstimatorSpec as EstimatorSpec
from dataflow.estimation.model_spec import ModeKeys as ModeKeys
from dataflow.estimation.run_config import RunConfig as RunConfig
from dataflow.estimation.train_and_evaluate import train_and_evaluate as train_and_evaluate
from dataflow.estimation.train_specs import EvalSpec as EvalSpec
from dataflow.estimation.train_specs import TrainSpec as TrainSpec
from dataflow.estimation.trees.estimators import BoostedTreesClassifier as BoostedTreesClassifier
from dataflow.estimation.trees.estimators import BoostedTreesEstimator as BoostedTreesEstimator
from dataflow.estimation.trees.estimators import BoostedTreesRegressor as BoostedTreesRegressor
from dataflow.estimation.warm_starting import WarmStartSettings as WarmStartSettings
from dataflow.saving.vocabularies import VocabInfo as VocabInfo
from dataflow.training.hooks.checkpoint_saver import CheckpointSaverHook as CheckpointSaverHook
from dataflow.training.hooks.checkpoint_saver import (
    CheckpointSaverListener as CheckpointSaverListener,
)
from dataflow.training.hooks.feeding import FeedFnHook as FeedFnHook
from dataflow.training.hooks.feeding import FinalOpsHook as FinalOpsHook
from dataflow.training.hooks.logging_tensor import LoggingTensorHook as LoggingTensorHook
from dataflow.training.hooks.logging_tensor import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from dataflow.training.hooks.logging_tensor import NanTensorHook as NanTensorHook
from dataflow.training.hooks.profiler import ProfilerHook as ProfilerHook
from dataflow.training.hooks.session_run_hook import SessionRunArgs as SessionRunArgs
from dataflow.training.hooks.session_run_hook import SessionRunContext as SessionRunContext
from dataflow.training.hooks.session_run_hook import SessionRunHook as SessionRunHook
from dataflow.training.hooks.session_run_hook import SessionRunValues as SessionRunValues
from dataflow.training.hooks.step_counter import StepCounterHook as StepCounterHook
from dataflow.training.hooks.stop_at_step import GlobalStepWaiterHook as GlobalStepWaiterHook
from dataflow.training.hooks.stop_at_step import StopAtStepHook as StopAtStepHook
from dataflow.training.hooks.summary_saver import SummarySaverHook as SummarySaverHook
from dataflow.training.hooks.timers import SecondOrStepTimer as SecondOrStepTimer

if _typing.TYPE_CHECKING:
    from dataflow.estimator import experimental as experimental
    from dataflow.estimator import export as export
    from dataflow.estimator import inputs as inputs
    from dataflow.estimator import tpu as tpu
    from dataflow.keras.heads.base import Head as Head
    from dataflow.keras.heads.classes import BinaryClassHead as BinaryClassHead
    from dataflow.keras.heads.classes import MultiClassHead as MultiClassHead
    from dataflow.keras.heads.classes import MultiLabelHead as MultiLabelHead
    from dataflow.keras.heads.numbers import LogisticRegressionHead as LogisticRegressionHead
    from dataflow.keras.heads.numbers import PoissonRegressionHead as PoissonRegressionHead
    from dataflow.keras.heads.numbers import RegressionHead as RegressionHead
    from dataflow.keras.heads.several import MultiHead as MultiHead
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__,
        hidden=(),
        elsewhere={
            "BinaryClassHead": "dataflow.keras.heads.classes",
            "Head": "dataflow.keras.heads.base",
            "LogisticRegressionHead": "dataflow.keras.heads.numbers",
            "MultiClassHead": "dataflow.keras.heads.classes",
            "MultiHead": "dataflow.keras.heads.several",
            "MultiLabelHead": "dataflow.keras.heads.classes",
            "PoissonRegressionHead": "dataflow.keras.heads.numbers",
            "RegressionHead": "dataflow.keras.heads.numbers",
        },
    )
