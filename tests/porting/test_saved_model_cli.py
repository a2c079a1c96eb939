"""`saved_model_cli` prints of TensorFlow's models and of ours what TensorFlow's own does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.tools import saved_model_cli as their_tool
from tensorflow.python.tools import saved_model_utils as their_files

import dataflow as tf
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.transforms import saved_model_files
from dataflow.transforms.tools import saved_model_cli, saved_model_inputs
from tests.house.tree import ROOT


def _save(library: Any, folder: Path) -> str:
    """A model of two graphs: one with two signatures, and one that has two tags."""
    constants = library.saved_model.signature_constants
    builder = library.saved_model.builder.SavedModelBuilder(str(folder))
    with library.Graph().as_default() as graph, library.Session(graph=graph) as session:
        x = library.placeholder(library.float32, [None, 2], name="x")
        text = library.placeholder(library.string, name="text")
        records = library.placeholder(library.string, [None], name="records")
        w = library.get_variable("w", initializer=[[1.0], [2.0]])
        session.run(library.global_variables_initializer())
        columns = {"a": library.FixedLenFeature([2], library.float32)}
        a = library.parse_example(records, columns)["a"]
        make = library.saved_model.signature_def_utils.predict_signature_def
        signatures = {
            constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: make(
                {"x": x, "text": text}, {"y": x @ w, "same": library.identity(text)}
            ),
            "records": make({"records": records}, {"sum": library.reduce_sum(a, 1)}),
        }
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.add_meta_graph(["serve", "gpu"])
        builder.save()
    return str(folder)


@pytest.fixture(scope="module", params=[tf, oracle], ids=["ours", "theirs"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return _save(request.param, tmp_path_factory.mktemp("made") / "model")


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    args = saved_model_cli.create_parser().parse_args(arguments)
    args.func(args)
    return capsys.readouterr().out.splitlines()


def test_what_is_in_a_model_is_shown(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    def theirs(show: Any, *arguments: str) -> list[str]:
        show(*arguments)
        lines = capsys.readouterr().out.splitlines()
        # Later versions list all ops, too.
        return [each for each in lines if not each.startswith("The MetaGraph with tag set")]

    dir_, tags = ("--dir", model), ("--tag_set", "serve")
    signature = ("--signature_def", "serving_default")
    there = theirs(their_tool._show_tag_sets, model)
    assert _printed(capsys, "show", *dir_) == [each.replace("'", "") for each in there]
    assert _printed(capsys, "show", *dir_, *tags) == theirs(
        their_tool._show_signature_def_map_keys, model, "serve"
    )
    shown = _printed(capsys, "show", *dir_, *tags, *signature)
    assert shown == theirs(their_tool._show_inputs_outputs, model, "serve", "serving_default")
    assert "      shape: unknown_rank" in shown and "      shape: (-1, 2)" in shown
    assert _printed(capsys, "show", *dir_, "--all") == theirs(their_tool._show_all, model)
    tag_sets = saved_model_files.get_saved_model_tag_sets(model)
    assert tag_sets == their_files.get_saved_model_tag_sets(model)


def test_a_model_is_run(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "in.npz", x=np.float32([[1, 2], [3, 4]]), other=np.float32([[0, 0]]))
    np.save(tmp_path / "one.npy", np.float32([[5, 6]]))
    common = ("run", "--dir", model, "--tag_set", "serve", "--signature_def", "serving_default")
    saved = tmp_path / "made" / "outputs"
    printed = _printed(
        capsys,
        *(*common, "--inputs", f"x={tmp_path / 'in.npz'}[x]"),
        *("--input_exprs", "text=np.array(['a', 'b'])", "--outdir", str(saved)),
    )
    assert printed == [
        *("Result for output key same:", "[b'a' b'b']"),
        f"Output same is saved to {saved / 'same.npy'}",
        *("Result for output key y:", "[[ 5.]", " [11.]]"),
        f"Output y is saved to {saved / 'y.npy'}",
    ]
    np.testing.assert_array_equal(np.load(saved / "y.npy"), [[5], [11]])
    again = (*common, "--inputs", f"x={tmp_path / 'one.npy'}", "--input_exprs", "text='c'")
    with pytest.raises(RuntimeError, match=r"same.npy already exists. Add \"--overwrite\""):
        _printed(capsys, *again, "--outdir", str(saved))
    _printed(capsys, *again, "--outdir", str(saved), "--overwrite")
    np.testing.assert_array_equal(np.load(saved / "y.npy"), [[17]])
    records = ("run", "--dir", model, "--tag_set", "serve", "--signature_def", "records")
    examples = "records=[{'a': [1.5, 2.0]}, {'a': [0.0, 1.0], 'b': ['t'], 'c': [1]}]"
    assert _printed(capsys, *records, "--input_examples", examples) == [
        *("Result for output key sum:", "[3.5 1. ]")
    ]


def test_ops_are_scanned(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = _printed(capsys, "scan", "--dir", model, "--tag_set", "serve,gpu")
    assert line.endswith("does not contain blacklisted ops.")
    graph = saved_model_files.get_meta_graph_def(model, "serve")
    graph.graph_def.node.add(name="r", op="ReadFile")
    written = SavedModel(saved_model_schema_version=1, meta_graphs=[graph])
    path = Path(model).parent / "suspect" / "saved_model.pb"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(written.SerializeToString())
    (line,) = _printed(capsys, "scan", "--dir", str(path.parent))
    assert line == (
        "MetaGraph with tag set ['serve'] contains the following blacklisted ops: {'ReadFile'}"
    )


def test_arguments_are_read_as_theirs() -> None:
    for text in ("a=f", "a=f.npz[x];b=g;", ""):
        ours = saved_model_inputs.preprocess_inputs_arg_string(text)
        assert ours == their_tool.preprocess_inputs_arg_string(text)
    examples = "e=[{'f': [1.5], 'i': [2, 3]}, {}]"
    (ours,) = saved_model_inputs.preprocess_input_examples_arg_string(examples).values()
    (theirs,) = their_tool.preprocess_input_examples_arg_string(examples).values()
    parsed = [[oracle.train.Example.FromString(each) for each in found] for found in (ours, theirs)]
    assert parsed[0] == parsed[1]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("preprocess_inputs_arg_string", "a=f[x"),
        ("preprocess_input_exprs_arg_string", "a"),
        ("preprocess_input_exprs_arg_string", "a=open('f')"),
        ("preprocess_input_examples_arg_string", "e={}"),
        ("preprocess_input_examples_arg_string", "e=[{'f': 1}]"),
        ("preprocess_input_examples_arg_string", "e=[{'f': [None]}]"),
    ],
)
def test_what_is_written_otherwise_is_refused_in_their_words(function: str, text: str) -> None:
    def refusal(tool: Any) -> tuple[type[Exception], str]:
        with pytest.raises((RuntimeError, ValueError)) as caught:
            getattr(tool, function)(text)
        return caught.type, str(caught.value)

    assert refusal(saved_model_inputs) == refusal(their_tool)


def test_what_does_not_fit_is_refused(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ("run", "--dir", model, "--tag_set", "serve", "--signature_def")
    with pytest.raises(AttributeError, match=r"At least one of --inputs, --input_exprs"):
        _printed(capsys, *common, "records")
    with pytest.raises(ValueError, match=r'"z" is not a valid input key. Please choose from "rec'):
        _printed(capsys, *common, "records", "--input_exprs", "z=1")
    with pytest.raises(ValueError, match=r'Could not find signature "none".*records, serving_def'):
        _printed(capsys, *common, "none", "--input_exprs", "z=1")
    for tags in ("tpu", "gpu"):
        there = rf"tag-set {tags} could not be found.*'serve', 'serve,gpu'"
        with pytest.raises(RuntimeError, match=there):
            _printed(capsys, "show", "--dir", model, "--tag_set", tags)
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        _printed(capsys, "show", "--dir", str(tmp_path))
    np.save(tmp_path / "code.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"code.npy is no .npy or .npz file of numbers; pickles"):
        _printed(capsys, *common, "records", "--inputs", f"records={tmp_path / 'code.npy'}")
    np.savez(tmp_path / "two.npz", a=[1], b=[2])
    for name, fault in (("", "contains more than one ndarrays"), ("[c]", 'with name "c"')):
        with pytest.raises(RuntimeError, match=fault):
            _printed(
                capsys, *common, "records", "--inputs", f"records={tmp_path / 'two.npz'}{name}"
            )
    with pytest.warns(UserWarning, match="Value in --input_exprs will be used"):
        np.save(tmp_path / "a.npy", [1])
        saved_model_inputs.load_inputs_from_input_arg_string(f"a={tmp_path / 'a.npy'}", "a=2", "")


def test_it_is_run_as_the_module_of_tensorflow(model: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dataflow", "run", "-m"),
            *("tensorflow.python.tools.saved_model_cli", "show", "--dir", model),
        ],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == ["serve", "gpu, serve"]
