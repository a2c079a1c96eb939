"""freeze_graph, optimize_for_inference, strip_unused and inspect_checkpoint."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.python.tools import inspect_checkpoint as their_inspection
from tensorflow.python.tools import optimize_for_inference_lib as their_optimization
from tensorflow.python.tools import strip_unused_lib as their_stripping

import dataflow as tf
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.transforms import batch_norms, inference, inspect_checkpoint, strip_unused
from dataflow.transforms.freeze import freeze_graph
from tests.transforms.nets import OUTPUTS, answer, net, ops

NET = net()
FLOAT = tf.float32.as_datatype_enum


def _trained(folder: Path) -> str:
    """A checkpoint with its graph in all the forms that freeze_graph reads."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        a = tf.get_variable("a", initializer=[1.0, 2.0], use_resource=False)
        b = tf.get_variable("b", initializer=3.0, use_resource=True)
        tf.add(x * a, b, name="y")
        session.run(tf.global_variables_initializer())
        session.run(a.assign([5.0, 6.0]))
        saver = tf.train.Saver()
        path = saver.save(session, str(folder / "model"))
        tf.train.write_graph(graph.as_graph_def(), str(folder), "graph.pbtxt")
        tf.train.write_graph(graph.as_graph_def(), str(folder), "graph.pb", as_text=False)
        (folder / "saver.pb").write_bytes(saver.as_saver_def().SerializeToString())
        tf.saved_model.simple_save(session, folder / "saved", {"x": x}, {"y": a})
        assert path is not None
        return path


def _freeze(folder: Path, **kwargs: Any) -> GraphDef:
    arguments = {
        "input_graph": "",
        "input_saver": "",
        "input_binary": True,
        "input_checkpoint": "",
        "output_node_names": "y",
        "restore_op_name": "",
        "filename_tensor_name": "",
        "output_graph": str(folder / "frozen.pb"),
        "clear_devices": True,
        "initializer_nodes": "",
    }
    return freeze_graph(**{**arguments, **kwargs})  # type: ignore[arg-type]


def test_freezes_every_form(tmp_path: Path) -> None:
    path = _trained(tmp_path)
    graph = str(tmp_path / "graph.pb")
    for given in (
        {"input_graph": str(tmp_path / "graph.pbtxt"), "input_binary": False},
        {"input_graph": graph, "input_saver": str(tmp_path / "saver.pb")},
        {"input_meta_graph": f"{path}.meta"},
    ):
        if "input_saver" in given:
            # The nodes of the Saver are in the graph that was written after it was made.
            assert "save/restore_all" in (tmp_path / "graph.pbtxt").read_text()
        result = _freeze(tmp_path, input_checkpoint=path, **given)
        _runs(result)
        read = GraphDef.FromString((tmp_path / "frozen.pb").read_bytes())
        assert read == result
    _runs(_freeze(tmp_path, input_saved_model_dir=str(tmp_path / "saved")))
    only = _freeze(tmp_path, input_graph=graph, input_checkpoint=path, variable_names_whitelist="a")
    assert "VarHandleOp" in ops(only) and "VariableV2" not in ops(only)


def _runs(graph_def: GraphDef) -> None:
    assert not {"VariableV2", "VarHandleOp"} & set(ops(graph_def))
    for library in (tf, tensorflow.compat.v1):
        message = library.GraphDef.FromString(graph_def.SerializeToString())
        with library.Graph().as_default() as graph, library.Session(graph=graph) as session:
            library.import_graph_def(message, name="")
            assert list(session.run("y:0", {"x:0": [1, 1]})) == [8, 9]


def test_freezing_says_what_is_missing(tmp_path: Path) -> None:
    path = _trained(tmp_path)
    graph = str(tmp_path / "graph.pb")
    for kind, text, given in (
        (ValueError, "Input checkpoint 'no' doesn't exist!", {"input_checkpoint": "no"}),
        (ValueError, "supply the name of a node", {"output_node_names": ""}),
        (OSError, "Input graph file 'no' does not exist!", {"input_graph": "no"}),
        (OSError, "Cannot parse file", {"input_binary": False}),
        (AssertionError, "z is not in graph", {"output_node_names": "z"}),
    ):
        with pytest.raises(kind, match=text):
            _freeze(tmp_path, **{"input_graph": graph, "input_checkpoint": path, **given})
    frozen = _freeze(tmp_path, input_graph=graph, input_checkpoint=path)
    assert frozen.node
    with pytest.raises(ValueError, match="You cannot freeze a graph twice"):
        _freeze(tmp_path, input_graph=str(tmp_path / "frozen.pb"), input_checkpoint=path)


def test_optimizes_for_inference_with_the_same_answers() -> None:
    result = inference.optimize_for_inference(NET, ["images"], list(OUTPUTS), FLOAT)
    np.testing.assert_allclose(answer(result), answer(NET), rtol=1e-4, atol=1e-7)
    assert not {"FusedBatchNormV3", "CheckNumerics", "StopGradient"} & set(ops(result))


def test_folds_batch_norms_as_tensorflow_does() -> None:
    message = tensorflow.compat.v1.GraphDef.FromString(NET.SerializeToString())
    theirs = answer(their_optimization.fold_batch_norms(message))
    np.testing.assert_allclose(answer(batch_norms.fold_batch_norms(NET)), theirs, rtol=1e-5)


def test_a_placeholder_becomes_a_constant() -> None:
    with tf.Graph().as_default() as graph:
        phase = tf.placeholder_with_default(True, [], name="keras_learning_phase")
        other = tf.placeholder_with_default(False, [], name="other")
        tf.logical_or(phase, other, name="y")
        graph_def = graph.as_graph_def()
    result = inference.convert_placeholder_to_const(graph_def, ["other=True"])
    values = {
        n.name: tf.make_ndarray(n.attr["value"].tensor) for n in result.node if n.op == "Const"
    }
    assert not values["keras_learning_phase"] and values["other"]


def test_strips_as_tensorflow_does(tmp_path: Path) -> None:
    message = tensorflow.compat.v1.GraphDef.FromString(NET.SerializeToString())
    given = (["first"], list(OUTPUTS), [FLOAT])
    ours = strip_unused.strip_unused(NET, *given)
    theirs = their_stripping.strip_unused(message, *given)
    assert [n.SerializeToString(deterministic=True) for n in ours.node] == [
        n.SerializeToString(deterministic=True) for n in theirs.node
    ]
    (tmp_path / "in.pb").write_bytes(NET.SerializeToString())
    files = (str(tmp_path / "in.pb"), True, str(tmp_path / "out.pbtxt"), False)
    strip_unused.strip_unused_from_files(*files, "first", "answer", FLOAT)
    assert 'name: "first"' in (tmp_path / "out.pbtxt").read_text()
    with pytest.raises(KeyError, match="The following input nodes were not found"):
        strip_unused.strip_unused(NET, ["no"], OUTPUTS, FLOAT)
    with pytest.raises(ValueError, match="'first:0' appears to refer to a Tensor"):
        strip_unused.strip_unused(NET, ["first:0"], OUTPUTS, FLOAT)


@pytest.mark.parametrize(
    "arguments",
    [
        ("", False),
        ("a", False),
        ("no", False),
        ("", True),
        ("", False, True),
        ("", True, False, "a"),
    ],
)
def test_prints_a_checkpoint_as_tensorflow_does(
    arguments: tuple[Any, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _trained(tmp_path)
    capsys.readouterr()
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, *arguments)
    ours = capsys.readouterr().out
    their_inspection.print_tensors_in_checkpoint_file(path, *arguments)
    assert ours == capsys.readouterr().out


def test_says_why_a_checkpoint_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inspect_checkpoint.print_tensors_in_checkpoint_file(str(tmp_path / "no"), "", False)
    assert "no" in capsys.readouterr().out


def test_print_options() -> None:
    before = np.get_printoptions()["precision"]
    inspect_checkpoint.parse_numpy_printoption(f"precision={before}")
    for text in ("precision", "=3", "no=3", "precision=x"):
        with pytest.raises(argparse.ArgumentTypeError):
            inspect_checkpoint.parse_numpy_printoption(text)
