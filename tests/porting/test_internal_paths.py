"""Programs that use TensorFlow's internal paths of SavedModels, files and graph tools."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from dataflow.errors import AlreadyExistsError
from dataflow.porting.spellings import files
from tests.porting.test_run import run

PROGRAM = """
import os, sys
from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.client import session
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.lib.io import file_io
from tensorflow.python.ops import control_flow_ops, math_ops, state_ops, variables
from tensorflow.python.saved_model import (
    builder, constants, loader, loader_impl, main_op, signature_def_utils, tag_constants, utils
)
from tensorflow.python.tools import freeze_graph, optimize_for_inference_lib
from tensorflow.python.util import compat
from tensorflow.tools.graph_transforms import TransformGraph

here = sys.argv[1]
export = os.path.join(here, "model")
asset = os.path.join(compat.as_bytes(here), b"hello.txt")
file_io.write_string_to_file(asset, "foo bar")
build = builder._SavedModelBuilder(export)
with session.Session(graph=ops.Graph()) as sess:
    path = constant_op.constant(asset, name="path")
    v1 = variables.VariableV1(1, name="v1")
    v2 = variables.VariableV1(42, name="v2")
    for each in (v1, v2):
        ops.add_to_collection("v", each)
    with ops.control_dependencies([main_op.main_op()]):
        init = control_flow_ops.group(state_ops.assign(v2, math_ops.add(v1._ref(), 2)))
    sess.run(init)
    train = state_ops.assign_add(v1, v2)
    build.add_meta_graph_and_variables(
        sess, [tag_constants.SERVING], assets_list=[path], init_op=init, train_op=train
    )
build.save()
with session.Session(graph=ops.Graph()) as sess:
    read = loader.load(sess, [tag_constants.SERVING], export)
    asset = read.asset_file_def[0]
    print(asset.filename, asset.tensor_info.name)
    copied = os.path.join(export, constants.ASSETS_DIRECTORY, asset.filename)
    print(file_io.read_file_to_string(copied))
    print([int(each.eval()) for each in ops.get_collection("v")])
    print(sess.run(loader_impl.get_train_op(read)))
    print(sorted(read.signature_def))
frozen = freeze_graph.freeze_graph(
    None, "", True, None, "v2/read", "", "", "", True, "", input_saved_model_dir=export
)
print([n.op for n in TransformGraph(frozen, [], ["v2/read"], ["remove_nodes(op=Identity)"]).node])
file_io.delete_recursively(export)
print(file_io.file_exists(export))
"""


def test_saved_models_by_internal_paths(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = run("run", str(tmp_path / "program.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "hello.txt path:0",
        "foo bar",
        "[1, 3]",
        "4",
        "['__saved_model_init_op', '__saved_model_train_op']",
        "['Const', 'Identity']",
        "False",
    ]


def test_files_by_internal_paths(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.atomic_write_string_to_file(path, b"abc")
    assert files.read_file_to_string(path) == "abc"
    assert files.read_file_to_string(path, binary_mode=True) == b"abc"
    assert files.file_crc32(path, block_size=2) == hex(zlib.crc32(b"abc"))
    with pytest.raises(AlreadyExistsError):
        files.atomic_write_string_to_file(path, "d", overwrite=False)
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    files.write_string_to_file(files.join(str(tmp_path), "b"), "abd")
    assert not files.filecmp(path, tmp_path / "b") and files.filecmp(path, path)


KERAS = """
from tensorflow.python.feature_column import feature_column_v2
from tensorflow.python.keras import callbacks_v1, metrics, model_subclassing_test_util, models
from tensorflow.python.keras.engine.base_layer import AddLoss, AddMetric
from tensorflow.python.keras.layers import convolutional, convolutional_recurrent, kernelized
from tensorflow.python.keras.layers import recurrent, rnn_cell_wrapper_v2
from tensorflow.python.keras.mixed_precision.experimental import test_util
from tensorflow.python.keras.saving import saved_model_experimental, saving_utils
from tensorflow.python.keras.utils import kernelized_utils, metrics_utils, mode_keys

print(issubclass(convolutional.Conv2D, convolutional.Conv), mode_keys.ModeKeys.TEST)
print(issubclass(convolutional_recurrent.ConvLSTM2D, convolutional_recurrent.ConvRNN2D))
print(issubclass(recurrent.GRUCell, recurrent.DropoutRNNCellMixin))
print(convolutional_recurrent.ConvLSTM2DCell.__name__, callbacks_v1.TensorBoard.__name__)
for each in (
    AddLoss, AddMetric, feature_column_v2.LinearModel, kernelized.RandomFourierFeatures,
    kernelized_utils.exact_gaussian_kernel, metrics.clone_metrics, metrics_utils.AUCCurve,
    metrics_utils.update_confusion_matrix_variables, models.clone_and_build_model,
    model_subclassing_test_util.SimpleTestModel, rnn_cell_wrapper_v2.ResidualWrapper,
    saved_model_experimental.export_saved_model, saving_utils.model_metadata,
    test_util.create_identity_with_grad_check_fn,
):
    assert callable(each)
"""


def test_paths_of_keras(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(KERAS, encoding="utf-8")
    found = run("run", str(tmp_path / "program.py"))
    assert not found.returncode, found.stderr
    assert found.stdout.splitlines() == [
        "True test",
        "True",
        "True",
        "ConvLSTM2DCell TensorBoard",
    ]
