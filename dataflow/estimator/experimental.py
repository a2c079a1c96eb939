"""tf.estimator.experimental: k-means, exported models, hooks that end or evaluate training."""

import dataflow.contrib.factorization.kmeans as _kmeans
from dataflow.contrib.estimator.heads import call_logit_fn as call_logit_fn
from dataflow.contrib.linear_optimizer.linear_sdca import LinearSDCA as LinearSDCA
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
from dataflow.estimation.in_memory_evaluator import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from dataflow.estimation.receivers import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
)
from dataflow.estimation.stop_at_checkpoint import (
    make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook,
)

KMeans = _kmeans.KMeansClustering
