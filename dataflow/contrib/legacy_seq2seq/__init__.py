"""tf.contrib.legacy_seq2seq: encoders and decoders over lists of inputs."""

from dataflow.contrib.legacy_seq2seq.attention import attention_decoder as attention_decoder
from dataflow.contrib.legacy_seq2seq.attention import (
    embedding_attention_decoder as embedding_attention_decoder,
)
from dataflow.contrib.legacy_seq2seq.attention import (
    embedding_attention_seq2seq as embedding_attention_seq2seq,
)
from dataflow.contrib.legacy_seq2seq.decoding import basic_rnn_seq2seq as basic_rnn_seq2seq
from dataflow.contrib.legacy_seq2seq.decoding import rnn_decoder as rnn_decoder
from dataflow.contrib.legacy_seq2seq.decoding import tied_rnn_seq2seq as tied_rnn_seq2seq
from dataflow.contrib.legacy_seq2seq.embedding import embedding_rnn_decoder as embedding_rnn_decoder
from dataflow.contrib.legacy_seq2seq.embedding import embedding_rnn_seq2seq as embedding_rnn_seq2seq
from dataflow.contrib.legacy_seq2seq.embedding import (
    embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq,
)
from dataflow.contrib.legacy_seq2seq.embedding import one2many_rnn_seq2seq as one2many_rnn_seq2seq
from dataflow.contrib.legacy_seq2seq.losses import model_with_buckets as model_with_buckets
from dataflow.contrib.legacy_seq2seq.losses import sequence_loss as sequence_loss
from dataflow.contrib.legacy_seq2seq.losses import (
    sequence_loss_by_example as sequence_loss_by_example,
)
