"""tf.train: optimizers, learning rates, moving averages, the global step, servers."""

import dataflow.recording.file_writer as _file_writer
import dataflow.saving.reading as _reading
import dataflow.training.learning_rate_decay as _learning_rate_decay
from dataflow.importing.files import write_graph as write_graph
from dataflow.ops.math.dual_ascent import sdca_fprint as sdca_fprint
from dataflow.ops.math.dual_ascent import sdca_optimizer as sdca_optimizer
from dataflow.ops.math.dual_ascent import sdca_shrink_l1 as sdca_shrink_l1
from dataflow.proto.cluster_pb2 import ClusterDef as ClusterDef
from dataflow.proto.cluster_pb2 import JobDef as JobDef
from dataflow.proto.example_pb2 import Example as Example
from dataflow.proto.example_pb2 import SequenceExample as SequenceExample
from dataflow.proto.feature_pb2 import BytesList as BytesList
from dataflow.proto.feature_pb2 import Feature as Feature
from dataflow.proto.feature_pb2 import FeatureList as FeatureList
from dataflow.proto.feature_pb2 import FeatureLists as FeatureLists
from dataflow.proto.feature_pb2 import Features as Features
from dataflow.proto.feature_pb2 import FloatList as FloatList
from dataflow.proto.feature_pb2 import Int64List as Int64List
from dataflow.proto.saver_pb2 import SaverDef as SaverDef
from dataflow.proto.tensorflow_server_pb2 import ServerDef as ServerDef
from dataflow.records.events import summary_iterator as summary_iterator
from dataflow.saving.checkpoint.checkpoint import Checkpoint as Checkpoint
from dataflow.saving.checkpoint.manager import CheckpointManager as CheckpointManager
from dataflow.saving.checkpoint.options import CheckpointOptions as CheckpointOptions
from dataflow.saving.import_meta_graph import import_meta_graph as import_meta_graph
from dataflow.saving.init_from_checkpoint import init_from_checkpoint as init_from_checkpoint
from dataflow.saving.meta_graph.export import export_meta_graph as export_meta_graph
from dataflow.saving.reading import list_variables as list_variables
from dataflow.saving.reading import load_checkpoint as load_checkpoint
from dataflow.saving.reading import load_variable as load_variable
from dataflow.saving.saver import Saver as Saver
from dataflow.saving.state import checkpoint_exists as checkpoint_exists
from dataflow.saving.state import checkpoints_iterator as checkpoints_iterator
from dataflow.saving.state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from dataflow.saving.state import get_checkpoint_mtimes as get_checkpoint_mtimes
from dataflow.saving.state import get_checkpoint_state as get_checkpoint_state
from dataflow.saving.state import latest_checkpoint as latest_checkpoint
from dataflow.saving.state import remove_checkpoint as remove_checkpoint
from dataflow.saving.state import update_checkpoint_state as update_checkpoint_state
from dataflow.saving.vocabularies import VocabInfo as VocabInfo
from dataflow.saving.warm_start import warm_start as warm_start
from dataflow.session.server import Server as Server
from dataflow.train import experimental as experimental
from dataflow.train import queue_runner as queue_runner
from dataflow.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from dataflow.training.adagrad import AdagradOptimizer as AdagradOptimizer
from dataflow.training.adagrad_da import AdagradDAOptimizer as AdagradDAOptimizer
from dataflow.training.adam import AdamOptimizer as AdamOptimizer
from dataflow.training.coordination.coordinator import Coordinator as Coordinator
from dataflow.training.coordination.looper_thread import LooperThread as LooperThread
from dataflow.training.coordination.queue_runner import QueueRunner as QueueRunner
from dataflow.training.coordination.queue_runner import add_queue_runner as add_queue_runner
from dataflow.training.coordination.queue_runner import start_queue_runners as start_queue_runners
from dataflow.training.device_setter import replica_device_setter as replica_device_setter
from dataflow.training.ftrl import FtrlOptimizer as FtrlOptimizer
from dataflow.training.global_step import assert_global_step as assert_global_step
from dataflow.training.global_step import create_global_step as create_global_step
from dataflow.training.global_step import get_global_step as get_global_step
from dataflow.training.global_step import get_or_create_global_step as get_or_create_global_step
from dataflow.training.global_step import global_step as global_step
from dataflow.training.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
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
from dataflow.training.hooks.progress import ProgressHook as ProgressHook
from dataflow.training.hooks.session_run_hook import SessionRunArgs as SessionRunArgs
from dataflow.training.hooks.session_run_hook import SessionRunContext as SessionRunContext
from dataflow.training.hooks.session_run_hook import SessionRunHook as SessionRunHook
from dataflow.training.hooks.session_run_hook import SessionRunValues as SessionRunValues
from dataflow.training.hooks.step_counter import StepCounterHook as StepCounterHook
from dataflow.training.hooks.stop_at_step import GlobalStepWaiterHook as GlobalStepWaiterHook
from dataflow.training.hooks.stop_at_step import StopAtStepHook as StopAtStepHook
from dataflow.training.hooks.summary_saver import SummarySaverHook as SummarySaverHook
from dataflow.training.hooks.timers import SecondOrStepTimer as SecondOrStepTimer
from dataflow.training.inputs.batches import batch as batch
from dataflow.training.inputs.batches import batch_join as batch_join
from dataflow.training.inputs.batches import maybe_batch as maybe_batch
from dataflow.training.inputs.batches import maybe_batch_join as maybe_batch_join
from dataflow.training.inputs.producers import input_producer as input_producer
from dataflow.training.inputs.producers import limit_epochs as limit_epochs
from dataflow.training.inputs.producers import match_filenames_once as match_filenames_once
from dataflow.training.inputs.producers import range_input_producer as range_input_producer
from dataflow.training.inputs.producers import slice_input_producer as slice_input_producer
from dataflow.training.inputs.producers import string_input_producer as string_input_producer
from dataflow.training.inputs.shuffled_batches import maybe_shuffle_batch as maybe_shuffle_batch
from dataflow.training.inputs.shuffled_batches import (
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
)
from dataflow.training.inputs.shuffled_batches import shuffle_batch as shuffle_batch
from dataflow.training.inputs.shuffled_batches import shuffle_batch_join as shuffle_batch_join
from dataflow.training.learning_rate_decay import cosine_decay as cosine_decay
from dataflow.training.learning_rate_decay import cosine_decay_restarts as cosine_decay_restarts
from dataflow.training.learning_rate_decay import exponential_decay as exponential_decay
from dataflow.training.learning_rate_decay import inverse_time_decay as inverse_time_decay
from dataflow.training.learning_rate_decay import linear_cosine_decay as linear_cosine_decay
from dataflow.training.learning_rate_decay import natural_exp_decay as natural_exp_decay
from dataflow.training.learning_rate_decay import (
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
)
from dataflow.training.learning_rate_decay import piecewise_constant as piecewise_constant
from dataflow.training.learning_rate_decay import polynomial_decay as polynomial_decay
from dataflow.training.momentum import MomentumOptimizer as MomentumOptimizer
from dataflow.training.monitored.monitored_session import MonitoredSession as MonitoredSession
from dataflow.training.monitored.monitored_session import (
    SingularMonitoredSession as SingularMonitoredSession,
)
from dataflow.training.monitored.scaffold import Scaffold as Scaffold
from dataflow.training.monitored.session_creators import ChiefSessionCreator as ChiefSessionCreator
from dataflow.training.monitored.session_creators import SessionCreator as SessionCreator
from dataflow.training.monitored.session_creators import (
    WorkerSessionCreator as WorkerSessionCreator,
)
from dataflow.training.monitored.session_manager import SessionManager as SessionManager
from dataflow.training.monitored.training_session import (
    MonitoredTrainingSession as MonitoredTrainingSession,
)
from dataflow.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from dataflow.training.optimizer import Optimizer as Optimizer
from dataflow.training.proximal_adagrad import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from dataflow.training.proximal_gradient_descent import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from dataflow.training.rmsprop import RMSPropOptimizer as RMSPropOptimizer
from dataflow.training.supervisor.supervisor import Supervisor as Supervisor
from dataflow.training.supervisor.train_loop import basic_train_loop as basic_train_loop
from dataflow.training.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from dataflow.values.cluster_spec import ClusterSpec as ClusterSpec

NewCheckpointReader = _reading.new_checkpoint_reader
SummaryWriter = _file_writer.FileWriter
piecewise_constant_decay = _learning_rate_decay.piecewise_constant
