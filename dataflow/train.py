"""tf.train: optimizers, learning rates, moving averages, the global step, servers."""

from __future__ import annotations

from dataflow.importing.files import write_graph
from dataflow.proto.cluster_pb2 import ClusterDef, JobDef
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.session.server import Server
from dataflow.training.adadelta import AdadeltaOptimizer
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.adagrad_da import AdagradDAOptimizer
from dataflow.training.adam import AdamOptimizer
from dataflow.training.device_setter import replica_device_setter
from dataflow.training.ftrl import FtrlOptimizer
from dataflow.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from dataflow.training.gradient_descent import GradientDescentOptimizer
from dataflow.training.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    polynomial_decay,
)
from dataflow.training.learning_rate_decay import piecewise_constant as piecewise_constant_decay
from dataflow.training.momentum import MomentumOptimizer
from dataflow.training.moving_averages import ExponentialMovingAverage
from dataflow.training.optimizer import Optimizer
from dataflow.training.proximal_adagrad import ProximalAdagradOptimizer
from dataflow.training.proximal_gradient_descent import ProximalGradientDescentOptimizer
from dataflow.training.rmsprop import RMSPropOptimizer
from dataflow.values.cluster_spec import ClusterSpec

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "ClusterDef",
    "ClusterSpec",
    "ExponentialMovingAverage",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "JobDef",
    "MomentumOptimizer",
    "Optimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "RMSPropOptimizer",
    "Server",
    "ServerDef",
    "assert_global_step",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "linear_cosine_decay",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "replica_device_setter",
    "write_graph",
]
