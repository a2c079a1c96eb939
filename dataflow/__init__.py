"""Static dataflow graphs with TensorFlow 1's API, run on numpy or cupy, in process or on Ray."""

import typing as _typing

import dataflow.graph.tracebacks as _tracebacks
import dataflow.library.absent_names as _absent_names
import dataflow.library.summaries.merging as _merging
import dataflow.ops.array.scatter as _scatter
import dataflow.ops.array.transpose as _transpose
import dataflow.ops.load as _load
import dataflow.schema.opdef as _opdef
import dataflow.values.submodules as _submodules
import dataflow.values.versions as _versions
import dataflow.variables.initializers as _initializers
import dataflow.variables.scaled_initializers as _scaled_initializers
from dataflow.names.arrays import *
from dataflow.names.graphs import *
from dataflow.names.numbers import *
from dataflow.names.reading import *
from dataflow.names.records import *
from dataflow.names.state import *
from dataflow.names.strings import *
from dataflow.names.tools import *

constant_initializer = _initializers.Constant
glorot_normal_initializer = _scaled_initializers.GlorotNormal
glorot_uniform_initializer = _scaled_initializers.GlorotUniform
merge_all_summaries = _merging.merge_all
merge_summary = _merging.merge
ones_initializer = _initializers.Ones
orthogonal_initializer = _initializers.Orthogonal
random_normal_initializer = _initializers.RandomNormal
random_uniform_initializer = _initializers.RandomUniform
reverse_v2 = _transpose.reverse
tensor_scatter_add = _scatter.tensor_scatter_nd_add
tensor_scatter_sub = _scatter.tensor_scatter_nd_sub
tensor_scatter_update = _scatter.tensor_scatter_nd_update
truncated_normal_initializer = _initializers.TruncatedNormal
uniform_unit_scaling_initializer = _scaled_initializers.UniformUnitScaling
variance_scaling_initializer = _scaled_initializers.VarianceScaling
zeros_initializer = _initializers.Zeros

__version__ = _versions.VERSION

# A GraphDef may hold any op; most programs need no more than what their names bring in.
_opdef.load_on_demand(_load.load_ops)
_tracebacks.shorten_at_the_end()

if _typing.TYPE_CHECKING:
    from dataflow import app as app
    from dataflow import audio as audio
    from dataflow import autograph as autograph
    from dataflow import bitwise as bitwise
    from dataflow import compat as compat
    from dataflow import config as config
    from dataflow import contrib as contrib
    from dataflow import data as data
    from dataflow import debugging as debugging
    from dataflow import distribute as distribute
    from dataflow import distributions as distributions
    from dataflow import dtypes as dtypes
    from dataflow import errors as errors
    from dataflow import estimator as estimator
    from dataflow import experimental as experimental
    from dataflow import feature_column as feature_column
    from dataflow import flags as flags
    from dataflow import gfile as gfile
    from dataflow import graph_util as graph_util
    from dataflow import image as image
    from dataflow import initializers as initializers
    from dataflow import io as io
    from dataflow import keras as keras
    from dataflow import layers as layers
    from dataflow import linalg as linalg
    from dataflow import logging as logging
    from dataflow import lookup as lookup
    from dataflow import losses as losses
    from dataflow import manip as manip
    from dataflow import math as math
    from dataflow import metrics as metrics
    from dataflow import mixed_precision as mixed_precision
    from dataflow import nest as nest
    from dataflow import nn as nn
    from dataflow import profiler as profiler
    from dataflow import python_io as python_io
    from dataflow import quantization as quantization
    from dataflow import queue as queue
    from dataflow import ragged as ragged
    from dataflow import random as random
    from dataflow import raw_ops as raw_ops
    from dataflow import resource_loader as resource_loader
    from dataflow import saved_model as saved_model
    from dataflow import sets as sets
    from dataflow import signal as signal
    from dataflow import sparse as sparse
    from dataflow import spectral as spectral
    from dataflow import strings as strings
    from dataflow import summary as summary
    from dataflow import test as test
    from dataflow import tpu as tpu
    from dataflow import train as train
    from dataflow import version as version
    from dataflow import xla as xla
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__,
        hidden=(
            "actors",
            "checkpoints",
            "command",
            "control_flow",
            "debugger",
            "differentiation",
            "estimation",
            "feature_columns",
            "eager",
            "functions",
            "graph",
            "importing",
            "kernels",
            "library",
            "names",
            "ops",
            "passes",
            "placement",
            "porting",
            "profiling",
            "proto",
            "recording",
            "records",
            "runtime",
            "saving",
            "schema",
            "serving",
            "session",
            "testing",
            "training",
            "transforms",
            "values",
            "variables",
        ),
        mistakes=_absent_names.TOLD,
    )
