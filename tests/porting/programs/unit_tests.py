"""A file of unit tests as TensorFlow writes its own, on the modules that those are made of."""

import os
import threading

import numpy as np
from absl.testing import parameterized
from tensorflow.contrib.distributions.python.ops.bijectors.exp import Exp
from tensorflow.contrib.opt.python.training import addsign
from tensorflow.core.framework import attr_value_pb2
from tensorflow.core.lib.core import error_codes_pb2
from tensorflow.python.client import session
from tensorflow.python.compat import compat as forward_compat
from tensorflow.python.data.kernel_tests import test_base
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.data.util import structure
from tensorflow.python.distribute import distribution_strategy_context
from tensorflow.python.eager import context
from tensorflow.python.framework import (
    combinations,
    common_shapes,
    constant_op,
    dtypes,
    errors,
    function,
    indexed_slices,
    meta_graph,
    ops,
    sparse_tensor,
    tensor_shape,
    tensor_spec,
    test_ops,
    test_util,
)
from tensorflow.python.ops import (
    array_ops,
    control_flow_ops,
    functional_ops,
    gen_control_flow_ops,
    gradient_checker_v2,
    math_grad,  # noqa: F401
    math_ops,
    nn_impl,
    resource_variable_ops,
    resources,
    script_ops,
    sort_ops,
    sparse_ops,
    state_ops,
    string_ops,
    variable_scope,
    variables,
)
from tensorflow.python.ops.distributions import bijector_test_util
from tensorflow.python.ops.linalg import linalg, linear_operator_test_util
from tensorflow.python.platform import test
from tensorflow.python.training import (
    basic_session_run_hooks,
    checkpoint_management,
    coordinator,
    monitored_session,
    saver_test_utils,
    session_run_hook,
)
from tensorflow.python.training import saver as saver_module
from tensorflow.python.training.checkpoint_state_pb2 import CheckpointState
from tensorflow.python.util.protobuf import compare

ops._set_call_cpp_shape_fn(common_shapes.call_cpp_shape_fn)
ops.NotDifferentiable("FloatOutput")


@ops.RegisterGradient("CopyOp")
def _copy_gradient(op, grad):
    return grad


class OpsTest(test_util.TensorFlowTestCase):
    def test_graphs_of_ops_without_kernels(self):
        handle = test_ops.stub_resource_handle_op(container="a", shared_name="b")
        self.assertEqual([], test_ops.resource_initialized_op(handle).shape)
        op = test_ops.float_output_string_output(name="myop").a.op
        self.assertProtoEquals("op: 'FloatOutputStringOutput' name: 'myop'", op.node_def)
        graph = ops.Graph()
        made = graph.create_op("FloatOutput", [], [dtypes.float32], name=b"bytes")
        self.assertEqual("bytes", made.name)
        same = graph.create_op("Identity", [made.outputs[0]], [dtypes.float32])
        self.assertEqual(dtypes.float32, same.get_attr("T"))
        y = test_ops.copy_op(test_ops.float_output())
        self.assertIs(_copy_gradient, ops.get_gradient_function(y.op))
        with self.assertRaises(NotImplementedError):
            test_ops.old()

    def test_stacks_and_scopes(self):
        self.assertIsNone(ops._default_session_stack.get_default())
        self.assertTrue(ops._default_graph_stack.is_cleared())
        self.assertFalse(ops.has_default_graph())
        with ops.Graph().as_default() as graph:
            self.assertTrue(ops.has_default_graph())
            self.assertEqual([graph], ops._default_graph_stack.stack)
            scope = ops.name_scope_v2("foo")
            with scope as outer, scope as inner:
                self.assertEqual(["foo/", "foo/foo/"], [outer, inner])
                self.assertEqual("foo/foo", ops.get_name_scope())
        self.assertEqual("a", ops.name_from_scope_name("a/"))
        node = ops._NodeDef("foo", "bar", "/cpu:0", {"a": attr_value_pb2.AttrValue(i=1)})
        self.assertEqual((1, "/cpu:0"), (node.attr["a"].i, node.device))

    def test_slices_are_described(self):
        spec = indexed_slices.IndexedSlicesSpec([5, 10], dense_shape_dtype=dtypes.int32)
        self.assertEqual(
            (
                tensor_spec.TensorSpec([None, 10], dtypes.float32),
                tensor_spec.TensorSpec([None], dtypes.int64),
                tensor_spec.TensorSpec([2], dtypes.int32),
            ),
            spec._component_specs,
        )
        slices = ops.IndexedSlices(constant_op.constant([[1.0]]), constant_op.constant([0]))
        again = spec._from_components(spec._to_components(slices))
        self.assertIs(slices.values, again.values)
        self.assertIsNone(again.dense_shape)
        arrays = spec._from_components((np.ones(1), np.array([3])))
        self.assertIsInstance(arrays, indexed_slices.IndexedSlicesValue)

    def test_resources(self):
        handle = constant_op.constant("table")
        done = variables.Variable(False, trainable=False)
        resources.register_resource(handle, done.assign(True), done)
        with self.cached_session():
            done.initializer.run()
            self.assertAllEqual([b"Const:0"], resources.report_uninitialized_resources())
            resources.initialize_resources(resources.shared_resources()).run()
            self.assertEmpty(self.evaluate(resources.report_uninitialized_resources()))
        self.assertEmpty(resources.local_resources())


class FunctionalTest(test.TestCase):
    def test_branches_and_loops(self):
        outer = constant_op.constant(1.0)

        @function.Defun(dtypes.float32, dtypes.float32)
        def goes_on(n, x):
            return n > 0

        @function.Defun(dtypes.float32, dtypes.float32)
        def step(n, x):
            return n - 1, x + n + outer

        @function.Defun(dtypes.int32, dtypes.float32)
        def add(i, x):
            return x + math_ops.cast(i, dtypes.float32)

        @function.Defun(dtypes.float32)
        def square(x):
            return x * x

        @function.Defun(dtypes.float32)
        def twice(x):
            return x + x

        looped = functional_ops.While([10.0, 0.0], goes_on, step, hostmem=[0])
        self.assertEqual([0], looped[0].op.get_attr("_input_hostmem"))
        counted = functional_ops.For(1, 10, 2, [0.0], add)
        chosen = functional_ops.If(
            array_ops.placeholder_with_default(False, []), [3.0], square, twice
        )
        gradient = functional_ops.Gradient([3.0, 1.0], square)
        self.assertAllClose(
            [65.0, 25.0, 6.0, 6.0], self.evaluate([looped[1], counted[0], chosen[0], gradient[0]])
        )
        with self.assertRaisesRegex(ValueError, "signatures do not match"):
            functional_ops.While([1.0], square, step)

    def test_references(self):
        with self.cached_session():
            v = variables.RefVariable(7)
            entered = control_flow_ops._Enter(v, "loop", is_constant=True)
            nine = gen_control_flow_ops.enter(constant_op.constant(9), "loop")
            assigned = state_ops.assign(entered, nine)
            left = control_flow_ops.exit(control_flow_ops.with_dependencies([assigned], entered))
            _, taken = control_flow_ops._SwitchRefOrTensor(v._ref(), constant_op.constant(True))
            self.evaluate(variables.global_variables_initializer())
            self.assertEqual(9, self.evaluate(left))
            self.assertEqual(4, self.evaluate(state_ops.assign(taken, 4)))
            with self.assertRaisesRegex(TypeError, "not iterable"):
                iter(v)

    def test_jacobians(self):
        with self.cached_session():
            theirs, ours = gradient_checker_v2.compute_gradient(
                lambda x, y: x * x * y, [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
            )
            self.assertAllClose(np.diag([6.0, 16.0]), theirs[0])
            self.assertLess(gradient_checker_v2.max_error(theirs, ours), 1e-3)


class VariablesTest(test.TestCase):
    def test_nodes_of_variables(self):
        with self.cached_session():
            v = state_ops.variable_op([2], dtypes.float32)
            self.assertEqual((dtypes.float32_ref, "Variable"), (v.dtype, v.op.type))
            self.assertAllEqual([1.0, 2.0], state_ops.init_variable(v, [1.0, 2.0]))
            hidden = state_ops.variable_op([2], dtypes.float32, set_shape=False)
            self.assertEqual(tensor_shape.unknown_shape(), hidden.shape)
            w = state_ops.variable_op_v2([2], dtypes.float32)
            made = state_ops.init_variable(w, lambda shape, dtype: array_ops.ones(shape, dtype))
            self.assertAllEqual([1.0, 1.0], made)
        self.assertTrue(
            resource_variable_ops.is_resource_variable(resource_variable_ops.ResourceVariable(1))
        )
        store = variable_scope._get_default_variable_store()
        self.assertEqual("v:0", store.get_variable("v", [1]).name)
        scopes = variable_scope.get_variable_scope_store()
        self.assertIsInstance(scopes, variable_scope._VariableScopeStore)
        with variable_scope.variable_scope("a"):
            self.assertEqual("a", scopes.current_scope.name)
            self.assertIs(store, ops.get_collection(variable_scope._VARSTORE_KEY)[0])

    def test_savers(self):
        path = os.path.join(self.get_temp_dir(), "saved")
        with self.session(graph=ops.Graph()) as sess:
            v = variables.Variable(10.0, name="v")
            table = saver_test_utils.CheckpointedOp(name="table")
            saver = saver_module.Saver({"v": v, "table": table.saveable})
            self.evaluate([v.initializer, table.insert("k1", 30.0)])
            self.assertEqual(path, saver.save(sess, path))
        with self.session(graph=ops.Graph()) as sess:
            v = variables.Variable(0.0, name="v")
            table = saver_test_utils.CheckpointedOp(name="table")
            saver_module.Saver([v, table.saveable]).restore(sess, path)
            self.assertEqual([10.0, 30.0], self.evaluate([v, table.lookup("k1", 0.0)]))
            self.assertAllEqual([b"k1"], table.keys())
            self.assertAllEqual([30.0], table.values())
        name = checkpoint_management.meta_graph_filename("/a/m.ckpt-1-?????-of-00003")
        self.assertEqual("/a/m.ckpt-1.meta", name)
        here = self.get_temp_dir()
        inside = [os.path.join(here, each) for each in ("a", "b")]
        checkpoint_management.update_checkpoint_state_internal(
            here, inside[1], inside, save_relative_paths=True
        )
        state = CheckpointState()
        compare.assertProtoEqual(self, state, CheckpointState())
        with open(os.path.join(here, "checkpoint")) as file:
            self.assertEqual('model_checkpoint_path: "b"', file.readline().strip())

    def test_meta_graphs_in_scopes(self):
        graph = ops.Graph()
        with graph.as_default(), ops.name_scope("old"):
            variables.Variable(1.0, name="w")
        made = meta_graph.copy_scoped_meta_graph("old", "new", graph, graph)
        self.assertEqual({"w:0": "new/w:0"}, {key: v.name for key, v in made.items()})
        written = meta_graph.create_meta_graph_def(graph=graph)
        self.assertStartsWith(written.meta_info_def.tensorflow_version, "1.15")
        with self.assertRaisesRegex(ValueError, "need to be different"):
            meta_graph.copy_scoped_meta_graph("old", "old", graph, graph)
        node = written.graph_def.node.add(op="bad_op")
        with self.assertRaisesRegex(ValueError, f"Op {node.op} is used by the graph, but is not"):
            meta_graph.stripped_op_list_for_graph(written.graph_def)


class SessionsTest(test.TestCase):
    def test_layers_of_monitored_sessions(self):
        class Twice(monitored_session._WrappedSession):
            left = 2

            def _check_stop(self):
                self.left -= 1
                return self.left < 0

        class Asks(session_run_hook.SessionRunHook):
            def before_run(self, run_context):
                return session_run_hook.SessionRunArgs(constant)

            def after_run(self, run_context, run_values):
                self.seen = run_values.results
                run_context.request_stop()

        constant = constant_op.constant(5)
        with session.Session() as sess:
            wrapped = monitored_session._WrappedSession(Twice(sess))
            self.assertEqual([False, False, True], [wrapped.should_stop() for _ in range(3)])
            self.assertIs(sess.graph, wrapped.graph)
            hook = Asks()
            hooked = monitored_session._HookedSession(sess, [hook])
            self.assertEqual(6, hooked.run(constant + 1))
            self.assertEqual((5, True), (hook.seen, hooked.should_stop()))
            self.assertEqual(
                6, wrapped.run_step_fn(lambda c: c.session.run(constant + 1), sess, None)
            )
        self.assertFalse(basic_session_run_hooks.NeverTriggerTimer().should_trigger_for_step(1))

    def test_lost_sessions_are_made_again(self):
        class Lost(monitored_session._WrappedSession):
            def run(self, *args, **kwargs):
                if len(made) < 3:
                    raise errors.AbortedError(None, None, "gone")
                return super().run(*args, **kwargs)

        class Creator:
            def create_session(self):
                made.append(Lost(session.Session()))
                return made[-1]

        made = []
        constant = constant_op.constant(5)
        recoverable = monitored_session._RecoverableSession(Creator())
        self.assertEqual((5, 3), (recoverable.run(constant), len(made)))
        coord = coordinator.Coordinator()
        thread = threading.Thread(target=coord.wait_for_stop)
        coord.register_thread(thread)
        thread.start()
        coordinated = monitored_session._CoordinatedSession(recoverable, coord)
        self.assertFalse(coordinated.should_stop())
        self.assertEqual(5, coordinated.run(constant))
        coordinated.close()
        self.assertTrue(coordinated.should_stop() and not thread.is_alive())


@test_util.run_all_in_graph_and_eager_modes
class DatasetsTest(test_base.DatasetTestBase, parameterized.TestCase):
    def test_elements(self):
        numbers = dataset_ops.Dataset.range(3)
        self.assertDatasetProduces(numbers, [0, 1, 2], expected_shapes=[], num_test_iterations=2)
        self.assertDatasetProduces(
            numbers, [2, 0, 1], assert_items_equal=True, requires_initialization=True
        )
        value = sparse_tensor.SparseTensorValue([[0]], [3], [2])
        self.assertDatasetProduces(dataset_ops.Dataset.from_tensors((1, value)), [(1, value)])
        self.assertDatasetsEqual(numbers, dataset_ops.Dataset.from_tensor_slices(np.arange(3)))
        self.assertEqual(dtypes.int64, dataset_ops.get_legacy_output_types(numbers))
        spec = dataset_ops.get_structure(numbers)
        self.assertTrue(structure.are_compatible(spec, numbers.element_spec))
        self.assertFalse(structure.are_compatible(spec, (spec, spec)))
        failing = numbers.map(lambda x: array_ops.check_numerics(1.0 / math_ops.to_float(x), "no"))
        self.assertDatasetProduces(failing, expected_error=(errors.InvalidArgumentError, "no"))
        self.assertDatasetsRaiseSameError(failing, failing, errors.InvalidArgumentError)
        self.assertDatasetProduces(self.structuredDataset((None, None), [2]), [([0, 0], [0, 0])])
        with self.assertRaises(AssertionError):
            self.assertDatasetProduces(numbers, [0, 1])


class CombinedTest(test_base.DatasetTestBase, parameterized.TestCase):
    @combinations.generate(
        combinations.times(test_base.default_test_combinations(), combinations.combine(size=[2, 3]))
    )
    def test_combined(self, size):
        self.assertDatasetProduces(dataset_ops.Dataset.range(size), range(size))


class DiagTest(linear_operator_test_util.SquareLinearOperatorDerivedClassTest):
    @staticmethod
    def operator_shapes_infos():
        return [linear_operator_test_util.OperatorShapesInfo((3, 2, 2))]

    @staticmethod
    def dtypes_to_test():
        return [dtypes.complex64]

    def operator_and_matrix(self, info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        diag = linear_operator_test_util.random_sign_uniform(info.shape[:-1], 1.0, 2.0, dtype)
        if ensure_self_adjoint_and_pd:
            diag = math_ops.cast(math_ops.abs(diag), dtype)
        given = array_ops.placeholder_with_default(diag, None) if use_placeholder else diag
        known = ensure_self_adjoint_and_pd or None
        operator = linalg.LinearOperatorDiag(
            given, is_self_adjoint=known, is_positive_definite=known
        )
        return operator, array_ops.matrix_diag(diag)

    def test_gradients(self):
        self.check_tape_safe(linalg.LinearOperatorDiag(variables.Variable([[2.0]])))


linear_operator_test_util.add_tests(DiagTest)


class NamesTest(test.TestCase):
    def test_functions_of_one_version(self):
        self.assertAllEqual(1, math_ops.argmax_v2([1, 2], axis=0))
        self.assertAllEqual(3, math_ops.reduce_sum_v1([1, 2], reduction_indices=0))
        self.assertAllEqual(b"ab", string_ops.reduce_join_v2(["a", "b"], axis=0))
        self.assertAllEqual([1, 0], sort_ops.argsort([2, 1]))
        self.assertFalse(hasattr(math_ops, "nothing_v2"))

    def test_inner_functions(self):
        one = sparse_tensor.SparseTensor([[0, 0]], constant_op.constant([b"x"]), [1, 1])
        crossed = sparse_ops._sparse_cross([one, one])
        handles = sparse_ops._add_many_sparse_to_tensors_map(one)
        taken = sparse_ops._take_many_sparse_from_tensors_map(handles.op, handles, rank=2)
        logits, _ = nn_impl._compute_sampled_logits(
            np.ones((4, 3), np.float32),
            np.zeros(4, np.float32),
            constant_op.constant([[1]], dtypes.int64),
            np.ones((1, 3), np.float32),
            num_sampled=2,
            num_classes=4,
            sampled_values=(constant_op.constant([0, 2], dtypes.int64), [[0.5]], [0.5, 0.5]),
            subtract_log_q=False,
        )
        with self.cached_session() as sess:
            found = sess.run([crossed, taken, logits])
        self.assertAllEqual([b"x_X_x"], found[0].values)
        self.assertAllEqual([b"x"], found[1].values)
        self.assertAllEqual([[3.0, 3.0, 3.0]], found[2])
        self.assertAllEqual([1, 3, 1], math_ops.reduced_shape([2, 3, 4], [0, -1]))
        self.assertAllEqual([0, 2], math_ops._bucketize([1.0, 9.0], [2.0, 5.0]))
        kept = script_ops.py_func(lambda: 1, [], dtypes.int64)
        self.assertGreater(script_ops._py_funcs.size(), 0)
        del kept

    def test_bijectors(self):
        with self.cached_session():
            bijector_test_util.assert_scalar_congruency(Exp(), -2.0, 1.5, rtol=0.05)
            x = np.linspace(-2, 2, 5).astype(np.float32)
            bijector_test_util.assert_bijective_and_finite(Exp(), x, np.exp(x), 0, rtol=1e-4)
            with self.assertRaises(AssertionError):
                bijector_test_util.assert_strictly_monotonic([1.0, 3.0, 2.0])

    def test_horizon(self):
        self.assertFalse(forward_compat.forward_compatible(2019, 12, 1))
        with forward_compat.forward_compatibility_horizon(2019, 12, 2):
            self.assertTrue(forward_compat.forward_compatible(2019, 12, 1))
        with context.graph_mode():
            self.assertFalse(context.executing_eagerly())
        self.assertEqual(3, error_codes_pb2.INVALID_ARGUMENT)
        self.assertEqual("AddSignOptimizer", addsign.AddSignOptimizer.__name__)
        self.assertEqual(1, distribution_strategy_context.get_strategy().num_replicas_in_sync)
        self.assertFalse(distribution_strategy_context.has_strategy())


if __name__ == "__main__":
    test.main()
