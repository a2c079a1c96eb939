"""A unit test as TensorFlow 2's own are, which import from the modules that older ones were split
into."""

from absl.testing import parameterized
from tensorflow.python.checkpoint import checkpoint_options
from tensorflow.python.data.ops import zip_op
from tensorflow.python.framework import (
    constant_op,
    dtypes,
    ops,
    stack,
    tensor_conversion,
    test_util,
)
from tensorflow.python.framework import tensor as tensor_lib
from tensorflow.python.ops import (
    array_ops,
    array_ops_stack,
    bincount_ops,
    control_flow_assert,
    control_flow_case,
    control_flow_switch_case,
    gen_stateless_random_ops_v2,
    parsing_config,
    ref_variable,
    shape_util,
    variable_v1,
    variables,
)
from tensorflow.python.ops import cond as tf_cond
from tensorflow.python.ops import while_loop as while_loop_tf
from tensorflow.python.platform import test
from tensorflow.python.saved_model import save_options
from tensorflow.python.trackable import asset, autotrackable
from tensorflow.python.training import py_checkpoint_reader
from tensorflow.python.util import numpy_compat

assert asset and numpy_compat and zip_op


@test_util.run_all_without_tensor_float_32("Wants whole products.")
class LaterModules(test.TestCase, parameterized.TestCase):
    @parameterized.parameters(True, False)
    @test_util.disable_tfrt("It has no such ops.")
    @test_util.run_deprecated_v1
    def test_flow(self, chosen):
        with self.session():
            given = constant_op.constant(chosen)
            picked = tf_cond.cond(given, lambda: 1, lambda: 2)
            looped = while_loop_tf.while_loop(lambda i: i < 5, lambda i: i + 2, [picked])
            case = control_flow_case.case([(given, lambda: looped)], default=lambda: -looped)
            index = control_flow_switch_case.switch_case(picked - 1, [lambda: 7, lambda: 8])
            with ops.control_dependencies([control_flow_assert.Assert(looped > 0, [looped])]):
                stacked = array_ops_stack.stack([case, index])
            self.assertAllEqual(stacked, [5, 7] if chosen else [-6, 8])

    @test_util.run_in_async_and_sync_mode
    @test_util.run_v1_only("Variables of TensorFlow 1.")
    def test_values(self):
        with self.session() as session:
            self.assertIs(stack.get_default_session(), session)
            made = variable_v1.VariableV1([1, 1, 3], name="v")
            self.assertIsInstance(made, ref_variable.RefVariable)
            self.assertIsInstance(made, variables.Variable)
            read = tensor_conversion.convert_to_tensor_v2_with_dispatch(
                made, dtype_hint=dtypes.int64, name="read"
            )
            self.assertIsInstance(read, tensor_lib.Tensor)
            self.assertEqual(read.dtype.base_dtype, dtypes.int32)
            made.initializer.run()
            self.assertAllEqual(bincount_ops.bincount(read), [0, 2, 0, 1])
            shape = shape_util.shape_tensor([2, tensor_lib.TensorSpec([3]).shape[0]])
            self.assertAllEqual(shape, [2, 3])
            algorithm = gen_stateless_random_ops_v2.stateless_random_get_alg()
            self.assertEqual(algorithm.dtype, dtypes.int32)

    def test_names(self):
        self.assertEqual(parsing_config.FixedLenFeature([], dtypes.int64).shape, [])
        self.assertIsNone(checkpoint_options.CheckpointOptions().experimental_io_device)
        self.assertFalse(save_options.SaveOptions().save_debug_info)
        self.assertTrue(issubclass(autotrackable.AutoTrackable, object))
        self.assertTrue(callable(py_checkpoint_reader.NewCheckpointReader))

    def test_skipped(self):
        with test_util.skip_if_error(self, ValueError, "of no use"):
            raise ValueError("This is of no use.")

    def test_not_skipped(self):
        skipping = test_util.skip_if_error(self, ValueError, ["of no use"])
        with self.assertRaisesRegex(ValueError, "of some"), skipping:
            raise ValueError("This is of some use.")

    def test_functions(self):
        self.assertGreater(test_util.pick_unused_port(), 0)
        with test_util.run_functions_eagerly(True), test_util.deterministic_ops():
            self.assertFalse(test_util.is_asan_enabled())
        refused = self.assertRaisesRegex(TypeError, "not allowed.*Graph mode")
        with ops.Graph().as_default(), refused:
            list(array_ops.zeros([2]))


if __name__ == "__main__":
    test.main()
