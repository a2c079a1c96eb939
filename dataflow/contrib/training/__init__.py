"""tf.contrib.training: hyperparameters, batches by bucket, and steps of training."""

from dataflow.contrib.training.bucket_ops import bucket as bucket
from dataflow.contrib.training.bucket_ops import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from dataflow.contrib.training.hparams import HParams as HParams
from dataflow.contrib.training.hparams import parse_values as parse_values
from dataflow.contrib.training.train_op import add_gradients_summaries as add_gradients_summaries
from dataflow.contrib.training.train_op import clip_gradient_norms as clip_gradient_norms
from dataflow.contrib.training.train_op import clip_gradient_norms_fn as clip_gradient_norms_fn
from dataflow.contrib.training.train_op import create_train_op as create_train_op
from dataflow.contrib.training.train_op import multiply_gradients as multiply_gradients
