"""Functions inside of TensorFlow that programs import, against TensorFlow's own."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from tests.oracle import open_session

RANDOM = np.random.RandomState(7)
LOGITS = RANDOM.randn(6, 3, 5).astype(np.float32)
LABELS = np.int32([[1, 2, 2], [3, 4, 0], [1, 0, 0]])
LENGTHS = np.int32([3, 2, 1]), np.int32([6, 5, 4])


def inside(library: Any, path: str) -> Any:
    """A module below tensorflow.python, of ours or of TensorFlow."""
    path = f"tensorflow.python.{path}"
    return TensorflowModule(path) if library is tf else importlib.import_module(path)


class Node:
    """An operation as shape functions see one."""

    def __init__(self, inputs: list[Any], **attrs: Any) -> None:
        self.inputs, self._attrs = inputs, attrs

    def get_attr(self, name: str) -> Any:
        if name not in self._attrs:
            raise ValueError(name)
        return self._attrs[name]


def told(made: Callable[[], Any]) -> Any:
    """What a call gives or how it fails."""
    try:
        return made()
    except (ValueError, TypeError, RuntimeError) as error:
        return type(error).__name__, str(error)


IMAGES, TURNED, ROW = [None, 9, 8, 6], [None, 6, 9, 8], [1, 1, 1, 1]
BY_CHANNEL, POINTWISE = [3, 2, 6, 2], [1, 1, 12, 7]
NO_DEPTH = " in the batch and depth dimensions."
UNEQUAL = "Current implementation only supports equal length strides in the row and column "
DEPTHWISE = "Depthwise max pooling requires the depth window to "
SHAPES: list[tuple[str, Any, Any]] = [
    # What 1.15 gives: a function, shapes of inputs and attrs, a shape or the text of an error.
    ("conv2d_shape", {"strides": [1, 2, 3, 1], "padding": b"SAME"}, [None, 5, 3, 2]),
    ("conv2d_shape", {"strides": [1, 2, 2, 1], "padding": b"VALID"}, [None, 4, 4, 2]),
    (
        "conv2d_shape",
        {"inputs": [TURNED, BY_CHANNEL], "strides": [1, 1, 2, 3], "data_format": b"NCHW"},
        [None, 2, 5, 3],
    ),
    ("conv2d_shape", {"strides": ROW, "padding": b"OTHER"}, "Invalid padding: b'OTHER'"),
    (
        "conv2d_shape",
        {"strides": [2, 1, 1, 1]},
        "Current implementation does not yet support strides" + NO_DEPTH,
    ),
    ("conv2d_shape", {"inputs": [TURNED, BY_CHANNEL]}, "Dimensions 8 and 6 are not compatible"),
    (
        "conv2d_shape",
        {"inputs": [[2, 3], BY_CHANNEL]},
        "Shape (2, 3) must have rank 4",
    ),
    ("depthwise_conv2d_native_shape", {"strides": [1, 2, 2, 1]}, [None, 5, 4, 12]),
    (
        "depthwise_conv2d_native_shape",
        {"strides": [1, 2, 1, 1]},
        UNEQUAL + "dimensions.",
    ),
    ("separable_conv2d_shape", {"padding": b"VALID"}, [None, 7, 7, 7]),
    ("separable_conv2d_shape", {"strides": [1, 1, 2, 1]}, UNEQUAL + "dimensions."),
    ("avg_pool_shape", {"ksize": [1, 3, 2, 1], "padding": b"VALID"}, [None, 7, 7, 6]),
    (
        "avg_pool_shape",
        {"inputs": [TURNED], "strides": [1, 1, 2, 3], "data_format": b"NCHW"},
        [None, 6, 5, 3],
    ),
    (
        "avg_pool_shape",
        {"ksize": [1, 1, 1, 2]},
        "Current implementation does not support pooling" + NO_DEPTH,
    ),
    (
        "avg_pool_shape",
        {"strides": [1, 1, 1, 2]},
        "Current implementation does not support strides" + NO_DEPTH,
    ),
    ("max_pool_shape", {"ksize": [1, 3, 2, 1], "strides": [1, 1, 1, 2]}, [None, 9, 8, 6]),
    ("max_pool_shape", {"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3]}, [None, 9, 8, 2]),
    ("max_pool_shape", {"ksize": [1, 1, 1, 3]}, DEPTHWISE + "equal the depth stride."),
    ("max_pool_shape", {"ksize": [1, 1, 1, 4]}, DEPTHWISE + "evenly divide the input depth."),
    (
        "max_pool_shape",
        {"ksize": [1, 2, 1, 3]},
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.",
    ),
    (
        "max_pool_shape",
        {"ksize": [2, 1, 1, 1]},
        "Current implementation does not support pooling in the batch dimension.",
    ),
    (
        "max_pool_shape",
        {"strides": [2, 1, 1, 1]},
        "Current implementation does not support strides in the batch dimension.",
    ),
    (
        "max_pool_shape",
        {"ksize": [1, 20, 1, 1]},
        "Filter must not be larger than the input: Filter: (20, 1) Input: (9, 8)",
    ),
    ("matmul_shape", {"inputs": [[2, None], [3, 4]]}, [2, 4]),
    ("matmul_shape", {"inputs": [[3, 4], [3, None]], "transpose_a": True}, [4, None]),
    ("matmul_shape", {"inputs": [[3, 4], [3, 4]]}, "Dimensions 4 and 3 are not compatible"),
]


@pytest.mark.parametrize("given", SHAPES)
def test_shapes_out_of_operations(given: tuple[str, dict[str, Any], Any]) -> None:
    name, attrs, expected = given
    defaults: dict[str, Any] = {"strides": ROW, "ksize": ROW, "padding": b"SAME"}
    defaults |= {"transpose_a": False, "transpose_b": False, **attrs}
    shapes = defaults.pop("inputs", [IMAGES, BY_CHANNEL, POINTWISE])
    function = getattr(inside(tf, "framework.common_shapes"), name)
    with tf.Graph().as_default():
        node = Node([tf.placeholder(tf.float32, shape) for shape in shapes], **defaults)
        found = told(lambda: function(node)[0].as_list())
    assert found == (expected if isinstance(expected, list) else ("ValueError", expected))


def test_shapes_of_any_operation() -> None:
    module, found = inside(tf, "framework.common_shapes"), []
    with tf.Graph().as_default():
        node = Node([tf.placeholder("float32", [2, None])])
        for name in ("", "_at_least", "_at_most"):
            functions = map(getattr(module, f"unchanged_shape_with_rank{name}"), (1, 2, 3))
            found.append([told(lambda f=f: f(node)[0].as_list()) for f in functions])
    kept = [2, None]
    fails = [("ValueError", f"Shape (2, ?) must have rank {r}") for r in (1, 3)]
    assert found[0] == [fails[0], kept, fails[1]]
    assert found[1] == [kept, kept, ("ValueError", "Shape (2, ?) must have rank at least 3")]
    assert found[2] == [("ValueError", "Shape (2, ?) must have rank at most 1"), kept, kept]
    size = module.get_conv_output_size
    assert size((1, 1), (1, 1), (2, 2), b"X") == (1, 1)
    assert size((None, 5), (2, None), (2, 2), b"VALID") == (None, None)
    unknown = tf.Dimension(None)
    assert module.get2d_conv_output_size(7, unknown, 3, 3, 2, 2, b"SAME") == (4, None)


def walks(library: Any) -> list[Any]:
    selector = inside(library, "ops.op_selector")
    found: list[Any] = []
    with library.Graph().as_default() as graph:
        x = library.placeholder("float32", [2, None], name="x")
        y = library.placeholder("float32", name="y")
        with library.control_dependencies([y]):
            z = library.add(library.sin(x, name="sine"), 1.0, name="sum")
        end = library.identity(z, name="end")
        found.append([op.name for op in selector.graph_inputs(z.op)])
        found += [selector.is_differentiable(graph.get_operation_by_name(n)) for n in ("sum", "x")]
        arguments: list[tuple[Any, Any, bool]] = [
            ({x}, None, False),
            (set(), None, True),
            ({x, y}, None, False),
            ({x}, {z.op}, False),
        ]
        for sources, refused, adds in arguments:
            users: Any = collections.defaultdict(set)
            visited: Any = set()
            sources = type(selector.map_subgraph(end, set(), None, set(), users, True))(sources)
            users.clear()
            try:
                met = selector.map_subgraph(end, sources, refused, visited, users, adds)
                found.append(sorted(each.name for each in met))
            except selector.UnliftableError as error:
                found.append(str(error).split("e.g.: ")[1])
            found.append(sorted(op.name for op in visited))
            found.append({op.name: sorted(each.name for each in of) for op, of in users.items()})
        found.append(selector.check_graphs(x, y))
        with library.Graph().as_default():
            found.append(told(lambda: selector.check_graphs(x, y, library.constant(1.0))))
    return found


def test_ways_through_graphs() -> None:
    found = walks(tf)
    assert found[0] == ["sine", "sum/y"]
    assert found.pop() == ("ValueError", "Argument[2]: Wrong graph!")  # 1.15's text.
    assert found == walks(oracle)[:-1]
    # TensorFlow 1.15 has these, and 2 has not.
    utils = inside(tf, "layers.utils")
    with tf.Graph().as_default():
        shapes_given = ([2, None], [], None)
        assert [utils.static_shape(tf.placeholder("float32", s)) for s in shapes_given] == [
            (2, None),
            (),
            None,
        ]
        assert utils.static_shape(None) is None
        x, y = tf.constant(1.0), tf.constant(2.0)
        z = tf.add(tf.sin(x, name="sine"), y, name="sum")
        reached = utils.get_reachable_from_inputs([x], [z])
        assert {x, z} < reached and y not in reached
        assert utils.object_list_uid([x, [y]]) == f"{id(x)}, {id(y)}"


BROADCAST = [
    # Shapes of two operands; what 1.15 says of each: its shape, what to sum over, whether to.
    ([2, 3], [3], ((2, 3), (), False), ((3,), (0,), True)),
    ([2, 3], [2, 3], ((2, 3), (), False), ((2, 3), (), False)),
    ([2, 1], [1, 3], ((2, 1), (1,), True), ((1, 3), (0,), True)),
    ([1], [1, 1], ((1,), (0, 1), True), ((1, 1), (0, 1), False)),
    ([1, 3], [3], ((1, 3), (0,), False), ((3,), (0,), True)),
    ([], [2], ((), (0,), True), ((2,), (), False)),
    ([1], [1], ((1,), (), False), ((1,), (), False)),
]


def test_pieces_of_gradients() -> None:
    module = inside(tf, "ops.math_grad")
    with tf.Graph().as_default(), tf.Session() as session:
        for one, other, *told_of in BROADCAST:
            x, y = tf.zeros(one), tf.zeros(other)
            assert list(module.SmartBroadcastGradientArgs(x, y, x + y)) == told_of
        x = tf.placeholder("float32", [None, 2])
        y = tf.placeholder("float32", [2])
        (_, axes_x, reduces), (shape_y, axes_y, _) = module.SmartBroadcastGradientArgs(x, y, x)
        fetched = session.run([axes_x, shape_y, axes_y], {x: np.ones((3, 2)), y: [1.0, 2.0]})
        assert [each.tolist() for each in fetched] == [[], [2], [0]] and reduces is True
        # By the names of TensorFlow's functions.
        product = tf.matmul(tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]]))
        for path, name, op, grad, expected in (
            ("ops.math_grad", "_MatMulGrad", product.op, [[2.0]], [[6.0, 8.0]]),
            ("ops.nn_grad", "_ReluGrad", tf.nn.relu([-1.0, 3.0]).op, [5.0, 7.0], [0.0, 7.0]),
            ("ops.array_grad", "_IdGrad", tf.identity([1.0]).op, [4.0], [4.0]),
            ("ops.data_flow_grad", "_DynamicStitchGrads", None, None, None),
            ("ops.array_grad", "_ConcatGradV2", None, None, None),
        ):
            function = getattr(inside(tf, path), name)
            if op is not None:
                made = function(op, tf.constant(grad))
                first = made[0] if isinstance(made, (list, tuple)) else made
                assert session.run(first).tolist() == expected
        with pytest.raises(AttributeError, match="_NoSuchThingGrad"):
            _ = module._NoSuchThingGrad
        assert inside(tf, "ops.data_flow_grad")._DynamicStitchGrads is not None
        defaults = inside(tf, "ops.default_gradient")
        variable = tf.get_variable("v", [2], "float64", use_resource=True)
        assert defaults.shape_and_dtype(variable.handle) == (tf.TensorShape([2]), tf.float64)
        assert defaults.get_zeros_dtype(tf.constant(1)) is tf.int32
        frozen = tf.get_variable("frozen", [], trainable=False)
        by_name = inside(tf, "ops.custom_gradient").get_variable_by_name
        assert by_name("v") is variable and by_name(frozen.op.name) is None
        with pytest.raises(ValueError, match=r"Unsuccessful at finding variable w\."):
            by_name("w")
        pairs = inside(tf, "training.optimizer").get_filtered_grad_fn(lambda: [(None, 1), (2, 3)])
        assert pairs() == [(2, 3)]


def states(library: Any) -> list[Any]:
    ctc = inside(library, "ops.ctc_ops")
    with library.Graph().as_default(), open_session(library) as session:
        moves = np.log(RANDOM_MOVES)
        first, last = np.log([[0.5, 0.3, 0.2]] * 2), np.log([[0.2, 0.2, 0.6]] * 2)
        given = [each.astype(np.float32) for each in (moves, first, last, np.log(OBSERVED))]
        made = []
        for onward in (given[0], np.stack([given[0]] * 2)):
            tensors = [library.constant(each) for each in (onward, *given[1:])]
            made += ctc._forward_backward_log(*tensors, library.constant([4, 2]))
        lengths = map(library.constant, LENGTHS)
        made += ctc.ctc_loss_and_grad(library.constant(LOGITS), library.constant(LABELS), *lengths)
        found = session.run(made)
        try:
            ctc._forward_backward_log(library.constant([1.0]), *tensors[1:], [4, 2])
        except ValueError as error:
            found.append(str(error))
    return found


RANDOM_MOVES = RANDOM.dirichlet(np.ones(3), 3)
OBSERVED = RANDOM.dirichlet(np.ones(3), (4, 2))


def test_states_of_sequences() -> None:
    ours, theirs = states(tf), states(oracle)
    refused = "state_trans_log_probs rank must be known and == 2 or 3, is: 1"  # 1.15's text.
    assert ours.pop() == refused and len(ours) == 6 and theirs.pop()
    # Behind a sequence's end 1.15 leaves what nothing is taken off.
    ended = np.arange(6)[:, None, None] >= LENGTHS[1][:, None]
    shares = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=2, keepdims=True)
    theirs[-1] = np.where(ended, shares, theirs[-1])
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def events(library: Any, folder: Path) -> list[Any]:
    written: list[Any] = []

    class Writer:
        def add_event(self, event: Any) -> None:
            written.append(event)

        def get_logdir(self) -> str:
            return str(folder)

    found: list[Any] = []
    module = inside(library, "summary.writer.writer")
    with library.Graph().as_default() as graph, open_session(library) as session:
        get = inside(library, "ops.logging_ops").get_summary_op
        found.append(get())
        library.summary.scalar("loss", 3.0)
        merged = get()
        found += [merged.name, get() is merged, merged in graph.get_collection("summary_op")]
        writer = module.SummaryToEventTransformer(Writer(), graph=graph)
        writer.add_summary(session.run(merged), 7)
        writer.add_session_log(library.SessionLog(status=library.SessionLog.START), 8)
        found += [(each.WhichOneof("what"), each.step) for each in written]
        found.append(written[2].summary.value[0].simple_value)
        events_v2 = inside(library, "summary.writer.event_file_writer_v2").EventFileWriterV2
        shared = events_v2(session, str(folder), filename_suffix=".here")
        shared.add_event(written[2])
        shared.close()
        (path,) = folder.glob("*.here")
        found += [each.step for each in library.train.summary_iterator(str(path))]
    return found


def test_summaries_become_events(tmp_path: Path) -> None:
    ours = events(tf, tmp_path / "ours")
    assert ours == events(oracle, tmp_path / "theirs")
    assert (ours[0], ours[-1]) == (None, 7)


def reads_objects(library: Any, folder: Path) -> list[Any]:
    saver, found = inside(library, "training.saver"), []
    with library.Graph().as_default(), open_session(library) as session:
        variable = library.get_variable("weights", initializer=[1.0, 2.0], use_resource=True)
        library.global_variables_initializer().run(session=session)
        path = library.train.Checkpoint(held=variable).save(str(folder / "model"), session=session)
        named = library.train.Saver([variable]).save(session, str(folder / "named"))
    found.append(saver.object_graph_key_mapping(path)["weights"])
    with library.Graph().as_default(), open_session(library) as session:
        variable = library.get_variable("weights", [2], use_resource=True)
        made = saver.saver_from_object_based_checkpoint(path)
        made.restore(session, path)
        found.append(session.run(variable).tolist())
        again = saver.saver_from_object_based_checkpoint(path, [variable], cached_saver=made)
        found.append(again is made)
        other = library.get_variable("other", [2])
        for where in (path, named):
            try:
                saver.saver_from_object_based_checkpoint(where, [variable, other])
            except (ValueError, library.errors.NotFoundError) as error:
                text = getattr(error, "message", str(error)).split("Could not find")[0]
                text = text.replace(str(folder), "FOLDER")
                found.append((type(error).__name__, text))
    return found


def test_savers_read_checkpoints_of_objects(tmp_path: Path) -> None:
    ours = reads_objects(tf, tmp_path / "ours")
    assert ours[1] == [1.0, 2.0]
    assert ours == reads_objects(oracle, tmp_path / "theirs")
