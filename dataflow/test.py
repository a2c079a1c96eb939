"""tf.test: unit tests of graphs."""

from unittest import mock as mock

from dataflow.testing.gradient_checker import compute_gradient as compute_gradient
from dataflow.testing.gradient_checker import compute_gradient_error as compute_gradient_error
from dataflow.testing.graph_test_case import TestCase as TestCase
from dataflow.testing.surroundings import assert_equal_graph_def as assert_equal_graph_def
from dataflow.testing.surroundings import get_temp_dir as get_temp_dir
from dataflow.testing.surroundings import gpu_device_name as gpu_device_name
from dataflow.testing.surroundings import is_built_with_cuda as is_built_with_cuda
from dataflow.testing.surroundings import is_built_with_gpu_support as is_built_with_gpu_support
from dataflow.testing.surroundings import is_gpu_available as is_gpu_available
from dataflow.testing.surroundings import main as main
