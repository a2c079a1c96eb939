"""Summaries that write themselves: TensorFlow's nodes, and the events that it writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow import summary as theirs_v2
from tensorflow.python.ops import summary_ops_v2 as theirs

import dataflow as tf
from dataflow.contrib import summary as contrib
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.v2 import summary as our_v2
from tests.conftest import SessionFactory
from tests.differentiation.both import described, refusal
from tests.oracle import open_session
from tests.recording.event_files import events, plain

ours: Final[Any] = TensorflowModule("tensorflow.python.ops.summary_ops_v2")
NEWER_NAMES: Final = {
    "all_summary_ops": "all_v2_summary_ops",
    "flush": "legacy_raw_flush",
    "graph": "graph_v1",
    "should_record_summaries": "_legacy_contrib_should_record_summaries",
}
"""Name in TensorFlow 1.15 -> name in TensorFlow 2.21 of the function that is the same."""
Build = Callable[[Any, Any, str], Any]
"""`f(library, its summaries, folder)` gives the list of what is run, one after the other."""


class _Theirs:
    def __getattr__(self, name: str) -> Any:
        return getattr(theirs, NEWER_NAMES.get(name, name))


def _of(library: Any) -> Any:
    return ours if library is tf else _Theirs()


def _kinds(tf: Any, summary: Any, folder: str) -> Any:
    step = tf.train.get_or_create_global_step()
    x = tf.constant(np.linspace(-1, 1, 24).reshape(2, 3, 2, 2), tf.float32)
    fixed = tf.constant(9, tf.int64)
    writer = summary.create_file_writer(folder, max_queue=2, flush_millis=5000, name="shared")
    with writer.as_default(), summary.always_record_summaries():
        summary.scalar("loss", x[0, 0, 0, 0])
        with tf.name_scope("outer"):
            summary.scalar("loss", tf.constant(3), step=fixed, family="group")
            summary.histogram("spread", x, step=fixed)
        summary.generic("whole", x, tf.SummaryMetadata(display_name="shown"))
        summary.generic("bare", x)
        summary.image("picture", x[..., :1], max_images=1)
        summary.image("pictures", x[..., :1] / 0.0, tf.constant([7], tf.uint8), family="f")
        summary.audio("sound", x[0], 8000.0, 2, step=fixed)
        graph = summary.graph(tf.constant(tf.GraphDef().SerializeToString()), name="graph")
        event = summary.import_event(
            tf.constant(tf.Event(step=4, wall_time=2e9).SerializeToString())
        )
    all_ops = summary.all_summary_ops()
    ordered = [[op] for op in all_ops]
    return [
        [tf.global_variables_initializer(), summary.summary_writer_initializer_op()],
        *ordered,
        [tf.assign_add(step, 3)],
        *ordered,
        [graph],
        [event],
        [summary.flush(writer)],
        [summary.flush(writer._resource, name="raw")],
        [writer.close()],
        [writer.init()],
        [writer.close()],
    ]


def _conditions(tf: Any, summary: Any, folder: str) -> Any:
    step = tf.train.get_or_create_global_step()
    nobodys = [summary.scalar("nobody", 1.0), summary.flush(), summary.should_record_summaries()]
    writer = summary.create_file_writer(folder)
    writer.set_as_default()
    unsaid = [summary.scalar("unsaid", 1.0), summary.should_record_summaries()]
    with tf.name_scope("outer"), summary.record_summaries_every_n_global_steps(2):
        every, should = summary.scalar("every", 2.0), summary.should_record_summaries()
        with summary.never_record_summaries():
            never = summary.scalar("never", 3.0)
        with summary.record_if(lambda: tf.equal(step, 1)):
            once = summary.histogram("once", [1.0, 2.0])
    with summary.create_file_writer(None).as_default():
        again = summary.scalar("again", 4.0, step=tf.constant(5, tf.int64))
    up = tf.assign_add(step, 1)
    steps = [[every, should, never, once, again], [up]] * 4
    start = [tf.global_variables_initializer(), summary.summary_writer_initializer_op()]
    return [start, nobodys, unsaid, *steps, [writer.close()]]


def _newer(tf: Any, summary: Any, folder: str) -> Any:
    v2: Any = theirs_v2 if tf is oracle else our_v2
    fixed = tf.constant(9, tf.int64)
    writer = summary.create_file_writer_v2(folder, filename_suffix=".end")
    unwritten = [summary.write("nobody", 1.0, fixed), summary.write_raw_pb(b"", fixed)]
    with tf.name_scope("outer"), writer.as_default(step=tf.constant(3, tf.int64)):
        with summary.summary_scope("odd (name)") as (tag, _):
            listed = summary.write(tag, tf.constant([1.0, 2.0]))
        late = summary.write("late", lambda: tf.constant(1), step=fixed, metadata=b"", name="late")
        data = tf.Summary(value=[{"tag": "a", "simple_value": 2}]).SerializeToString()
        raw = summary.write_raw_pb(tf.constant([data, data]))
        with summary.record_if(False):
            never = summary.write("never", 1.0)
        number = v2.scalar("number", tf.constant(3), description="about")
        words = v2.text("words", tf.constant(["a", "b"]), step=fixed)
        should = v2.should_record_summaries()
        assert summary.has_default_writer() and summary.get_step() is not None
    assert not summary.has_default_writer() and summary.get_step() is None
    written = [[each] for each in (listed, late, raw, never, number, words, should)]
    return [[writer.init()], unwritten, *written, [writer.close()]]


def _shown(tf: Any, summary: Any, folder: str) -> Any:
    v2: Any = theirs_v2 if tf is oracle else our_v2
    fixed = tf.constant(9, tf.int64)
    x = tf.constant(np.linspace(-0.25, 1.25, 24).reshape(3, 2, 4, 1), tf.float32)
    none = tf.placeholder_with_default(np.zeros([0, 2, 1], np.float32), [None, None, 1])
    assert v2.histogram("nobody", x, fixed) is not None
    writer = summary.create_file_writer_v2(folder)
    with tf.name_scope("outer"), writer.as_default(step=tf.constant(3, tf.int64)):
        written = [
            v2.histogram("spread", x, description="about"),
            v2.histogram("few", [1, 2, 2, 9], fixed, buckets=3),
            v2.histogram("one", tf.fill([5], 2.5), buckets=2),
            v2.histogram("empty", none),
            v2.image("pictures", x, max_outputs=2),
            v2.image("bytes", tf.cast(x * 9.0, tf.uint8), fixed, description="about"),
            v2.audio("sounds", x[..., 0], 8000, max_outputs=2, encoding="wav"),
            v2.audio("silence", none, 8000),
        ]
    assert "encoding" in refusal(tf, lambda tf: v2.audio("a", x, 1, encoding="mp3")).args[0]
    return [[writer.init()], *([each] for each in written), [writer.close()]]


def _of_graphs(tf: Any, summary: Any, folder: str) -> Any:
    data = tf.RunMetadata()
    data.step_stats.dev_stats.add(device="/cpu:0")
    data.function_graphs.add().pre_optimization_graph.node.add(name="foo")
    writer = summary.create_file_writer_v2(folder)
    with writer.as_default(step=tf.constant(3, tf.int64)):
        with tf.name_scope("outer"):
            run = summary.run_metadata("run", data)
        graphs = summary.run_metadata_graphs("run (graphs)", data, tf.constant(4, tf.int64))
    return [[writer.init()], [run], [graphs], [writer.close()]]


def _in_branches_and_bodies(tf: Any, summary: Any, folder: str) -> Any:
    """What a branch or a body gives waits for the summaries that it makes."""
    step = tf.constant(1, tf.int64)
    variable = tf.get_variable("v", [], use_resource=True, initializer=tf.ones_initializer())

    def write(name: str, *given: Any) -> Any:
        summary.scalar(name, 2.0, step=step)
        return given if len(given) > 1 else given[0]

    writer = summary.create_file_writer(folder)
    with writer.as_default(), summary.always_record_summaries():
        yes, no = tf.constant(True), tf.constant(False)
        one = tf.cond(yes, lambda: write("one", yes), lambda: no)
        two = tf.cond(yes, lambda: write("two", variable, yes), lambda: (variable + 1.0, no))
        inner = tf.cond(
            yes, lambda: tf.cond(no, lambda: no, lambda: write("inner", yes)), lambda: no
        )
        lost = tf.cond(yes, lambda: write("lost", tf.no_op()), tf.no_op)
        loop = tf.while_loop(lambda i: i < 2, lambda i: write("loop", i + 1), [0])
        array = tf.TensorArray(tf.float32, 1)
        with_array = tf.while_loop(
            lambda i, _: i < 1, lambda i, a: write("array", i + 1, a.write(i, 3.0)), [0, array]
        )[1].stack()
        outside = summary.scalar("outside", 2.0, step=step)
    assert len(summary.all_summary_ops()) == 1
    order = [[each] for each in (one, two, inner, lost, loop, with_array, outside)]
    start = [tf.global_variables_initializer(), summary.summary_writer_initializer_op()]
    return [start, *order, [writer.close()]]


def _run(library: Any, build: Build, folder: Path) -> tuple[list[str], list[Any], list[str]]:
    summary = _of(library)
    outer = theirs._summary_state.writer, ours.DEFAULTS.writer
    with library.Graph().as_default() as graph:
        try:
            steps = build(library, summary, str(folder))
        finally:
            theirs._summary_state.writer, ours.DEFAULTS.writer = outer
        nodes = sorted(described(graph.as_graph_def().SerializeToString()))
        with open_session(library, graph) as session:
            fetched = [session.run(fetches) for fetches in steps]
    return [node.replace(str(folder), "FOLDER") for node in nodes], fetched, plain(folder)


@pytest.mark.parametrize(
    "build", [_kinds, _conditions, _newer, _shown, _of_graphs, _in_branches_and_bodies]
)
def test_nodes_values_and_events(tmp_path: Path, build: Build) -> None:
    found, wanted = (_run(library, build, tmp_path / library.__name__) for library in (tf, oracle))
    assert "\n".join(found[0]) == "\n".join(wanted[0])
    assert found[1] == wanted[1]
    assert len(found[2]) > 2
    assert found[2] == wanted[2]


def test_a_session_initializes(tmp_path: Path) -> None:
    """The default writer, that of a name, and the graph at step 0."""
    for library in (tf, oracle):
        summary = _of(library)
        folder = tmp_path / library.__name__
        with (
            library.Graph().as_default() as graph,
            summary.create_file_writer(str(folder)).as_default(),
        ):
            with pytest.raises(ValueError, match="must be passed if no default session"):
                summary.initialize()
            with open_session(library, graph) as session:
                summary.initialize(graph)
                summary.initialize(library.GraphDef(), session)
                session.run(summary.flush())
        _, first, second = events(folder)
        nodes = oracle.GraphDef.FromString(first.graph_def).node
        assert [node.op for node in nodes][:3] == ["Const", "Const", "Const"]
        assert first.step == second.step == 0 and not second.graph_def


def test_refusals() -> None:
    def both(call: Callable[[Any, Any], Any]) -> str:
        def refused(library: Any) -> Exception:
            return refusal(library, lambda tf: call(tf, _of(tf)))

        found, wanted = refused(tf), refused(oracle)
        assert type(found) is type(wanted)
        assert str(found) == str(wanted)
        return str(found)

    def written(call: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
        def inside(tf: Any, summary: Any) -> None:
            with summary.create_file_writer("/none").as_default(), summary.record_if(True):
                call(summary)

        return inside

    assert "No default" in both(lambda tf, summary: summary.initialize())
    assert "needs a argument `param`" in both(lambda tf, summary: summary.graph(b""))
    assert "cannot be None" in both(lambda tf, summary: summary.create_file_writer_v2(None))
    assert "'_resource'" in both(lambda tf, summary: summary.import_event(b""))
    assert "No step set" in both(written(lambda summary: summary.write("a", 1)))
    assert "must be a scalar" in both(written(lambda summary: summary.scalar("a", 1, step=[1, 2])))
    both(written(lambda summary: summary.scalar("a", b"text", step=1)))
    with pytest.raises(NotImplementedError, match="not written to databases"):
        ours.create_db_writer("file:a")


def test_models(tmp_path: Path) -> None:
    class Model:
        """Tells its configuration."""

        def to_json(self) -> str:
            return '{"layers": []}'

    with tf.Graph().as_default(), tf.Session() as session:
        writer = ours.create_file_writer_v2(str(tmp_path))
        with writer.as_default():
            written = ours.keras_model("model", Model(), step=5)
            assert ours.keras_model("model", object(), step=5) is False
        session.run(writer.init())
        assert session.run(written)
        session.run(writer.close())
    _, event = events(tmp_path)
    (value,) = event.summary.value
    assert (event.step, value.tag) == (5, "model")
    assert value.metadata.plugin_data.plugin_name == "graph_keras_model"
    assert value.tensor.string_val == [b'{"layers": []}']


def test_signatures() -> None:
    """TensorFlow's, without the arguments that newer versions have."""
    names = [name for name in dir(contrib) if name.islower() and name[0] != "_"]
    assert len(names) >= 20
    for name in names:
        mine = getattr(contrib, name)
        if inspect.isfunction(mine) and name != "create_db_writer":
            assert getattr(ours, name) is mine
            wanted = inspect.signature(getattr(_Theirs(), name))
            have = inspect.signature(mine)
            assert list(have.parameters) == list(wanted.parameters), name
            for each in have.parameters:
                assert have.parameters[each].default == wanted.parameters[each].default, name


def test_on_either_target(tmp_path: Path, session_factory: SessionFactory) -> None:
    summary = contrib
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        weight = tf.Variable(8.0)
        loss = tf.square(weight)
        with (
            summary.create_file_writer(tmp_path).as_default(),
            summary.record_summaries_every_n_global_steps(2, step),
        ):
            summary.scalar("loss", loss, step=step)
            train = tf.train.GradientDescentOptimizer(0.25)
            with tf.control_dependencies(summary.all_summary_ops()):
                train_op = train.minimize(loss, step)
            with session_factory(graph) as session:
                session.run(tf.global_variables_initializer())
                summary.initialize(session=session)
                for _ in range(4):
                    session.run(train_op)
                session.run(summary.flush())
    _, *written = events(tmp_path)
    found = [(each.step, each.summary.value[0].simple_value) for each in written]
    assert found == [(0, 64.0), (2, 4.0)]
