"""Checkpoints of objects: TensorFlow's files are read, ours are read by it, and old ones go."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl
from tensorflow.python.keras.legacy_tf_layers import base, convolutional, core
from tensorflow.python.trackable import base as their_base

import dataflow
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.variables.tracked import Trackable, TrackableReference
from tests.conftest import SessionFactory
from tests.oracle import oracle

tf = dataflow
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
VALUE = ".ATTRIBUTES/VARIABLE_VALUE"
# What TensorFlow still has of tf.layers.
_LEGACY_LAYERS = SimpleNamespace(**{**vars(base), **vars(core), **vars(convolutional)})


class _Model:
    """A graph with variables of both kinds, optimizers that share them, lists and dictionaries."""

    def __init__(self, lib: Any, value: float, prefix: str = "") -> None:
        with lib.Graph().as_default() as self.graph, lib.variable_scope(prefix or "m"):
            first = lib.get_variable("first", initializer=[value, 2.0], use_resource=True)
            second = lib.get_variable("second", initializer=[value, 3.0], use_resource=False)
            adam, momentum = lib.train.AdamOptimizer(0.1), lib.train.MomentumOptimizer(0.1, 0.9)
            loss = lib.reduce_sum(first * first * second)
            self.train = [adam.minimize(loss), momentum.minimize(lib.reduce_sum(first))]
            step = lib.train.get_or_create_global_step()
            self.count = lib.assign_add(step, 3)
            inner = lib.train.Checkpoint(momentum=momentum, items=[first, {"deep": second}])
            self.checkpoint = lib.train.Checkpoint(
                first=first, inner=inner, adam=adam, named={"a.b/c": second, "step": step}
            )
            slots = [adam.get_slot(v, n) for v in (first, second) for n in ("m", "v")]
            slots.append(momentum.get_slot(first, "momentum"))
            self.values = [first, second, step, *slots, *adam._get_beta_accumulators()]
            self.initialize = lib.global_variables_initializer()


def _trained(lib: Any, model: _Model, session: Any) -> list[Any]:
    session.run(model.initialize)
    for _ in range(2):
        session.run([model.train, model.count])
    found: list[Any] = session.run(model.values)
    return found


def _message(path: str) -> TrackableObjectGraph:
    reader = tf.train.NewCheckpointReader(path)
    return TrackableObjectGraph.FromString(reader.get_tensor(GRAPH))


@pytest.mark.parametrize("writes", ["ours", "tensorflow"])
def test_files_cross_over(writes: str, tmp_path: Path) -> None:
    """Keys, messages and values are the other's; names of nodes do not count."""
    libs = (dataflow, oracle) if writes == "ours" else (oracle, dataflow)
    written = _Model(libs[0], 1.0)
    with written.graph.as_default(), libs[0].Session() as session:
        wanted = _trained(libs[0], written, session)
        path = written.checkpoint.save(str(tmp_path / "ck"), session)
        assert path == str(tmp_path / "ck-1")
        assert tf.train.latest_checkpoint(str(tmp_path)) == path
    read = _Model(libs[1], 7.0, "other")
    with read.graph.as_default(), libs[1].Session() as session:
        status = read.checkpoint.restore(path)
        status.assert_consumed()
        status.run_restore_ops(session)
        for ours, theirs in zip(session.run(read.values), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        again = read.checkpoint.save(str(tmp_path / "ck"), session)
    assert again == str(tmp_path / "ck-2")
    first, second = _message(path), _message(again)
    for node in (*first.nodes, *second.nodes):
        for attribute in node.attributes:
            attribute.full_name = attribute.full_name.replace("other/", "m/")
    for ours, theirs in zip(first.nodes, second.nodes, strict=True):
        assert ours == theirs


def test_it_restores_on_each_target(session_factory: SessionFactory, tmp_path: Path) -> None:
    model = _Model(tf, 1.0)
    session = session_factory(model.graph)
    wanted = _trained(tf, model, session)
    with model.graph.as_default():
        path = model.checkpoint.write(str(tmp_path / "deep" / "ck"), session)
        session.run(model.initialize)
        model.checkpoint.restore(path).assert_consumed().initialize_or_restore(session)
    for ours, theirs in zip(session.run(model.values), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("writes", ["ours", "tensorflow"])
def test_tables_cross_over(writes: str, tmp_path: Path) -> None:
    """A checkpoint of an object has its table's keys and values."""
    libs = (dataflow, oracle) if writes == "ours" else (oracle, dataflow)
    path = ""
    for lib, word in zip(libs, ("a", "b"), strict=True):
        with lib.Graph().as_default(), lib.Session() as session:
            table = lib.lookup.experimental.MutableHashTable(lib.string, lib.int64, -1)
            checkpoint = lib.train.Checkpoint(table=table)
            session.run(table.insert([word], lib.constant([7], lib.int64)))
            path = path or checkpoint.save(str(tmp_path / "c"))
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            assert session.run(table.lookup(lib.constant(["a", "b"]))).tolist() == [7, -1]
    keys = tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
    assert {f"table/.ATTRIBUTES/table-{part}" for part in ("keys", "values")} < set(keys)


class _SavedTwice:
    """An object that says that it is saved under two names."""

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"first": None, "second": None}


def test_an_object_is_saved_under_one_name() -> None:
    with pytest.raises(ValueError, match=r"one is supported: \['first', 'second'\]"):
        tf.train.Checkpoint(it=_SavedTwice())


def test_what_a_checkpoint_lacks_is_initialized(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        session.run([a.initializer, b.initializer])
        path = tf.train.Checkpoint(a=a, b=b).save(str(tmp_path / "ck"))
        written = tf.train.Checkpoint(a=a, b=b).write(str(tmp_path / "written"))
    with tf.Graph().as_default(), tf.Session() as session:
        a, c = tf.Variable(5.0), tf.Variable(6.0)
        root = tf.train.Checkpoint(a=a, c=c)
        status = root.restore(path)
        with pytest.raises(AssertionError, match="Python objects that were not bound"):
            status.assert_consumed()
        status.assert_nontrivial_match().expect_partial().initialize_or_restore()
        assert session.run([a, c]) == [1.0, 6.0]
        with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.b"):
            tf.train.Checkpoint(a=a).restore(path).assert_consumed()
        tf.train.Checkpoint(a=a).restore(path).assert_existing_objects_matched()
        with pytest.raises(AssertionError, match="Nothing except the root object"):
            tf.train.Checkpoint(z=c).restore(written).assert_nontrivial_match()
        root.b = tf.Variable(0.0)
        del root.c
        status.assert_consumed().run_restore_ops()
        assert session.run(root.b) == 2.0
        nothing = root.restore(None)
        for ask in (nothing.assert_consumed, nothing.run_restore_ops):
            with pytest.raises(AssertionError, match="No checkpoint specified"):
                ask()
        nothing.initialize_or_restore(session)
        assert session.run([a, root.b]) == [5.0, 0.0]
        for call, error in (
            (lambda: tf.train.Checkpoint(v=3), ValueError),
            (lambda: root.restore(str(tmp_path / "none")), tf.errors.NotFoundError),
            (lambda: tf.train.Checkpoint(d={3: a}).write(str(tmp_path / "k")), ValueError),
        ):
            with pytest.raises(error):
                call()


def test_a_savers_checkpoint_is_read_by_names(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
        session.run([a.initializer, b.initializer])
        path = tf.train.Saver().save(session, str(tmp_path / "names"))
        session.run([a.assign(8.0), b.assign(9.0)])
        status = tf.train.Checkpoint(x=a, y=b).restore(path)
        status.assert_consumed().run_restore_ops(session)
        assert session.run([a, b]) == [1.0, 2.0]
        with pytest.raises(AssertionError, match="not restored"):
            tf.train.Checkpoint(x=a).restore(path).assert_consumed()


def test_a_saver_reads_objects_by_their_names(tmp_path: Path) -> None:
    model = _Model(oracle, 1.0)
    with model.graph.as_default(), oracle.Session() as session:
        wanted = _trained(oracle, model, session)
        path = model.checkpoint.write(str(tmp_path / "ck"), session)
    model = _Model(tf, 7.0)
    with model.graph.as_default(), tf.Session() as session:
        tf.train.Saver().restore(session, path)
        for ours, theirs in zip(session.run(model.values), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        other = tf.Variable(1.0, name="other")
        with pytest.raises(tf.errors.NotFoundError) as refused:
            tf.train.Saver([other]).restore(session, path)
        assert "Existing variables not in the checkpoint: other" in refused.value.message


@pytest.mark.parametrize("message", [b"", b"\xff", b"\x0a\x04\x0a\x02\x08\x07"])
def test_damaged_messages_are_refused(message: bytes, tmp_path: Path) -> None:
    """The last one has a child that is not there."""
    path = str(tmp_path / "ck")
    with tf.Graph().as_default(), tf.Session() as session:
        saved = tf.raw_ops.SaveV2(
            prefix=path, tensor_names=[GRAPH], shape_and_slices=[""], tensors=[message]
        )
        session.run(saved)
        root = tf.train.Checkpoint(a=tf.Variable(1.0))
        try:
            status = root.restore(path)
        except tf.errors.DataLossError:
            return
        assert message[-1:] == b"\x07"
        with pytest.raises(AssertionError, match="were not bound to checkpointed values"):
            status.assert_consumed()


def test_layers_and_iterators_are_saved(tmp_path: Path) -> None:
    def build() -> tuple[Any, Any, Any]:
        layer, normal = tf.layers.Dense(2), tf.layers.BatchNormalization()
        x = normal(layer(tf.ones([1, 3])))
        cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2) for _ in range(2)])
        cells(x, cells.zero_state(1, tf.float32))
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(9))
        root = tf.train.Checkpoint(layers=[layer, normal], cells=cells, data=iterator)
        return root, iterator, iterator.get_next()

    with tf.Graph().as_default(), tf.Session() as session:
        root, iterator, following = build()
        session.run([tf.global_variables_initializer(), iterator.initializer])
        for _ in range(4):
            session.run(following)
        wanted = session.run(tf.global_variables())
        path = root.write(str(tmp_path / "ck"))
        shapes = tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
        assert shapes["layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE"] == [3, 2]
        assert shapes["layers/1/moving_mean/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
        assert "data/.ATTRIBUTES/ITERATOR_STATE" in shapes
    with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope("other"):
        root, iterator, following = build()
        session.run(iterator.initializer)
        root.restore(path).assert_consumed().run_restore_ops()
        assert session.run(following) == 4
        for ours, theirs in zip(session.run(tf.global_variables()), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def _managed(lib: Any, folder: Path) -> list[Any]:
    """What a manager says over some savings, by names of files."""
    seen: list[Any] = []

    def tell(manager: Any) -> None:
        latest = manager.latest_checkpoint
        names = [Path(path).name for path in (*manager.checkpoints, *([latest] if latest else ()))]
        seen.append((names, sorted(p.name for p in folder.glob("*.index"))))

    with lib.Graph().as_default(), lib.Session() as session:
        step = lib.Variable(0, use_resource=True)
        root = lib.train.Checkpoint(step=step)
        session.run(step.initializer)
        manager = lib.train.CheckpointManager(root, str(folder), 2)
        tell(manager)
        for _ in range(3):
            manager.save()
            tell(manager)
        manager.save(checkpoint_number=9)
        tell(manager)
        again = lib.train.CheckpointManager(root, str(folder), 3, checkpoint_name="other")
        tell(again)
        again.save()
        tell(again)
        rare = lib.train.CheckpointManager(
            root, str(folder), 3, step_counter=step, checkpoint_interval=2
        )
        for _ in range(4):
            seen.append(rare.save() is None)
            session.run(step.assign_add(1))
        tell(rare)
        assert (rare.directory, rare.checkpoint, rare.checkpoint_interval) == (str(folder), root, 2)
    return seen


def test_managers_keep_the_last_ones(tmp_path: Path) -> None:
    folders = tmp_path / "ours", tmp_path / "theirs"
    for folder in folders:
        folder.mkdir()
    assert _managed(dataflow, folders[0]) == _managed(oracle, folders[1])


def test_managers_begin_or_go_on(tmp_path: Path) -> None:
    called: list[int] = []
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.Variable(4)
        root = tf.train.Checkpoint(value=value)

        def begin() -> None:
            called.append(1)
            session.run(value.initializer)

        manager = tf.train.CheckpointManager(root, str(tmp_path), None, init_fn=begin)
        assert manager.restore_or_initialize() is None and called == [1]
        path = manager.save(
            options=tf.train.CheckpointOptions(
                experimental_write_callbacks=[lambda: called.append(2), lambda p: called.append(p)]
            )
        )
        session.run(value.assign(7))
        assert manager.restore_or_initialize() == path and called == [1, 2, path]
        assert session.run(value) == 4
        for most, interval in ((0, None), (1, 3)):
            with pytest.raises(ValueError):
                tf.train.CheckpointManager(root, str(tmp_path), most, checkpoint_interval=interval)


def test_managers_keep_one_of_so_many_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a clock that goes half an hour from one checkpoint to the next."""
    now = time.time()
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.Variable(4)
        session.run(value.initializer)
        root = tf.train.Checkpoint(value=value)
        manager = tf.train.CheckpointManager(root, str(tmp_path), 1, 1.0)
        for _ in range(6):
            now += 1800
            monkeypatch.setattr(time, "time", lambda moment=now: moment)
            manager.save()
    kept = sorted(int(path.stem.partition("-")[2]) for path in tmp_path.glob("*.index"))
    assert kept == [2, 4, 6]


def _of_templates(lib: Any, value: float) -> Any:
    def inner() -> Any:
        part = lib.get_variable("part", initializer=value, use_resource=True)
        with lib.variable_scope("deep"):
            return part * lib.get_variable("x", initializer=2 * value, use_resource=False)

    within = lib.make_template("within", inner)

    def outer() -> Any:
        own = lib.get_variable("own", initializer=3 * value, use_resource=True)
        return own + within() + before()

    before = lib.make_template("before", inner)
    before()
    template = lib.make_template("outer", outer)
    return template, template(), template()


def test_templates_are_saved_by_the_names_in_their_scopes(tmp_path: Path) -> None:
    keys, paths = [], []
    for lib, value in ((dataflow, 1.0), (oracle, 4.0)):
        with lib.Graph().as_default() as graph:
            template, *_ = _of_templates(lib, value)
            checkpoint = lib.train.Checkpoint(template=template)
            with lib.Session(graph=graph) as session:
                session.run(lib.global_variables_initializer())
                paths.append(checkpoint.save(str(tmp_path / lib.__name__), session=session))
        keys.append(dataflow.train.list_variables(paths[-1]))
    assert keys[0] == keys[1] and len(keys[0]) == 5
    with dataflow.Graph().as_default() as graph:
        template, total, again = _of_templates(dataflow, 7.0)
        with dataflow.Session(graph=graph) as session:
            session.run(dataflow.global_variables_initializer())
            # What was called before is no part of it: 7 * 14 stays.
            for path, expected in zip(paths, (3 + 2 + 98, 12 + 32 + 98), strict=True):
                status = dataflow.train.Checkpoint(template=template).restore(path)
                status.assert_consumed().run_restore_ops(session)
                assert session.run([total, again]) == [expected, expected]


def _cells(nn: Any, layers: Any) -> dict[str, Any]:
    """Recurrent cells and layers whose weights have other names in scopes than as attributes."""
    wide = nn.LSTMCell(4, use_peepholes=True, num_proj=3)
    return {
        "deep": nn.MultiRNNCell([nn.DropoutWrapper(nn.GRUCell(4)), wide, nn.BasicRNNCell(3)]),
        "long": nn.ResidualWrapper(nn.BasicLSTMCell(3)),
        "apart": layers.SeparableConv1D(2, 2),
        "inner": _WithLayers(layers),
    }


def _WithLayers(layers: Any) -> Any:
    class WithLayers(layers.Layer):  # type: ignore[misc]
        """Only what `add_weight` makes is saved of it."""

        def __init__(self) -> None:
            super().__init__(name="own")
            self.inner = layers.Dense(3)

        def build(self, shape: Any) -> None:
            self.w = self.add_weight("weights/w", [3])
            self.built = True

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs) * self.w

    return WithLayers()


def _called(lib: Any, parts: dict[str, Any]) -> dict[str, Any]:
    for name in ("deep", "long"):
        parts[name](lib.ones([2, 3]), parts[name].zero_state(2, lib.float32))
    parts["apart"](lib.ones([2, 5, 3]))
    parts["inner"](lib.ones([2, 4]))
    return parts


@pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed in a future version")
@pytest.mark.parametrize("writes", ["ours", "tensorflow"])
def test_weights_of_cells_and_layers_are_named_as_they_were_told(
    writes: str, tmp_path: Path
) -> None:
    libs = [
        (tf, tf.nn.rnn_cell, tf.layers),
        (oracle, rnn_cell_impl, _LEGACY_LAYERS),
    ]
    paths, values = [], []
    for number, (lib, nn, layers) in enumerate(libs if writes == "ours" else libs[::-1]):
        with lib.Graph().as_default(), lib.Session() as session:
            lib.set_random_seed(number)
            parts = _called(lib, _cells(nn, layers))
            checkpoint = lib.train.Checkpoint(**parts)
            session.run(lib.global_variables_initializer())
            if paths:
                status = checkpoint.restore(paths[0]).assert_consumed()
                status.initialize_or_restore(session)
            weights = [v for name in sorted(parts) for v in parts[name].weights]
            values.append(session.run(weights))
            paths.append(checkpoint.save(str(tmp_path / str(number)), session))
    for ours, theirs in zip(*values, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    first, second = (dict(tf.train.list_variables(path)) for path in paths)
    del first[GRAPH], second[GRAPH]
    assert first == second
    assert f"deep/cell-0/cell/gates.Skernel/{VALUE}" in first
    assert f"deep/cell-1/projection.Skernel/{VALUE}" in first
    assert [key for key in first if key.startswith("inner")] == [f"inner/weights.Sw/{VALUE}"]


def test_copies_of_layers_keep_their_weights() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.Dense(2)
        layer(tf.ones([1, 3]))
        made = copy.deepcopy(layer)
        assert made._lookup_dependency("kernel") is made.kernel is layer.kernel
        with pytest.raises(TypeError, match="passed type <class 'int'>, not a Trackable"):
            made._track_trackable(3, "three")


@pytest.mark.parametrize("lib", [dataflow, oracle])
def test_classes_add_to_what_they_are_made_of(lib: Any, tmp_path: Path) -> None:
    base: Any = Trackable if lib is dataflow else their_base.Trackable
    reference: Any = TrackableReference if lib is dataflow else their_base.TrackableReference

    class Own(base):  # type: ignore[misc]
        def add(self, name: str, value: Any) -> None:
            self._maybe_initialize_trackable()
            self._unconditional_checkpoint_dependencies.append(reference(name, value))
            self._unconditional_dependency_names[name] = value

    with lib.Graph().as_default(), lib.Session() as session:
        own, names = Own(), ["a", "b", "c"]
        for name in names:
            own.add(name, lib.Variable(1.0, use_resource=True))
        known = own._unconditional_checkpoint_dependencies
        assert [each.name for each in known] == names and len(known) == 3
        assert own._lookup_dependency("b") is known[1].ref
        known[0] = reference("first", known[0].ref)
        known.insert(0, reference("before", known[1].ref))
        del known[-1]
        session.run(lib.global_variables_initializer())
        path = lib.train.Checkpoint(own=own).write(str(tmp_path / "c"), session)
    keys = {key for key, _ in lib.train.list_variables(path)}
    assert f"own/first/{VALUE}" in keys
    assert not {f"own/a/{VALUE}", f"own/c/{VALUE}"} & keys
