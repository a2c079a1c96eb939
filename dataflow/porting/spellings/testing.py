"""tensorflow.python.framework.test_util."""

from dataflow.testing.graph_test_case import TestCase as TestCase

TensorFlowTestCase = TestCase
