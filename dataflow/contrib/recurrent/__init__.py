"""tf.contrib.recurrent: recurrent nets of pure functions."""

from dataflow.contrib.recurrent.cells import (
    bidirectional_functional_rnn as bidirectional_functional_rnn,
)
from dataflow.contrib.recurrent.cells import functional_rnn as functional_rnn
from dataflow.contrib.recurrent.steps import Recurrent as Recurrent
