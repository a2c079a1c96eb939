"""tf.compat.v2 as programs see it that run as TensorFlow's, against TensorFlow 2's in a graph."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as oracle

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.paths import SOURCES
from tests.oracle import open_session

tf1 = oracle.compat.v1


class _Ours:
    """A module of ours by TensorFlow's path; where TensorFlow is, its modules go by these paths."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}"
        return _Ours(path) if path in SOURCES else getattr(TensorflowModule(self._path), name)


OURS = _Ours("tensorflow.compat.v2")
THEIRS = oracle.compat.v2
RANDOM = np.random.RandomState(0)
MODULES = (
    *("top", "debugging", "image", "io", "linalg", "math", "nn", "random", "sparse", "strings"),
    "summary",
)
IMAGES = RANDOM.normal(size=(2, 6, 5, 3)).astype(np.float32)
FILTERS = RANDOM.normal(size=(3, 2, 3, 4)).astype(np.float32)
KERNEL = RANDOM.normal(size=(3, 2, 2, 4, 1)).astype(np.float32)
TABLES = [RANDOM.normal(size=(3, 2)).astype(np.float32) for _ in range(2)]
RANDOM_BATCH = RANDOM.normal(size=(4, 2, 4, 1)).astype(np.float32)
NEWER = {
    "allow_fast_lookup",
    "antialias",
    "bad_indices_policy",
    "binary_output",
    "dtype",
    "fixed_length",
    "layout",
    "sparse_gradient",
}
"""Arguments that TensorFlow 1.15's have not, or that are about what is not here."""


def module_of(library: Any, name: str) -> Any:
    if name == "top":
        return library
    return getattr(library, name)


def functions() -> list[tuple[str, str]]:
    found = []
    for name in MODULES:
        room = importlib.import_module(f"dataflow.porting.v2.{name}")
        shown = {key: value for key, value in vars(room).items() if not key.startswith("_")}
        found += [
            (name, key)
            for key, value in shown.items()
            if inspect.isfunction(value) and hasattr(module_of(THEIRS, name), key)
        ]
    return found


ABSENT = {"function", "GradientTape"}


@pytest.mark.parametrize(("module", "name"), functions())
def test_arguments_stand_where_tensorflow_2_has_them(module: str, name: str) -> None:
    if name in ABSENT:
        return
    ours = list(inspect.signature(getattr(module_of(OURS, module), name)).parameters)
    theirs = list(inspect.signature(getattr(module_of(THEIRS, module), name)).parameters)
    theirs = [each for each in theirs if each not in NEWER or each in ours]
    assert ours == theirs[: len(ours)]


def compute(library: Any, build: Any) -> list[Any]:
    one = tf if library is OURS else tf1
    graph = one.Graph()
    with graph.as_default():
        made = build(library)
        made = list(made) if isinstance(made, list | tuple) else [made]
    with open_session(one, graph) as session:
        return list(session.run(made))


def logits(v2: Any) -> tuple[Any, Any]:
    return v2.constant([[0.2, 0.8], [0.5, 0.5]]), v2.constant([[1.0, -2.0], [0.5, 3.0]])


def gradients_of_cross_entropy(v2: Any, labels: Any, scores: Any) -> Any:
    loss = v2.nn.softmax_cross_entropy_with_logits(labels, scores)
    return v2.gradients(loss, [labels, scores], None, "g", False)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "argmax": lambda v2: v2.argmax(v2.constant([[1, 5], [7, 2]]), 1, v2.int32),
    "argmin": lambda v2: v2.math.argmin(v2.constant([[1, 5], [7, 2]])),
    "reduce": lambda v2: [
        v2.reduce_sum(v2.constant(IMAGES), 1, True),
        v2.math.reduce_logsumexp(v2.constant(IMAGES), [1, 2], False, "a"),
        v2.reduce_any(v2.constant([[True, False]]), axis=1, keepdims=True),
    ],
    "count": lambda v2: v2.math.count_nonzero(v2.constant([[0, 5], [7, 2]]), 1, None, v2.int32),
    "where": lambda v2: v2.where(v2.constant([[True], [False]]), v2.constant([1, 2]), 0),
    "shapes": lambda v2: [
        v2.shape(v2.constant(IMAGES), v2.int64),
        v2.size(v2.constant(IMAGES), v2.int64),
        v2.zeros_like(input=[1, 2], dtype=v2.float32),
        v2.ones_like(input=[1, 2]),
        v2.expand_dims([1, 2], 1),
        v2.squeeze([[1, 2]], 0),
    ],
    "gather": lambda v2: v2.gather(v2.constant([[1, 2], [3, 4]]), [1, 0], None, 1, 0, "g"),
    "batch_gather": lambda v2: v2.gather_nd(v2.constant([[1, 2], [3, 4]]), [[1], [0]], 1),
    "mask": lambda v2: v2.boolean_mask([[1, 2], [3, 4]], [True, False], 1),
    "pad": lambda v2: v2.pad([[1, 2]], [[1, 0], [0, 1]], "CONSTANT", 9),
    "transpose": lambda v2: v2.transpose(v2.constant([[1 + 2j]]), None, True),
    "convert": lambda v2: v2.convert_to_tensor([1, 2], None, v2.float64, "x"),
    "loop": lambda v2: v2.while_loop(
        lambda i: i < 9, lambda i: [i + 1], [v2.constant(0)], None, 1, True, False, 4
    ),
    "loop_of_one": lambda v2: v2.while_loop(lambda i: i < 9, lambda i: i + 2, (v2.constant(0),)),
    "norm": lambda v2: v2.norm(v2.constant(IMAGES), 2, [1, 2], True),
    "softmax": lambda v2: [
        v2.nn.softmax(v2.constant(IMAGES), 1),
        v2.nn.log_softmax(v2.constant(IMAGES), axis=2),
    ],
    "cross_entropy": lambda v2: [
        v2.nn.softmax_cross_entropy_with_logits(*logits(v2), 0),
        v2.nn.sigmoid_cross_entropy_with_logits(*logits(v2)),
        v2.nn.sparse_softmax_cross_entropy_with_logits([1, 0], logits(v2)[1]),
        v2.nn.weighted_cross_entropy_with_logits(*logits(v2), 3.0),
    ],
    "cross_entropy_gradient": lambda v2: gradients_of_cross_entropy(v2, *logits(v2)),
    "conv2d": lambda v2: v2.nn.conv2d(
        v2.constant(IMAGES), filters=FILTERS, strides=2, padding="SAME"
    ),
    "conv1d": lambda v2: v2.nn.conv1d(v2.constant(IMAGES[0]), FILTERS[0], 2, "VALID"),
    "conv2d_transpose": lambda v2: v2.nn.conv2d_transpose(
        v2.constant(IMAGES), FILTERS.transpose(0, 1, 3, 2), [2, 12, 10, 4], 2
    ),
    "convolution": lambda v2: v2.nn.convolution(
        v2.constant(IMAGES), FILTERS, [1, 1], "SAME", None, [2, 1]
    ),
    "depthwise": lambda v2: v2.nn.depthwise_conv2d(
        v2.constant(IMAGES), FILTERS, [1, 1, 1, 1], "SAME", None, [1, 2]
    ),
    "dilation": lambda v2: [
        v2.nn.dilation2d(
            v2.constant(IMAGES), FILTERS[..., 0], [1, 2, 1, 1], "SAME", "NHWC", [1, 1, 2, 1]
        ),
        v2.nn.erosion2d(
            v2.constant(IMAGES), FILTERS[..., 0], [1, 1, 2, 1], "SAME", "NHWC", [1, 2, 1, 1]
        ),
    ],
    "pools": lambda v2: [
        v2.nn.max_pool(v2.constant(IMAGES), 2, 2, "SAME"),
        v2.nn.avg_pool2d(input=v2.constant(IMAGES), ksize=2, strides=1, padding="VALID"),
        v2.nn.pool(v2.constant(IMAGES), [2, 2], "AVG", [2, 1], "SAME"),
        *v2.nn.max_pool_with_argmax(v2.constant(IMAGES), 2, 2, "SAME"),
    ],
    "moments": lambda v2: v2.nn.moments(v2.constant(IMAGES), [0, 1], None, True),
    "weighted_moments": lambda v2: v2.nn.weighted_moments(v2.constant(IMAGES), [0], 2.0, True),
    "dropout": lambda v2: v2.nn.dropout(v2.constant(IMAGES), 0.0),
    "lookup": lambda v2: v2.nn.embedding_lookup([v2.constant(t) for t in TABLES], [0, 1, 5]),
    "lookup_sparse": lambda v2: v2.nn.embedding_lookup_sparse(
        [v2.constant(t) for t in TABLES],
        v2.SparseTensor([[0, 0], [0, 1], [1, 0]], v2.constant([1, 5, 2], v2.int64), [2, 2]),
        None,
    ),
    "strings": lambda v2: [
        v2.strings.length("äb", "UTF8_CHAR"),
        v2.strings.substr("abc", 1, 1, "BYTE"),
        v2.strings.reduce_join([["a", "b"], ["c", "d"]], 1, True, "-"),
        v2.strings.to_hash_bucket(["a"], 7),
        v2.strings.split(["a b", "c"], " ").flat_values,
        v2.strings.split(["a b", "c"]).row_splits,
    ],
    "decode_csv": lambda v2: v2.io.decode_csv("1:?:x", [[0], [5]], ":", True, "?", [0, 1]),
    "sparse": lambda v2: [
        v2.sparse.reduce_sum(v2.sparse.from_dense([[1, 0], [2, 3]]), 1, True),
        v2.sparse.reduce_max(
            v2.sparse.from_dense([[1, 0], [2, 3]]), 0, output_is_sparse=True
        ).values,
        v2.sparse.segment_mean([[1.0, 2.0], [3.0, 4.0]], [0, 1], [0, 2], 4),
        v2.sparse.split(v2.sparse.from_dense([[1, 0], [2, 3]]), 2, 1)[1].values,
    ],
    "conv3d_transpose": lambda v2: v2.nn.conv3d_transpose(
        v2.constant(IMAGES[..., None]),
        KERNEL,
        [2, 6, 5, 3, 4],
        1,
        "SAME",
    ),
    "blocks": lambda v2: [
        v2.batch_to_space(v2.constant(RANDOM_BATCH), 2, [[0, 1], [0, 0]]),
        v2.batch_to_space(v2.constant(RANDOM_BATCH), [1, 2], [[0, 0], [1, 0]]),
        v2.space_to_batch(v2.constant(RANDOM_BATCH), [2, 2], [[0, 0], [0, 0]]),
    ],
    "confusion": lambda v2: v2.math.confusion_matrix([1, 0], [1, 1], 3, [2, 3], v2.int64),
    "in_top_k": lambda v2: v2.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], 1),
}
for _method in ("bilinear", "nearest", "bicubic", "area"):
    for _size in ((9, 4), (3, 10)):
        PROGRAMS[f"resize_{_method}_{_size}"] = lambda v2, method=_method, size=_size: [
            v2.image.resize(v2.constant(IMAGES), size, method),
            v2.image.resize(IMAGES[0], size, method, preserve_aspect_ratio=True),
        ]
PROGRAMS["resize by filters"] = lambda v2: [
    *(
        v2.image.resize(v2.constant(IMAGES), (9, 3), method)
        for method in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")
    ),
    *(
        v2.image.resize(v2.constant(IMAGES), (2, 3), method, antialias=True)
        for method in ("bilinear", "bicubic", "nearest", "area")
    ),
    v2.image.resize(v2.constant(IMAGES.astype(np.uint8)), IMAGES.shape[1:3]),
]
PROGRAMS["resize with borders"] = lambda v2: [
    v2.image.resize_with_pad(v2.constant(IMAGES), 9, 3),
    v2.image.resize_with_pad(IMAGES[0], v2.constant(2), 7, "bicubic", antialias=True),
]
PROGRAMS["glimpses"] = lambda v2: v2.image.extract_glimpse(
    v2.constant(IMAGES), [3, 9], np.zeros([len(IMAGES), 2], np.float32), noise="zero"
)
PROGRAMS["raw bytes"] = lambda v2: [
    v2.io.decode_raw(["string1", "st"], v2.uint8, fixed_length=8),
    v2.io.decode_raw(["string1", "st"], v2.int16, little_endian=False, fixed_length=4),
    v2.io.decode_raw(["ab", "cd"], v2.uint8),
]
PROGRAMS["split"] = lambda v2: [
    v2.strings.split("a,b,,c", ","),
    v2.strings.split(["a b", "", " c"]).values,
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_compute_what_tensorflow_2_does(name: str) -> None:
    ours, theirs = compute(OURS, PROGRAMS[name]), compute(THEIRS, PROGRAMS[name])
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.asarray(mine).dtype.kind == np.asarray(other).dtype.kind
        if np.asarray(mine).dtype.kind in "OS":
            assert np.array_equal(mine, other)
        else:
            np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-5)


def test_checks_say_the_message_and_fail_when_they_run() -> None:
    texts = []
    for library, one in ((OURS, tf), (THEIRS, tf1)):
        with one.Graph().as_default() as graph:
            x = one.placeholder(one.int32, [2])
            with graph.control_dependencies([library.debugging.assert_less(x, 3, "too large", 2)]):
                y = library.identity(x)
            with pytest.raises(ValueError, match="rank one, please"):
                library.debugging.assert_rank(x, 2, "rank one, please")
            with open_session(one, graph) as session:
                assert session.run(y, {x: [1, 2]}).tolist() == [1, 2]
                with pytest.raises(one.errors.InvalidArgumentError) as caught:
                    session.run(y, {x: [1, 4]})
                texts.append("too large" in caught.value.message)
    assert texts == [True, True]


def test_variables_are_behind_handles() -> None:
    for library, one in ((OURS, tf), (THEIRS, tf1)):
        with one.Graph().as_default() as graph:
            made = library.Variable([1.0, 2.0], False, name="v")
            old = one.Variable(1.0, use_resource=False)
            assert isinstance(made, library.Variable) and made.op.type == "VarHandleOp"
            assert not made.trainable and not isinstance(1, library.Variable)
            if library is OURS:
                assert isinstance(old, library.Variable) and issubclass(type(old), library.Variable)
            with open_session(one, graph) as session:
                session.run(one.global_variables_initializer())
                assert session.run(made).tolist() == [1.0, 2.0]


def test_initializers_have_other_defaults() -> None:
    with tf.Graph().as_default() as graph:
        normal = OURS.random_normal_initializer(seed=1)([1000], tf.float32)
        uniform = OURS.initializers.RandomUniform(seed=1)([1000], tf.float32)
        with open_session(tf, graph) as session:
            a, b = session.run([normal, uniform])
    assert 0.045 < a.std() < 0.055 and np.abs(b).max() < 0.05


def test_losses_metrics_and_optimizers_are_those_of_keras() -> None:
    assert OURS.losses.Reduction.AUTO == "auto"
    with tf.Graph().as_default() as graph:
        x = OURS.Variable([1.0, 2.0])
        loss = OURS.losses.MeanSquaredError()(tf.zeros([2]), x)
        step = OURS.optimizers.SGD(0.5).minimize(lambda: loss, [x])
        accuracy = OURS.metrics.binary_accuracy(tf.zeros([2, 1]), tf.constant([[0.2], [0.8]]))
        with open_session(tf, graph) as session:
            session.run(tf.global_variables_initializer())
            assert session.run([loss, accuracy])[0] == 2.5
            session.run(step)
            assert session.run([x, accuracy])[0].tolist() == [0.5, 1.0]
            assert session.run(accuracy).tolist() == [1.0, 0.0]


def test_what_is_eager_says_so_when_it_is_called() -> None:
    with pytest.raises(NotImplementedError, match="no eager execution"):
        OURS.enable_v2_behavior()
    with pytest.raises(NotImplementedError, match=r"tf\.compat\.v2\.function"):
        OURS.function(lambda: 0)
    with pytest.raises(TypeError, match=r"conv2d\(\) missing a required argument: 'strides'"):
        OURS.nn.conv2d(IMAGES, FILTERS)


def test_modules_lead_on(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import tensorflow.compat.v2 as tf
import tensorflow.compat.v2.nn
from tensorflow.compat import v2
from tensorflow.compat.v2.compat.v1 import placeholder
import tensorflow as tf1
assert v2 is tf and tf.compat.v2.argmax is tf.argmax and tf.compat.v1.placeholder is placeholder
assert placeholder is tf1.placeholder and tf.newaxis is None and tf.nest.flatten([1, [2]]) == [1, 2]
assert tf.bitwise.bitwise_and is tf1.bitwise.bitwise_and and tf.nn is tensorflow.compat.v2.nn
print(tf.__version__, tf.nn.conv2d is tf1.nn.conv2d)
""")
    done = subprocess.run(
        [sys.executable, "-m", "dataflow", "run", str(program)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["1.15.5", "False"]
