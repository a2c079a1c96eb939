"""What is made of ops, as `tf` names it."""

from dataflow.eager.py_function import py_function as py_function
from dataflow.library.behavior import disable_eager_execution as disable_eager_execution
from dataflow.library.behavior import disable_tensor_equality as disable_tensor_equality
from dataflow.library.behavior import disable_v2_behavior as disable_v2_behavior
from dataflow.library.behavior import disable_v2_tensorshape as disable_v2_tensorshape
from dataflow.library.behavior import enable_eager_execution as enable_eager_execution
from dataflow.library.behavior import enable_tensor_equality as enable_tensor_equality
from dataflow.library.behavior import enable_v2_behavior as enable_v2_behavior
from dataflow.library.behavior import enable_v2_tensorshape as enable_v2_tensorshape
from dataflow.library.behavior import executing_eagerly as executing_eagerly
from dataflow.library.behavior import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from dataflow.library.check_types import assert_integer as assert_integer
from dataflow.library.check_types import assert_proper_iterable as assert_proper_iterable
from dataflow.library.check_types import assert_rank as assert_rank
from dataflow.library.check_types import assert_rank_at_least as assert_rank_at_least
from dataflow.library.check_types import assert_rank_in as assert_rank_in
from dataflow.library.check_types import assert_same_float_dtype as assert_same_float_dtype
from dataflow.library.check_types import assert_scalar as assert_scalar
from dataflow.library.check_types import assert_type as assert_type
from dataflow.library.check_values import assert_equal as assert_equal
from dataflow.library.check_values import assert_greater as assert_greater
from dataflow.library.check_values import assert_greater_equal as assert_greater_equal
from dataflow.library.check_values import assert_less as assert_less
from dataflow.library.check_values import assert_less_equal as assert_less_equal
from dataflow.library.check_values import assert_near as assert_near
from dataflow.library.check_values import assert_negative as assert_negative
from dataflow.library.check_values import assert_non_negative as assert_non_negative
from dataflow.library.check_values import assert_non_positive as assert_non_positive
from dataflow.library.check_values import assert_none_equal as assert_none_equal
from dataflow.library.check_values import assert_positive as assert_positive
from dataflow.library.check_values import is_non_decreasing as is_non_decreasing
from dataflow.library.check_values import is_numeric_tensor as is_numeric_tensor
from dataflow.library.check_values import is_strictly_increasing as is_strictly_increasing
from dataflow.library.clipping import clip_by_average_norm as clip_by_average_norm
from dataflow.library.clipping import clip_by_global_norm as clip_by_global_norm
from dataflow.library.clipping import clip_by_norm as clip_by_norm
from dataflow.library.clipping import clip_by_value as clip_by_value
from dataflow.library.clipping import global_norm as global_norm
from dataflow.library.concrete.polymorphic import function as function
from dataflow.library.concrete.wrapping import wrap_function as wrap_function
from dataflow.library.confusion_matrix import confusion_matrix as confusion_matrix
from dataflow.library.defun import Defun as Defun
from dataflow.library.images.random_crop import random_crop as random_crop
from dataflow.library.inspection import get_static_value as get_static_value
from dataflow.library.inspection import is_symbolic_tensor as is_symbolic_tensor
from dataflow.library.inspection import is_tensor as is_tensor
from dataflow.library.map_fn import foldl as foldl
from dataflow.library.map_fn import foldr as foldr
from dataflow.library.map_fn import map_fn as map_fn
from dataflow.library.map_fn import scan as scan
from dataflow.library.map_fn import vectorized_map as vectorized_map
from dataflow.library.program.shared_objects import (
    load_file_system_library as load_file_system_library,
)
from dataflow.library.program.shared_objects import load_library as load_library
from dataflow.library.program.shared_objects import load_op_library as load_op_library
from dataflow.library.py_func import numpy_function as numpy_function
from dataflow.library.py_func import py_func as py_func
from dataflow.library.queues.accumulators import ConditionalAccumulator as ConditionalAccumulator
from dataflow.library.queues.accumulators import (
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
)
from dataflow.library.queues.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from dataflow.library.queues.fifo_queue import FIFOQueue as FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue as PaddingFIFOQueue
from dataflow.library.queues.priority_queue import PriorityQueue as PriorityQueue
from dataflow.library.queues.queue_base import QueueBase as QueueBase
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue as RandomShuffleQueue
from dataflow.library.sparse_shapes import sparse_reset_shape as sparse_reset_shape
from dataflow.library.summaries.early_names import audio_summary as audio_summary
from dataflow.library.summaries.early_names import histogram_summary as histogram_summary
from dataflow.library.summaries.early_names import image_summary as image_summary
from dataflow.library.summaries.early_names import scalar_summary as scalar_summary
from dataflow.library.table_initializers import initialize_all_tables as initialize_all_tables
from dataflow.library.table_initializers import tables_initializer as tables_initializer
from dataflow.ops.flow.timestamp import timestamp as timestamp
from dataflow.ops.text.printing import Print as Print
from dataflow.ops.text.printing import print as print
from dataflow.porting.hook import as_tensorflow as as_tensorflow
from dataflow.values.versions import COMPILER_VERSION as COMPILER_VERSION
from dataflow.values.versions import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from dataflow.values.versions import CXX_VERSION as CXX_VERSION
from dataflow.values.versions import GIT_VERSION as GIT_VERSION
from dataflow.values.versions import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from dataflow.values.versions import VERSION as VERSION
