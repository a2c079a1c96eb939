"""What internal paths show to other libraries, against TensorFlow's modules of those names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1
from google.protobuf import text_format
from tensorboard.plugins.projector import projector_config_pb2
from tensorflow.python.keras.utils import conv_utils
from tensorflow.python.keras.utils.generic_utils import to_snake_case as snake
from tensorflow.python.ops import metrics_impl

import dataflow as tf
from dataflow.contrib.nn import cross_entropy
from dataflow.contrib.tensorboard.plugins import projector
from dataflow.porting.spellings import debuggers, devices, events
from dataflow.porting.spellings.framework import element_types, graphs
from dataflow.porting.spellings.keras import lengths as keras_lengths
from dataflow.porting.spellings.ops import metrics, variables
from tests.oracle import open_session

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(0)


def both(build: Any) -> list[Any]:
    """What both libraries compute, after their local variables have been made."""
    results = []
    for library, module in ((tf, metrics), (tf1, metrics_impl)):
        graph = library.Graph()
        with graph.as_default():
            value, update = build(library, module)
            start = library.local_variables_initializer()
            names = [v.name for v in library.local_variables()]
        with open_session(library, graph) as session:
            session.run(start)
            results.append((session.run(update), session.run(value), names))
    return results


@pytest.mark.parametrize("includes", [None, ("fp",), ("tn", "tp")])
def test_counts_at_thresholds(includes: Any) -> None:
    labels, predictions = RANDOM.uniform(size=9) > 0.5, RANDOM.uniform(size=9)
    weights = RANDOM.uniform(size=9)
    ours, theirs = both(
        lambda library, module: module._confusion_matrix_at_thresholds(
            library.constant(labels),
            library.constant(predictions, library.float32),
            [0.2, 0.6],
            library.constant(weights, library.float32),
            includes,
        )
    )
    assert ours[2] == theirs[2]
    for mine, other in zip(ours[:2], theirs[:2], strict=True):
        assert list(mine) == list(other)
        for key in mine:
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-6)


def test_counts_of_no_such_kind() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Invalid key: xp"):
        metrics._confusion_matrix_at_thresholds([True], [0.5], [0.5], includes=("xp",))


def test_average_precision_of_the_best() -> None:
    best, labels = np.array([[2, 0], [1, 3]]), np.array([[0], [1]])
    ours, theirs = both(
        lambda library, module: module._streaming_sparse_average_precision_at_top_k(
            library.constant(labels), library.constant(best)
        )
    )
    assert ours == theirs
    with tf.Graph().as_default():
        for wrong in (tf.placeholder(tf.int64, [2, None]), tf.constant(2)):
            with pytest.raises(ValueError, match="predictions_idx"):
                metrics._streaming_sparse_average_precision_at_top_k(tf.constant(labels), wrong)


def test_variables_of_metrics() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        total = metrics.metric_variable([], tf.float32, name="total")
        assert isinstance(total, variables.VariableV1) and total.op.name == "total"
        metrics._aggregate_variable(total, ["values"])
        ratio = metrics._safe_scalar_div(total, total, "ratio")
        session.run(tf.variables_initializer(tf.get_collection("metric_variables")))
        assert session.run([ratio, *tf.get_collection("values")]) == [0.0, 0.0]


def test_the_graph_of_inputs() -> None:
    one, two = tf.Graph(), tf.Graph()
    with one.as_default():
        a, v = tf.constant(1), tf.Variable(1.0)
    with two.as_default():
        b = tf.constant(1)
        assert graphs._get_graph_from_inputs([2, "x"]) is two
        assert graphs._get_graph_from_inputs([2, v]) is one
        with pytest.raises(ValueError, match="same graph"):
            graphs._get_graph_from_inputs([a, b])
        with pytest.raises(ValueError, match="not from the passed-in graph"):
            graphs._get_graph_from_inputs([v], graph=two)
    assert graphs._as_graph_element(v).op.type == "VariableV2"
    assert graphs._as_graph_element(3) is None


def test_what_is_like_a_tensor() -> None:
    """As Keras' backend asks; a variable is none in TensorFlow either."""
    with tf.Graph().as_default():
        a = tf.constant([1])
        likes = [a, tf.sparse_placeholder("float"), tf.IndexedSlices(a, a)]
        assert all(isinstance(each, (tf.Operation, graphs._TensorLike)) for each in likes)
        others = [3, a.op, tf.Variable(1.0)]
        assert not any(isinstance(each, graphs._TensorLike) for each in others)


def test_devices_of_what_looks_like_an_operation() -> None:
    """Keras asks with an object that takes a device, and has nothing else of an operation."""

    class Asks:
        def __init__(self) -> None:
            self.devices: list[Any] = []

        def _set_device(self, device: Any) -> None:
            self.devices.append(device)

    with tf.Graph().as_default() as graph:
        asks = Asks()
        graph._apply_device_functions(asks)
        assert not asks.devices
        with tf.device("/gpu:1"):
            graph._apply_device_functions(asks)
        (device,) = asks.devices
        assert (device.device_type, device.device_index) == ("GPU", 1)
        made = tf.no_op()
        with tf.device("/job:ps"), tf.device("/cpu:0"):
            graph._apply_device_functions(made)
        assert made.device == "/job:ps/device:CPU:0"
    assert devices.DeviceSpecV1 is tf.DeviceSpec


def test_types_of_references() -> None:
    assert element_types.float32_ref.base_dtype == tf.float32
    with pytest.raises(AttributeError):
        _ = element_types.no_ref


def test_an_events_writer(tmp_path: Path) -> None:
    writer = events.EventsWriter(bytes(tmp_path / "mine"))
    writer.WriteEvent(tf.Event(step=3))
    assert writer.Flush() and writer.Close()
    (path,) = tmp_path.iterdir()
    assert writer.FileName() != bytes(path) and path.name.startswith("mine.out.tfevents.")
    assert [e.step for e in tf1.train.summary_iterator(str(path))] == [0, 3]
    suffixed = events.EventsWriter(str(tmp_path / "other"))
    suffixed.InitWithSuffix(".x")
    assert suffixed.FileName().endswith(b".x") and Path(suffixed.FileName().decode()).exists()
    with pytest.raises(TypeError, match="Expected an event_pb2"):
        writer.WriteEvent(b"")


def test_the_debugger_asks_nothing() -> None:
    with pytest.raises(NotImplementedError, match="LocalCLIDebugWrapperSession"):
        debuggers.LocalCLIDebugWrapperSession(None)
    assert debuggers.has_inf_or_nan(None, np.array([1.0, np.nan]))
    assert debuggers.has_inf_or_nan(None, np.array([np.inf], np.float16))
    assert not debuggers.has_inf_or_nan(None, np.array([1.0]))
    assert not debuggers.has_inf_or_nan(None, np.array(["x"])) and not debuggers.has_inf_or_nan(
        None, None
    )


def test_embeddings_for_tensorboard(tmp_path: Path) -> None:
    """TensorBoard's own message reads what is written."""
    config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
    shown = config.embeddings.add()
    shown.tensor_name, shown.metadata_path = "words", "words.tsv"
    shown.sprite.image_path = "images.png"
    shown.sprite.single_image_dim.extend([2, 3])
    with tf.Graph().as_default():
        projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    text = (tmp_path / "projector_config.pbtxt").read_text()
    theirs = text_format.Parse(text, projector_config_pb2.ProjectorConfig())
    assert theirs.SerializeToString() == config.SerializeToString()

    class Nowhere:
        def get_logdir(self) -> None:
            return None

    with pytest.raises(ValueError, match="must have a logdir"):
        projector.visualize_embeddings(Nowhere(), config)


@pytest.mark.parametrize("kind", ["softmax", "sparse_softmax", "sigmoid"])
def test_flipped_cross_entropies(kind: str) -> None:
    logits = RANDOM.standard_normal((4, 3)).astype(np.float32)
    labels: Any = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
    if kind == "sparse_softmax":
        labels = labels.argmax(1)
    with tf.Graph().as_default(), tf.Session() as session:
        flipped = getattr(cross_entropy, f"deprecated_flipped_{kind}_cross_entropy_with_logits")
        ours = session.run(flipped(logits, labels))
    with tf1.Graph().as_default(), open_session(tf1) as session:
        function = getattr(tf1.nn, f"{kind}_cross_entropy_with_logits")
        theirs = session.run(function(labels=labels, logits=logits))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_what_is_computed_fails_in_a_step() -> None:
    """A wrong constant is refused at once, as TensorFlow does; what is made of one is not."""
    for library in (tf, tf1):
        with library.Graph().as_default():
            x = library.constant([1, 2])
            with pytest.raises(library.errors.InvalidArgumentError):
                library.assert_less(x, [2, 2])
            library.assert_less(library.reshape(x, [2]), [2, 2])
            library.assert_less(x + 0, [2, 2])
            library.assert_less(library.stack([library.reshape(x, [2])]), [[2, 2]])


def test_regularization_losses_stand_for_tensors() -> None:
    """Other libraries average them, and ask who uses them."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.get_variable("w", initializer=[1.0, 2.0], regularizer=tf.nn.l2_loss)
        (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        with graph.name_scope("averages"):
            assert graph._name_stack == "averages"
            averages = tf.train.ExponentialMovingAverage(0.5)
            update = averages.apply([loss])
        session.run(tf.global_variables_initializer())
        session.run(update)
        assert session.run(averages.average(loss)) == 1.25
        assert loss.ref() == loss.experimental_ref()
        used = tf.identity(loss.op.outputs[0])
        assert used.op in loss.consumers()


def test_the_session_below_a_monitored_one() -> None:
    with tf.Graph().as_default(), tf.train.SingularMonitoredSession() as session:
        assert session._tf_sess() is session.raw_session() and session._tf_sess() is not None
    assert session._tf_sess() is None


def test_lengths_of_convolutions_as_keras_has_them() -> None:
    for padding, output in (("same", 1), ("valid", 0), ("full", 1), ("same", None)):
        for arguments in ((7, 3, padding, output, 2, 1), (5, 4, padding, output, 3, 2)):
            wanted = conv_utils.deconv_output_length(*arguments)
            assert keras_lengths.deconv_output_length(*arguments) == wanted
    assert keras_lengths.conv_output_length(7, 3, "causal", 2, 2) == conv_utils.conv_output_length(
        7, 3, "causal", 2, 2
    )
    assert keras_lengths.normalize_data_format(None) == "channels_last"
    assert keras_lengths.normalize_padding([1]) == [1]
    with pytest.raises(ValueError, match="must be a list/tuple"):
        keras_lengths.normalize_padding("full")
    kernel = RANDOM.randn(2, 3, 4, 5)
    np.testing.assert_array_equal(keras_lengths.convert_kernel(kernel), kernel[::-1, ::-1])
    for name in ("LayerNorm", "_Private", "LSTMCell", "GRU2"):
        assert keras_lengths.to_snake_case(name) == snake(name)
