"""tf.contrib.learn.ops: embeddings, losses and decoders by their oldest names."""

from dataflow.contrib.learn.ops.embeddings_ops import categorical_variable as categorical_variable
from dataflow.contrib.learn.ops.embeddings_ops import embedding_lookup as embedding_lookup
from dataflow.contrib.learn.ops.losses_ops import (
    mean_squared_error_regressor as mean_squared_error_regressor,
)
from dataflow.contrib.learn.ops.losses_ops import softmax_classifier as softmax_classifier
from dataflow.contrib.learn.ops.seq2seq_ops import rnn_decoder as rnn_decoder
from dataflow.contrib.learn.ops.seq2seq_ops import rnn_seq2seq as rnn_seq2seq
from dataflow.contrib.learn.ops.seq2seq_ops import seq2seq_inputs as seq2seq_inputs
from dataflow.contrib.learn.ops.seq2seq_ops import sequence_classifier as sequence_classifier
