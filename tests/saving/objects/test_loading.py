"""`load_v2` of what TensorFlow wrote: calls, variables, gradients and errors."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from dataflow.proto.saved_model_pb2 import SavedModel
from tests.conftest import SessionFactory
from tests.oracle import open_session
from tests.saving.saved_model.tensorflow_2 import WORDS, X

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()


def _initialize(library: Any, session: Any) -> None:
    session.run([library.global_variables_initializer(), library.tables_initializer()])


def test_functions_and_variables(models: Path, session_factory: SessionFactory) -> None:
    expected = np.load(models / "module.npz")
    session = session_factory(tf.Graph())
    with session.graph.as_default():
        module = tf.saved_model.load_v2(str(models / "module"))
        _initialize(tf, session)
        signature = module.signatures["serving_default"]
        found = session.run(signature(x=tf.constant(X), words=tf.constant(WORDS)))
        for key in expected.files:
            np.testing.assert_allclose(found[key], expected[key], rtol=1e-6)
        assert session.run(module.answer(X, words=WORDS))["n"] == 2
        session.run(module.w.assign_add(np.ones((2, 3))))
        again = session.run(signature(x=X, words=WORDS))["y"]
    np.testing.assert_allclose(again, expected["y"] + np.sum(X, 1, keepdims=True) * 1.5**3)
    assert signature.variables == (module.n, module.w)


def _body(library: Any, folder: Path) -> tuple[Any, ...]:
    with library.Graph().as_default():
        module = library.saved_model.load_v2(str(folder))
        signature = module.signatures["serving_default"]
        body = signature.graph
        assert signature.inputs == list(body.inputs)
        assert signature.outputs == list(body.outputs)
        return (
            [op.name for op in body.get_operations()],
            [(each.name, each.dtype.name, str(each.shape)) for each in signature.inputs],
            [each.dtype.name for each in signature.outputs],
            {name: kind.name for name, kind in signature.output_dtypes.items()},
            {name: str(shape) for name, shape in signature.output_shapes.items()},
        )


def test_the_body_of_a_function(models: Path) -> None:
    found, wanted = _body(tf, models / "module"), _body(oracle, models / "module")
    assert found == wanted


def test_a_net_of_keras(models: Path, tmp_path: Path) -> None:
    expected = np.load(models / "net.npz")
    assert np.isfinite(expected["answer"]).all()
    with tf.Graph().as_default(), tf.Session() as session:
        net = tf.saved_model.load_v2(models / "net", tags="serve")
        _initialize(tf, session)
        found = session.run(net.serve(expected["images"]))
        np.testing.assert_allclose(found, expected["answer"], rtol=1e-5)
        tf.saved_model.save(net, tmp_path, {"serve": net.serve.get_concrete_function()})
        assert len(net.variables) == len(net.trainable_variables) + len(net.non_trainable_variables)
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        net = oracle.saved_model.load_v2(str(tmp_path))
        again = net.serve(oracle.constant(expected["images"]))
        _initialize(oracle, session)
        np.testing.assert_allclose(session.run(again), expected["answer"], rtol=1e-5)


def test_gradients_that_functions_bring(models: Path) -> None:
    expected = np.load(models / "steep.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        module, x = tf.saved_model.load_v2(models / "steep"), tf.constant(X)
        results = module.answer(x)
        grads = [g for y in results for g in tf.gradients(y, [x, module.w]) if g is not None]
        _initialize(tf, session)
        found = session.run([*results, *grads])
    for have, want in zip(found, expected.values(), strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)


def test_tables_that_change(models: Path, tmp_path: Path, session_factory: SessionFactory) -> None:
    session = session_factory(tf.Graph())
    with session.graph.as_default():
        module = tf.saved_model.load_v2(models / "changing")
        found = module.look(["a", "z"], [7, 8])
        _initialize(tf, session)
        words, numbers = session.run(found)
        assert (words.tolist(), numbers.tolist()) == ([5, -1], [1.5, 0.5])
        assert session.run(module.forget(["a"])) == 1
        assert session.run(found)[0].tolist() == [-1, -1]
        session.run(module.counts._contents["table"][1](["q"], tf.constant([9], tf.int64)))
        with session:
            tf.saved_model.save(module, tmp_path / "again", {"look": module.look})
    for library in (oracle, tf):
        with library.Graph().as_default() as graph, open_session(library, graph) as own:
            module = library.saved_model.load_v2(str(tmp_path / "again"))
            found = module.look(library.constant(["a", "q"]), library.constant([7, 8], "int64"))
            _initialize(library, own)
            words, numbers = own.run(found)
            assert (words.tolist(), numbers.tolist()) == ([-1, 9], [1.5, 0.5])


def _gradients(library: Any, folder: Path) -> list[Any]:
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        module = library.saved_model.load_v2(str(folder))
        x = library.constant(X)
        answer = module.answer(x, library.constant(WORDS))
        grads = library.gradients(answer["y"], [module.w, x])
        _initialize(library, session)
        found: list[Any] = session.run([*grads, answer["ids"]])
        return found


def test_gradients_are_tensorflows(models: Path) -> None:
    pairs = zip(*(_gradients(each, models / "module") for each in (tf, oracle)), strict=True)
    for have, want in pairs:
        np.testing.assert_allclose(have, want, rtol=1e-6)


def test_a_call_that_does_not_fit(models: Path) -> None:
    with tf.Graph().as_default():
        module = tf.saved_model.load_v2(models / "module")
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            module.answer(X)
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            module.answer(tf.constant(X, tf.float64), WORDS)
        signature = module.signatures["serving_default"]
        with pytest.raises(TypeError, match=r"Missing: ..words"):
            signature(x=X)
        with pytest.raises(TypeError, match="takes only keyword arguments"):
            signature(X)
        with pytest.raises(ValueError, match="not compatible with the shape this function was"):
            signature(x=np.ones((2, 3)), words=WORDS)
        with pytest.raises(ValueError, match="Got an incompatible argument to `tags`"):
            tf.saved_model.load_v2(models / "module", ["train"])


def _write_version_1(folder: Path) -> np.ndarray:
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        x = oracle.placeholder(oracle.float32, [None, 3], "x")
        words = oracle.placeholder(oracle.string, [None], "words")
        v = oracle.get_variable("v", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        r = oracle.get_variable("r", initializer=np.float32([1, 2]), use_resource=True)
        lines = folder / "lines.txt"
        lines.write_text("a\nb\n")
        table = oracle.lookup.StaticVocabularyTable(
            oracle.lookup.TextFileInitializer(
                str(lines), oracle.string, 0, oracle.int64, -1, vocab_size=2
            ),
            1,
        )
        ids = oracle.cast(table.lookup(words), oracle.float32)
        y = oracle.matmul(x, v) + r + oracle.reduce_sum(ids)
        _initialize(oracle, session)
        signature = oracle.saved_model.predict_signature_def({"x": x, "words": words}, {"y": y})
        builder = oracle.saved_model.Builder(str(folder / "model"))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=oracle.get_collection(oracle.GraphKeys.ASSET_FILEPATHS),
            main_op=oracle.tables_initializer(),
        )
        builder.save()
        answer: np.ndarray = session.run(y, {x: np.ones((2, 3)), words: ["b"]})
    lines.unlink()
    return answer


def test_a_model_of_tensorflow_1(tmp_path: Path) -> None:
    want = _write_version_1(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", [])
        model = tf.saved_model.load_v2(tmp_path / "model")
        call = model.signatures["serving_default"]
        x = tf.ones([2, 3])
        y = call(x=x, words=["b"])["y"]
        assert y.shape.as_list() == [2, 2]
        v, r = model.variables
        grads = tf.gradients(y, [v, r, x])
        _initialize(tf, session)
        np.testing.assert_allclose(session.run(y), want)
        ones = np.ones((3, 2))
        for have, expected in zip(
            session.run(grads), (2 * ones, [2, 2], [[1, 5, 9]] * 2), strict=True
        ):
            np.testing.assert_allclose(have, expected)
        session.run(r.assign([0, 0]))
        np.testing.assert_allclose(session.run(call(x=x, words=["b"])["y"]), want - [1, 2])
        with pytest.raises(TypeError, match=r"takes ..words., .x"):
            call(x=x)


def test_a_part_of_a_model_of_tensorflow_1(tmp_path: Path) -> None:
    want = _write_version_1(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(tmp_path / "model")
        _initialize(tf, session)
        part = model.prune(["x:0", "words:0"], {"x": "x:0", "y": "add_1:0"}, name="part")
        assert [feed.op.type for feed in part.inputs] == ["Placeholder"] * 2
        found = part(np.ones((2, 3)), ["b"])
        assert found["y"].op.name == "part/add_1"
        np.testing.assert_allclose(session.run(found["y"]), want)
        (loaded,) = (t for t in part.inputs if t.dtype == tf.string)
        again = model.prune(loaded, model.graph.get_tensor_by_name(loaded.name))
        assert session.run(again(["a"])).tolist() == [b"a"]
        with pytest.raises(TypeError, match=r"part takes ..x:0., .words:0.., got 1 arguments"):
            part(np.ones((2, 3)))
        with pytest.raises(KeyError, match="nothing"):
            model.prune("nothing:0", "add_1:0")
        with pytest.raises(AssertionError, match="nothing"):
            model.prune("x:0", "nothing:0")


def _no_root(saved: SavedModel) -> None:
    saved.meta_graphs[0].object_graph_def.ClearField("nodes")


def _far_child(saved: SavedModel) -> None:
    saved.meta_graphs[0].object_graph_def.nodes[0].children[0].node_id = 999


def _no_functions(saved: SavedModel) -> None:
    saved.meta_graphs[0].graph_def.library.ClearField("function")


def _no_files(saved: SavedModel) -> None:
    saved.meta_graphs[0].ClearField("asset_file_def")


def _file_elsewhere(saved: SavedModel) -> None:
    saved.meta_graphs[0].asset_file_def[0].filename = "../../etc/passwd"


def _no_kind(saved: SavedModel) -> None:
    saved.meta_graphs[0].object_graph_def.nodes[1].ClearField("variable")


def _no_contents(saved: SavedModel) -> None:
    for node in saved.meta_graphs[0].object_graph_def.nodes:
        for about in node.saveable_objects.values():
            about.restore_function = 0


def _far_contents(saved: SavedModel) -> None:
    for node in saved.meta_graphs[0].object_graph_def.nodes:
        for about in node.saveable_objects.values():
            about.save_function = 999


def _circle(saved: SavedModel) -> None:
    objects = saved.meta_graphs[0].object_graph_def
    table = next(n for n, each in enumerate(objects.nodes) if each.HasField("resource"))
    for function in objects.concrete_functions.values():
        function.bound_inputs.append(table)


@pytest.mark.parametrize("spoil", [_no_contents, _far_contents])
def test_damaged_tables(models: Path, tmp_path: Path, spoil: Callable[[SavedModel], None]) -> None:
    _assert_refused(models / "changing", tmp_path, spoil)


@pytest.mark.parametrize(
    "spoil",
    [_no_root, _far_child, _no_functions, _no_files, _file_elsewhere, _no_kind, _circle],
)
def test_damage(models: Path, tmp_path: Path, spoil: Callable[[SavedModel], None]) -> None:
    _assert_refused(models / "module", tmp_path, spoil)


def _assert_refused(model: Path, tmp_path: Path, spoil: Callable[[SavedModel], None]) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    file = folder / "saved_model.pb"
    saved = SavedModel.FromString(file.read_bytes())
    spoil(saved)
    file.write_bytes(saved.SerializeToString())
    with tf.Graph().as_default(), pytest.raises(tf.errors.OpError):
        tf.saved_model.load_v2(folder)
