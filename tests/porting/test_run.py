"""python -m dataflow run: programs that import TensorFlow, unchanged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dataflow as tf
from tests.house.tree import ROOT

PROGRAMS = Path(__file__).parent / "programs"


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dataflow", *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_a_program_from_before_1_0(tmp_path: Path) -> None:
    done = run("run", str(PROGRAMS / "old_style.py"), "--steps=50", "--logs", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fitted 3.0 [20, 2, 1] __main__\n"
    (events,) = tmp_path.iterdir()
    losses = [
        v.simple_value for e in tf.train.summary_iterator(str(events)) for v in e.summary.value
    ]
    assert len(losses) == 50 and losses[-1] < 1e-6 < losses[0]


def test_a_module_a_folder_and_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("import tensorflow as tf\nvalue = tf.constant(7)\n")
    text = "import beside, sys\n"
    text += "with beside.tf.Session() as s: print(s.run(beside.value), sys.argv[1:])"
    (tmp_path / "main.py").write_text(text)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "__main__.py").write_text("import tensorflow; print(tensorflow.__version__)")
    for arguments in (["main.py"], ["-m", "main"]):
        done = run("run", *arguments, "-m", "--help", cwd=tmp_path)
        assert done.stdout == "7 ['-m', '--help']\n", done.stderr
    assert run("run", str(folder)).stdout == "1.15.5\n"


def test_no_such_program() -> None:
    done = run("run", "nothing.py")
    assert done.returncode == 2 and "there is no nothing.py" in done.stderr


def test_what_a_program_raises_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("import tensorflow as tf\n\nraise SystemExit(3)\n")
    assert run("run", str(tmp_path / "wrong.py")).returncode == 3
    (tmp_path / "fails.py").write_text("import tensorflow as tf\n\ntf.constant([1]) + 'a'\n")
    done = run("run", str(tmp_path / "fails.py"))
    assert done.returncode == 1 and 'fails.py", line 3' in done.stderr


def test_tracebacks_are_those_of_the_program_by_itself(tmp_path: Path) -> None:
    text = "def f():\n    return {}['key']\n\n\nf()\n"
    (tmp_path / "fails.py").write_text(text)
    done = run("run", "fails.py", cwd=tmp_path)
    alone = subprocess.run(
        [sys.executable, "fails.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    places = [line for line in done.stderr.splitlines() if line.lstrip().startswith("File ")]
    assert [place.split(", ")[1:] for place in places] == [
        ["line 5", "in <module>"],
        ["line 2", "in f"],
    ]
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, alone.stderr.splitlines()[-1])
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    done = run("run", "interrupted.py", cwd=tmp_path)
    assert done.returncode == 130 and done.stderr.endswith("KeyboardInterrupt\n")


def test_programs_for_python_2(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("import tensorflow as tf\nprint 'steps', 3\n")
    done = run("run", "old.py", cwd=tmp_path)
    assert done.returncode == 1 and 'File "old.py", line 2' in done.stderr
    assert "click" not in done.stderr and "python -m fissix -w FILE" in done.stderr
    done = run("check", "old.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "old.py, line 2: not read: Missing parentheses" in done.stdout
    assert "This is a program for Python 2." in done.stdout
    (tmp_path / "broken.py").write_text("import tensorflow as tf\n)\n")
    done = run("check", "broken.py", cwd=tmp_path)
    assert "broken.py, line 2: not read: unmatched ')'" in done.stdout


def as_tensorflow(text: str) -> str:
    """What lines print in a process in which TensorFlow means us."""
    program = f"import dataflow\ndataflow.as_tensorflow()\ndataflow.as_tensorflow()\n{text}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout or done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "import tensorflow as tf; tf.nn.rellu",
            "AttributeError: dataflow has no tensorflow.nn.rellu. "
            "The nearest that there is: tensorflow.nn.relu.",
        ),
        (
            "from tensorflow.python.ops import aray_ops",
            "ModuleNotFoundError: dataflow has no tensorflow.python.ops.aray_ops. "
            "The nearest that there is: tensorflow.python.ops.array_ops.",
        ),
        (
            "from tensorflow.python.ops.array_ops import conkat",
            "ModuleNotFoundError: dataflow has no tensorflow.python.ops.array_ops.conkat. "
            "The nearest that there is: tensorflow.python.ops.array_ops.concat.",
        ),
        ("import tensorflow.engine", "ModuleNotFoundError: dataflow has no tensorflow.engine."),
        (
            "import tensorflow.core.framework.nothing_pb2",
            "ModuleNotFoundError: dataflow has no tensorflow.core.framework.nothing_pb2.",
        ),
    ],
)
def test_what_is_not_there(line: str, error: str) -> None:
    # Python may add what it would have meant.
    assert as_tensorflow(line).startswith(error)


def test_pydoc_finds_what_is_in_a_module() -> None:
    lines = """
import pydoc
import tensorflow as tf
print(pydoc.locate("tensorflow.nn.rnn_cell.LSTMCell") is tf.nn.rnn_cell.LSTMCell)
print(pydoc.locate("tensorflow.nn.rellu"))
"""
    assert as_tensorflow(lines).split() == ["True", "None"]


def test_paths_lead_to_what_they_name() -> None:
    """The same object, by whatever path and form of import."""
    lines = """
import dataflow as ours
import tensorflow as tf
import tensorflow.compat.v1 as v1
import tensorflow.nn.rnn_cell as cells
import tensorflow.python.util.nest as nest
from tensorflow import nn
from tensorflow.core.framework import graph_pb2
from tensorflow.python.client import device_lib, timeline
from tensorflow.python.framework import constant_op, dtypes, ops, tensor_util
from tensorflow.python.layers import convolutional
from tensorflow.python.ops import gen_array_ops, gen_nn_ops, rnn_cell_impl, variable_scope as vs
from tensorflow.python.util import tf_contextlib, tf_inspect
assert v1.nn is ours.nn and v1.Graph is ours.Graph and cells.LSTMCell is ours.nn.rnn_cell.LSTMCell
assert nest.flatten is ours.nest.flatten
assert nn.relu is ours.nn.relu and nn.deconv2d is ours.nn.conv2d_transpose
assert graph_pb2.GraphDef is ours.GraphDef and dtypes.float32 is ours.float32
assert ops.Tensor is ours.Tensor and ops.convert_to_tensor is ours.convert_to_tensor
assert vs.get_variable is ours.get_variable and constant_op.constant_v1 is ours.constant
assert convolutional.Convolution2D is ours.layers.Conv2D
assert rnn_cell_impl.BasicLSTMCell is ours.nn.rnn_cell.BasicLSTMCell
assert tensor_util.constant_value(tf.constant(3)) == 3
assert tf_inspect.getargspec(lambda a, b: 0).args == ["a", "b"] and tf_contextlib.contextmanager
assert [d.device_type for d in device_lib.list_local_devices()] == ["CPU"]
op = gen_nn_ops.bias_add_grad([[1.0, 2.0], [3.0, 4.0]], name="g")
assert op.op.type == "BiasAddGrad" and op.op.name == "g"
assert gen_array_ops.expand_dims([1], 0).shape == [1, 1]
assert gen_nn_ops._max_pool_grad.__name__ == "max_pool_grad"
with tf.Session() as session: print(session.run(op))
"""
    assert as_tensorflow(lines) == "[4. 6.]\n"


def test_contrib() -> None:
    """Parts that are here, by public and internal paths; the others fail when they are used."""
    lines = """
import tensorflow as tf
import tensorflow.contrib.slim as slim
import tensorflow.contrib.tpu.python.tpu.tpu_config
from tensorflow.contrib import layers, kafka, nccl, tpu
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
from tensorflow.contrib.layers.python.layers import utils
from tensorflow.contrib.layers.python.layers.layers import batch_norm
from tensorflow.contrib.rnn.python.ops.core_rnn_cell import GRUCell
from tensorflow.python.ops.rnn_cell import GRUCell as other
assert slim.batch_norm is batch_norm is tf.contrib.layers.batch_norm and GRUCell is other
assert slim.arg_scope is arg_scope
assert layers.utils.collect_named_outputs is utils.collect_named_outputs
assert layers.fully_connected is tf.contrib.layers.fully_connected
where = tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
assert where == tpu.python.tpu.tpu_config.InputPipelineConfig.PER_HOST_V2
try: kafka.Reader(mode=1)
except NotImplementedError as error: print(error)
try:
    class Sum(nccl.Sum): pass
    Sum()
except NotImplementedError as error: print(error)
"""
    first, second = as_tensorflow(lines).splitlines()
    assert first == (
        "dataflow has no tf.contrib.kafka.Reader: tf.contrib.kafka is not here (Apache Kafka)."
    )
    assert second.startswith("dataflow has no tf.contrib.nccl.Sum: tf.contrib.nccl is not here")


def test_estimators_and_what_surrounds_them() -> None:
    """The paths by which programs have them."""
    lines = """
import tensorflow as tf
from tensorflow.python.estimator import estimator, model_fn as model_fn_lib
from tensorflow.python.estimator.model_fn import ModeKeys, EstimatorSpec
from tensorflow.python.estimator.export import export_output
from tensorflow.python.estimator.export.export import build_raw_serving_input_receiver_fn
from tensorflow.python.estimator import run_config
from tensorflow.python.estimator.inputs import numpy_io
from tensorflow.python.ops.summary_ops_v2 import _INVALID_SCOPE_CHARACTERS
from tensorflow.python.training import evaluation
from tensorflow_estimator.python.estimator import early_stopping, util
from tensorflow_estimator.python.estimator.canned import boosted_trees as trees
from tensorflow_estimator.python.estimator.canned import saved_model_estimator as exported
from tensorflow_estimator.python.estimator.export import export_lib
from tensorflow_estimator.python.estimator.head import base_head, multi_head, regression_head
from tensorflow_estimator.python.estimator.hooks import basic_session_run_hooks as hooks
from tensorflow.contrib.slim.nets import resnet_v1, inception, vgg
from tensorflow.contrib.slim.python.slim.nets import resnet_v2, resnet_utils
from tensorflow.contrib.slim.python.slim.nets.inception_v3 import inception_v3_base
import tensorflow.contrib.slim as slim
from tensorflow.contrib import slim, layers, metrics, losses, opt, learn, tpu
from tensorflow.contrib.learn.python.learn import learn_runner
from tensorflow.contrib.learn.python.learn.datasets import base
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
from tensorflow.contrib.opt.python.training.weight_decay_optimizers import AdamWOptimizer
from tensorflow.contrib.training.python.training import evaluation as e2
from tensorflow.contrib.tpu.python.tpu import tpu_config, tpu_estimator, tpu_optimizer
from tensorflow.python.feature_column import feature_column as fc
from tensorflow.contrib.layers.python.layers import initializers, regularizers, utils
from tensorflow.contrib.losses.python.metric_learning import metric_loss_ops
from tensorflow.contrib.tensor_forest.client import eval_metrics, random_forest
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.contrib.tensor_forest.python.ops import data_ops, gen_model_ops
from tensorflow.contrib.tensor_forest.proto import tensor_forest_params_pb2
from tensorflow.contrib.decision_trees.proto import generic_tree_model_pb2
from tensorflow.contrib.eager.python import tfe
assert tf.contrib.tensor_forest.client.random_forest.TensorForestEstimator
assert tf.contrib.tensor_forest.python.tensor_forest.ForestHParams is tensor_forest.ForestHParams
assert gen_model_ops.tree_size and tensor_forest_params_pb2.STATS_DENSE_GINI == 0
assert random_forest.get_model_fn and eval_metrics.get_metric and generic_tree_model_pb2.Leaf
assert estimator.Estimator is tf.estimator.Estimator and run_config.TaskType.PS=='ps'
assert regression_head.RegressionHead is tf.estimator.RegressionHead and multi_head.MultiHead
assert issubclass(tf.estimator.MultiHead, base_head.Head) and hooks.SessionRunHook
assert early_stopping.make_early_stopping_hook and _INVALID_SCOPE_CHARACTERS.sub('', 'a b') == 'ab'
assert util.parse_input_fn_result((1, 2)) == (1, 2, [])
assert trees.BoostedTreesClassifier is tf.estimator.BoostedTreesClassifier and trees._bt_model_fn
assert tf.contrib.estimator.SavedModelEstimator is exported.SavedModelEstimator
assert export_lib.EXPORT_TAG_MAP['infer'] == ['serve'] and export_lib.SupervisedInputReceiver
assert tf.contrib.estimator.boosted_trees_classifier_train_in_memory
assert evaluation._evaluate_once and evaluation._StopAfterNEvalsHook
assert model_fn_lib.LOSS_METRIC_KEY == 'loss'
assert export_output.PredictOutput is tf.estimator.export.PredictOutput
assert tf.contrib.tpu.TPUEstimator is tpu_estimator.TPUEstimator
assert metric_loss_ops.triplet_semihard_loss is losses.metric_learning.triplet_semihard_loss
assert fc.input_layer is tf.feature_column.input_layer
assert tf.contrib.metrics.streaming_accuracy and tf.contrib.cluster_resolver.TPUClusterResolver
assert tf.contrib.estimator.stop_if_no_decrease_hook
assert tf.contrib.eager.python.tfe is tfe and tfe.defun is tf.contrib.eager.defun
assert tfe.run_test_in_graph_and_eager_modes.__name__ == 'run_in_graph_and_eager_modes'
assert 'no eager execution' in tfe.Network.reason
print(tf.contrib.slim.nets.vgg.vgg_16.default_image_size)
"""
    assert as_tensorflow(lines) == "224\n"


def test_recurrent_parts_of_contrib() -> None:
    """By public and internal paths, and by those from before TensorFlow 1.0."""
    lines = """
import tensorflow as tf
import tensorflow.contrib.seq2seq as s
from tensorflow.contrib.rnn import LSTMStateTuple, AttentionCellWrapper
from tensorflow.contrib.rnn.python.ops import rnn_cell, core_rnn_cell
from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _Linear, EmbeddingWrapper
from tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl import _linear
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper, basic_decoder
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import AttentionWrapper
from tensorflow.contrib.seq2seq.python.ops.basic_decoder import BasicDecoderOutput
from tensorflow.contrib.seq2seq.python.ops.helper import Helper
from tensorflow.contrib.seq2seq.python.ops.beam_search_decoder import BeamSearchDecoderOutput
from tensorflow.contrib.seq2seq.python.ops import decoder, helper, beam_search_decoder
from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq as old
from tensorflow.contrib.crf.python.ops import crf as crf_ops
from tensorflow.python.ops.rnn_cell_impl import _linear as l2, _Linear as L2, _like_rnncell
from tensorflow.python.ops.rnn_cell_impl import _concat, _zero_state_tensors
from tensorflow.python.ops import rnn_cell as rc, rnn_cell_impl
from tensorflow.models.rnn import seq2seq as older, rnn as r, rnn_cell as r2
from tensorflow.contrib.cudnn_rnn.python.layers import cudnn_rnn
assert tf.nn.seq2seq.rnn_decoder is old.rnn_decoder is older.rnn_decoder
assert tf.contrib.legacy_seq2seq.rnn_decoder is old.rnn_decoder
assert rnn_cell_impl._Linear is _Linear is L2 and _linear is l2
assert tf.nn.rnn_cell._linear is _linear
assert tf.nn.rnn_cell.EmbeddingWrapper is EmbeddingWrapper is tf.contrib.rnn.EmbeddingWrapper
assert tf.contrib.seq2seq.AttentionWrapper is AttentionWrapper
assert tf.contrib.crf.crf_decode is crf_ops.crf_decode
assert tf.contrib.cudnn_rnn.CudnnLSTM is cudnn_rnn.CudnnLSTM
from tensorflow.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
assert cudnn_rnn_ops.CudnnGRU(num_layers=1, num_units=4, input_size=3).rnn_mode == "gru"
assert cudnn_rnn_ops.CudnnCompatibleGRUCell is tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell
assert tf.contrib.rnn.static_rnn and r.rnn and tf.nn.rnn
assert tf.nn.rnn_cell.BasicLSTMCell is tf.contrib.rnn.BasicLSTMCell
print("fine")
"""
    assert as_tensorflow(lines) == "fine\n"


def test_tensorflow_itself_came_first() -> None:
    """It is not exchanged under a program that has it."""
    lines = "import sys, types; sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
    lines += (
        "sys.modules['tensorflow'].__file__ = 'there'\nimport dataflow; dataflow.as_tensorflow()"
    )
    done = subprocess.run(
        [sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "RuntimeError: TensorFlow itself has been imported already" in done.stderr
    assert "there" in done.stderr


def test_the_logger_is_the_one_that_programs_know_as_tensorflow() -> None:
    lines = """
import logging
import sys
import tensorflow as tf

known = logging.getLogger("tensorflow")
print(tf.get_logger() is known, len(known.handlers), known.level, tf.logging.get_verbosity())
tf.logging.set_verbosity(tf.logging.INFO)
known.setLevel(logging.ERROR)
tf.logging.warning("not shown")
known.handlers = []
known.addHandler(logging.StreamHandler(sys.stdout))
tf.logging.error("to the program's own handler")
logging.getLogger("dataflow").error("of the library itself")
known.setLevel(logging.NOTSET)
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s %(message)s")
tf.logging.info("as the root logger wants")
known.propagate = False
tf.logging.error("last")
print(len(known.handlers))
"""
    assert as_tensorflow(lines).splitlines() == [
        "True 1 0 30",
        "to the program's own handler",
        "of the library itself",
        "as the root logger wants",
        "tensorflow as the root logger wants",
        "last",
        "1",
    ]


def test_a_program_that_has_set_its_root_logger_up_sees_each_message_once() -> None:
    lines = """
import logging
import sys
form = "%(name)s:%(lineno)d:%(funcName)s: %(message)s"
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=form)
import tensorflow as tf
tf.logging.info("once")
def told():
    tf.logging.log_every_n(tf.logging.INFO, "by a function", 1)
    tf.logging.log(tf.logging.ERROR, "%s", "and once more")
told()
print(logging.getLogger("tensorflow").handlers)
"""
    assert as_tensorflow(lines).splitlines() == [
        "tensorflow:10:<module>: once",
        "tensorflow:12:told: by a function",
        "tensorflow:13:told: and once more",
        "[]",
    ]
