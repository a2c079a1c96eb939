"""tf.summary's functions: TensorFlow's nodes, tags, collections and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.conftest import SessionFactory
from tests.differentiation.both import assert_same_refusal, built


def _numbers(tf: Any) -> Any:
    x = tf.constant([1.0, 2.5])
    with tf.name_scope("outer"):
        first = tf.summary.scalar("loss", x[0])
        again = tf.summary.scalar("loss", x[1])
        grouped = tf.summary.scalar("loss", x[1], family="group")
        with tf.name_scope("inner"):
            spread = tf.summary.histogram("a b:c", x, family="/my group")
            nameless = tf.summary.histogram(None, x)
    plain = tf.summary.scalar("/odd name(1)", 3)
    return first, again, grouped, spread, nameless, plain


def _sounds_and_texts(tf: Any) -> Any:
    clips = tf.constant(np.linspace(-1, 1, 24).reshape(2, 4, 3), tf.float32)
    metadata = tf.SummaryMetadata(display_name="replaced", summary_description="kept")
    sound = tf.summary.audio("sound", clips, 8000, max_outputs=2)
    rate = tf.constant(44100.0)
    one = tf.summary.audio("sound", clips[:, :, 0], rate, max_outputs=1, family="f")
    words = tf.summary.text("words", tf.constant(["a", "*b*"]))
    whole = tf.summary.tensor_summary("whole", clips, "about", None, metadata, "f", "shown")
    bare = tf.summary.tensor_summary("bare", clips)
    return sound, one, words, whole, bare


def _empty_images(tf: Any) -> Any:
    return tf.summary.image("picture", tf.zeros([0, 2, 2, 3]), max_outputs=5, family="f")


def _merged(tf: Any) -> Any:
    first = tf.summary.scalar("a", 1.0)
    apart = tf.summary.scalar("b", 2.0, collections=["mine", "yours"])
    with tf.name_scope("scope"):
        inside = tf.summary.scalar("c", 3.0)
        third = tf.summary.merge([inside, apart], collections=["merged"])
    found = tf.summary.merge_all()
    some = tf.summary.merge_all(scope="scope", name="some (of them)")
    mine, none = tf.summary.merge_all("mine"), tf.summary.merge_all("nobody's")
    again = tf.summary.merge([first, apart], name="again")
    assert none is None
    graph = tf.get_default_graph()
    keys = sorted(graph.get_all_collection_keys())
    held = [f"{key}: {[x.name for x in graph.get_collection(key)]}" for key in keys]
    return found, some, mine, third, again, tf.constant(held)


@pytest.mark.parametrize("program", [_numbers, _sounds_and_texts, _empty_images, _merged])
def test_graphs_and_values(program: Any) -> None:
    nodes, values = built(tf, program, values=True)
    expected_nodes, expected = built(oracle, program, values=True)
    assert "\n".join(nodes) == "\n".join(expected_nodes)
    for have, want in zip(values, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(have, object), np.asarray(want, object))


def test_refusals() -> None:
    def wrong_text(tf: Any) -> Any:
        return tf.summary.text("a", tf.constant(1.0))

    assert "to have dtype string" in assert_same_refusal(wrong_text)
    assert_same_refusal(lambda tf: tf.summary.initialize())
    assert_same_refusal(lambda tf: tf.summary.merge([]))
    with tf.Graph().as_default():
        assert tf.summary.all_v2_summary_ops() == []


def test_description() -> None:
    for library in (tf, oracle):
        with library.Graph().as_default():
            node = library.raw_ops.TensorSummary(tensor=1, description='{"typeHint": "hint"}').op
            found = library.summary.get_summary_description(node.node_def)
            assert found == library.summary.SummaryDescription(type_hint="hint")
            with pytest.raises(ValueError, match="Can't get_summary_description on Const"):
                library.summary.get_summary_description(library.constant(1).op.node_def)


def test_a_training_loop_shows_itself(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        weight = tf.Variable(8.0, name="weight")
        loss = tf.square(weight)
        tf.summary.scalar("loss", loss)
        tf.summary.histogram("weight", weight)
        tf.summary.image("pixels", tf.reshape(weight, [1, 1, 1, 1]))
        shown = tf.summary.merge_all()
        train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
        start = tf.global_variables_initializer()
    with session_factory(graph) as session:
        session.run(start)
        for value in (8.0, 4.0, 2.0):
            summary = tf.Summary.FromString(session.run(shown))
            loss_value, spread, image = summary.value
            assert (loss_value.tag, loss_value.simple_value) == ("loss", value * value)
            assert (spread.tag, spread.histo.num, spread.histo.min) == ("weight_1", 1, value)
            assert (image.tag, image.image.height) == ("pixels/image/0", 1)
            session.run(train)


def test_early_names() -> None:
    """Tags are what is said, whatever scopes are open; the nodes are TensorFlow's."""
    pixels, clips = np.zeros([0, 1, 1, 1], np.float32), np.ones([1, 2], np.float32)

    def ours(tf: Any) -> Any:
        with tf.name_scope("scope"):
            tf.scalar_summary("a tag", 1.0)
            tf.scalar_summary(["x", "y"], tf.constant([1.0, 2.0]), name="named")
            tf.histogram_summary("h", [1.0, 2.0])
            tf.image_summary("i", pixels, max_images=1, collections=["mine"])
            tf.audio_summary("s", clips, tf.constant(9.0), 2)
            return tf.merge_all_summaries(), tf.merge_summary(tf.get_collection("mine"))

    def raw(tf: Any) -> Any:
        with tf.name_scope("scope"):
            found = [
                tf.raw_ops.ScalarSummary(tags="a tag", values=1.0),
                tf.raw_ops.ScalarSummary(
                    tags=["x", "y"], values=tf.constant([1.0, 2.0]), name="named"
                ),
                tf.raw_ops.HistogramSummary(tag="h", values=[1.0, 2.0]),
            ]
            picture = tf.raw_ops.ImageSummary(tag="i", tensor=pixels, max_images=1)
            rate = tf.constant(9.0)
            with tf.name_scope("AudioSummary") as name:
                found.append(
                    tf.raw_ops.AudioSummaryV2(
                        tag="s", tensor=clips, sample_rate=rate, max_outputs=2, name=name
                    )
                )
            return tf.summary.merge(found), tf.summary.merge([picture])

    nodes, values = built(tf, ours, values=True)
    expected_nodes, expected = built(oracle, raw, values=True)
    assert values == expected
    assert sorted(nodes) == sorted(expected_nodes)
    assert tf.train.SummaryWriter is tf.summary.FileWriter
