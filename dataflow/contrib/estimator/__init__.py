"""tf.contrib.estimator: heads, and what tf.estimator has later."""

import dataflow.estimation.heads.classes as _classes
import dataflow.estimation.heads.labels as _labels
import dataflow.estimation.heads.numbers as _numbers
import dataflow.estimation.heads.several as _several
import dataflow.estimation.summaries as _summaries
from dataflow.contrib.estimator.exports import export_all_saved_models as export_all_saved_models
from dataflow.contrib.estimator.exports import (
    export_saved_model_for_mode as export_saved_model_for_mode,
)
from dataflow.contrib.estimator.heads import call_logit_fn as call_logit_fn
from dataflow.contrib.estimator.heads import clip_gradients_by_norm as clip_gradients_by_norm
from dataflow.contrib.estimator.heads import poisson_regression_head as poisson_regression_head
from dataflow.contrib.estimator.heads import regression_head as regression_head
from dataflow.contrib.estimator.recurrent import RNNClassifier as RNNClassifier
from dataflow.contrib.estimator.recurrent import RNNEstimator as RNNEstimator
from dataflow.contrib.estimator.replicas import TowerOptimizer as TowerOptimizer
from dataflow.contrib.estimator.replicas import replicate_model_fn as replicate_model_fn
from dataflow.contrib.estimator.trees import (
    boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory,
)
from dataflow.contrib.estimator.trees import (
    boosted_trees_regressor_train_in_memory as boosted_trees_regressor_train_in_memory,
)
from dataflow.estimation.canned.logits import dnn_logit_fn_builder as dnn_logit_fn_builder
from dataflow.estimation.canned.logits import linear_logit_fn_builder as linear_logit_fn_builder
from dataflow.estimation.canned.saved_model import SavedModelEstimator as SavedModelEstimator
from dataflow.estimation.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from dataflow.estimation.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from dataflow.estimation.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from dataflow.estimation.early_stopping import (
    stop_if_no_decrease_hook as stop_if_no_decrease_hook,
)
from dataflow.estimation.early_stopping import (
    stop_if_no_increase_hook as stop_if_no_increase_hook,
)
from dataflow.estimation.extending import add_metrics as add_metrics
from dataflow.estimation.extending import forward_features as forward_features
from dataflow.estimation.in_memory_evaluator import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from dataflow.estimation.receivers import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
)
from dataflow.estimation.receivers import (
    build_supervised_input_receiver_fn_from_input_fn as build_supervised_input_receiver_fn_from_input_fn,  # noqa: E501
)
from dataflow.estimation.stop_at_checkpoint import (
    make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook,
)

binary_classification_head = _classes.BinaryClassHead
multi_class_head = _classes.MultiClassHead
multi_label_head = _labels.MultiLabelHead
logistic_regression_head = _numbers.LogisticRegressionHead
multi_head = _several.MultiHead
read_eval_metrics = _summaries.read_results
