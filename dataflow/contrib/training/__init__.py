"""tf.contrib.training: hyperparameters, batches by bucket and by chance, and steps of training."""

from dataflow.contrib.training.bucket_ops import bucket as bucket
from dataflow.contrib.training.bucket_ops import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from dataflow.contrib.training.device_setter import (
    GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy,
)
from dataflow.contrib.training.device_setter import RandomStrategy as RandomStrategy
from dataflow.contrib.training.device_setter import byte_size_load_fn as byte_size_load_fn
from dataflow.contrib.training.evaluation import SummaryAtEndHook as SummaryAtEndHook
from dataflow.contrib.training.evaluation import evaluate_repeatedly as evaluate_repeatedly
from dataflow.contrib.training.evaluation import wait_for_new_checkpoint as wait_for_new_checkpoint
from dataflow.contrib.training.hparams import HParams as HParams
from dataflow.contrib.training.hparams import parse_values as parse_values
from dataflow.contrib.training.loop import train as train
from dataflow.contrib.training.resample import resample_at_rate as resample_at_rate
from dataflow.contrib.training.resample import weighted_resample as weighted_resample
from dataflow.contrib.training.sampling import rejection_sample as rejection_sample
from dataflow.contrib.training.sampling import stratified_sample as stratified_sample
from dataflow.contrib.training.sequence_batches import (
    batch_sequences_with_states as batch_sequences_with_states,
)
from dataflow.contrib.training.sequence_saver import (
    NextQueuedSequenceBatch as NextQueuedSequenceBatch,
)
from dataflow.contrib.training.sequence_saver import (
    SequenceQueueingStateSaver as SequenceQueueingStateSaver,
)
from dataflow.contrib.training.train_op import add_gradients_summaries as add_gradients_summaries
from dataflow.contrib.training.train_op import clip_gradient_norms as clip_gradient_norms
from dataflow.contrib.training.train_op import clip_gradient_norms_fn as clip_gradient_norms_fn
from dataflow.contrib.training.train_op import create_train_op as create_train_op
from dataflow.contrib.training.train_op import multiply_gradients as multiply_gradients
from dataflow.estimation.feeding import FeedingQueueRunner as FeedingQueueRunner
from dataflow.saving.state import checkpoints_iterator as checkpoints_iterator
from dataflow.training.evaluation import StopAfterNEvalsHook as StopAfterNEvalsHook
from dataflow.training.evaluation import evaluate_once as evaluate_once
from dataflow.training.evaluation import get_or_create_eval_step as get_or_create_eval_step
