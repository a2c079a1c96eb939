"""What estimators of sequences share, as TensorFlow has it in its module rnn_common."""

from dataflow.contrib.learn.recurrent.cells import PredictionType as PredictionType
from dataflow.contrib.learn.recurrent.cells import RNNKeys as RNNKeys
from dataflow.contrib.learn.recurrent.cells import apply_dropout as apply_dropout
from dataflow.contrib.learn.recurrent.cells import construct_rnn_cell as construct_rnn_cell
from dataflow.contrib.learn.recurrent.steps import (
    mask_activations_and_labels as mask_activations_and_labels,
)
from dataflow.contrib.learn.recurrent.steps import (
    multi_value_predictions as multi_value_predictions,
)
from dataflow.contrib.learn.recurrent.steps import (
    select_last_activations as select_last_activations,
)
