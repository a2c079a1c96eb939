"""tf.test: unit tests of graphs."""

from unittest import mock as mock

from dataflow.testing.benchmark import Benchmark as Benchmark
from dataflow.testing.benchmark import benchmark_config as benchmark_config
from dataflow.testing.equal_graphs import assert_equal_graph_def as assert_equal_graph_def
from dataflow.testing.folder import get_temp_dir as get_temp_dir
from dataflow.testing.gradient_checker import compute_gradient as compute_gradient
from dataflow.testing.gradient_checker import compute_gradient_error as compute_gradient_error
from dataflow.testing.graph_test_case import TestCase as TestCase
from dataflow.testing.stubs import StubOutForTesting as StubOutForTesting
from dataflow.testing.surroundings import create_local_cluster as create_local_cluster
from dataflow.testing.surroundings import disable_with_predicate as disable_with_predicate
from dataflow.testing.surroundings import gpu_device_name as gpu_device_name
from dataflow.testing.surroundings import is_built_with_cuda as is_built_with_cuda
from dataflow.testing.surroundings import is_built_with_gpu_support as is_built_with_gpu_support
from dataflow.testing.surroundings import is_built_with_rocm as is_built_with_rocm
from dataflow.testing.surroundings import is_built_with_xla as is_built_with_xla
from dataflow.testing.surroundings import is_cpu_target_available as is_cpu_target_available
from dataflow.testing.surroundings import is_gpu_available as is_gpu_available
from dataflow.testing.surroundings import main as main
from dataflow.testing.surroundings import test_src_dir_path as test_src_dir_path
from dataflow.testing.surroundings import with_eager_op_as_function as with_eager_op_as_function
