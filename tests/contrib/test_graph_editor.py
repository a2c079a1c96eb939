"""tf.contrib.graph_editor: what is chosen, copied and reconnected is what steps then compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import graph_editor as ge
from dataflow.contrib.graph_editor import corresponding


def _chain() -> tuple[Any, Any, Any, Any]:
    a = tf.constant(2.0, name="a")
    b = tf.square(a, name="s/b")
    with tf.control_dependencies([tf.no_op(name="before")]):
        c = tf.add(b, 1.0, name="s/c")
    d = tf.multiply(c, b, name="d")
    return a, b, c, d


def test_walks_and_choices() -> None:
    with tf.Graph().as_default() as graph:
        a, b, c, d = _chain()
        one, before = graph.get_operation_by_name("s/c/y"), graph.get_operation_by_name("before")
        back = ge.get_backward_walk_ops(d)
        assert {op.name for op in back} == {"d", "s/c", "s/b", "a", "s/c/y"}
        assert before in ge.get_backward_walk_ops([d.op], control_inputs=True)
        assert ge.get_backward_walk_ops(d.op, inclusive=False, stop_at_ts=[b]) == [c.op, one]
        forward = ge.get_forward_walk_ops([a.op])
        assert set(forward) == {a.op, b.op, c.op, d.op}
        assert ge.get_forward_walk_ops(b, within_ops=[c.op, a.op]) == [c.op]
        assert ge.get_forward_walk_ops(a, within_ops_fn=lambda op: op is not c.op) == [b.op, d.op]
        assert c.op in ge.get_forward_walk_ops(before, control_outputs=ge.ControlOutputs(graph))
        assert ge.get_walks_intersection_ops([b.op], [c.op]) == [b.op, c.op]
        assert ge.filter_ops(graph, lambda op: op.type == "Square") == [b.op]
        assert ge.filter_ts_from_regex([c.op], "s/b") == [b]
        assert ge.select_ops("^s/b", graph=graph) == [b.op]
        assert ge.select_ts("(?#ts)d", graph=graph) == [d]
        assert set(ge.get_within_boundary_ops(graph, [d.op], [b.op])) == {d.op, c.op, one, b.op}
        view = ge.sgv(b.op, c.op)
        assert str(view).splitlines()[1:] == [
            *("** ops[2]:", "  s/b", "  s/c"),
            *("** inputs[2]:", "  a:0", "  s/c/y:0"),
            *("** outputs[2]:", "  s/b:0", "  s/c:0"),
        ]
        assert str(ge.sgv()) == "SubGraphView: empty"
        assert "** ops: empty\n** inputs[1]:\n  a:0 *\n" in str(ge.sgv(a))
        assert (list(view.inputs), list(view.outputs)) == ([a, one.outputs[0]], [b, c])
        assert view.remap_outputs([1]).outputs[0] is c
        assert ge.sgv_scope("s", graph).ops == [b.op, one, c.op]
        with pytest.raises(ValueError, match="intersecting with the seeds"):
            ge.get_within_boundary_ops(graph, [d.op], [d.op])
        with pytest.raises(ValueError, match="Use the keyword argument 'graph'"):
            ge.select_ops("a")


def test_copies() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        _, b, c, d = _chain()
        tf.add_to_collection("kept", c)
        ge.add_control_inputs(d.op, [c.op, graph.get_operation_by_name("before")])
        view, info = ge.copy_with_input_replacements(
            [c.op, d.op], {b: tf.constant(10.0)}, dst_scope="again"
        )
        copied = info.transformed(d)
        assert copied.name == "again/d:0"
        assert info.original(copied) is d
        assert tf.get_collection("again/kept") == [info.transformed(c)]
        waited_for = {op.name for op in copied.op.control_inputs}
        assert waited_for == {"again/s/c", "before"}
        assert len(view.ops) == 2
        replaced = ge.graph_replace({"x": [d, b]}, {c: tf.constant(3.0)})
        assert replaced["x"][1] is b
        assert session.run([copied, replaced["x"][0], d]) == [110.0, 12.0, 20.0]
        i, total = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * b), [0, 1.0])
        loop = ge.get_walks_intersection_ops([b.op], [total.op])
        assert loop
        other = tf.Graph()
        ge.copy(graph, other)
        with tf.Session(graph=other) as second:
            assert second.run([d.name, total.name, i.name]) == [20.0, 256.0, 4]
        with pytest.raises(ValueError, match="not connected"):
            ge.graph_replace(d, {tf.constant(1.0): c})


def test_reconnecting() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant(1.0), tf.constant(5.0)
        p, q = tf.negative(x), tf.square(y)
        first, second = p + 10.0, q + 20.0
        assert ge.swap_ts([x], [y]) == 2
        assert session.run([p, q]) == [-5.0, 1.0]
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant(1.0), tf.constant(5.0)
        p, q = tf.negative(x), tf.square(y)
        first, second = p + 10.0, q + 20.0
        assert ge.reroute_ts(p, q, can_modify=[second.op]) == 1
        ge.reroute_inputs(ge.sgv(q.op), ge.sgv(p.op))
        ge.add_control_inputs(first.op, [q.op])
        assert first.op.control_inputs == [q.op]
        ge.remove_control_inputs(first.op, [q.op])
        assert first.op.control_inputs == []
        assert session.run([first, second]) == [5.0, 15.0]
        with pytest.raises(ValueError, match="are not compatible"):
            ge.reroute_ts([tf.constant(1)], [x])


def test_gradients_of_copies() -> None:
    """Layers are computed again for their gradients, from tensors that are kept."""
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(rng.randn(3, 4))
        weights = [tf.constant(rng.randn(4, 4)) for _ in range(4)]
        layers = [x]
        for each in weights:
            layers.append(tf.tanh(tf.matmul(layers[-1], each)))
        loss = tf.reduce_sum(layers[-1])
        plain = tf.gradients(loss, weights)
        kept = layers[2]
        forward = ge.get_forward_walk_ops(
            [w.op for w in weights], within_ops=ge.get_backward_walk_ops(loss)
        )
        between = ge.get_backward_walk_ops(
            loss.op, within_ops=forward, stop_at_ts=[kept], inclusive=True
        )
        between = [op for op in between if op is not loss.op and op.type != "Const"]
        _, info = ge.copy_with_input_replacements(ge.sgv(between), {})
        held = tf.stop_gradient(kept)
        copies = list(info._transformed_ops.values())
        ge.reroute_ts([held], [kept], can_modify=copies)
        for copied in copies:
            ge.add_control_inputs(copied, [loss.op])
        again = tf.reduce_sum(info._transformed_ops[layers[-1].op].outputs[0])
        late = tf.gradients(again, [held, *weights[2:]])
        early = tf.gradients(kept, weights[:2], grad_ys=late[0])
        want, found = session.run([plain, [*early, *late[1:]]])
    for one, other in zip(want, found, strict=True):
        np.testing.assert_allclose(one, other)


def test_a_transformer_with_handlers_of_its_own() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(3.0, name="in/x")
        y = tf.add(x, 1.0, name="in/y")
        z = tf.multiply(y, y, name="in/z")
        tf.add_to_collection("in/kept", z)
        editor = tf.contrib.graph_editor
        transformer = editor.Transformer()

        def doubled(info: Any, t: Any) -> Any:
            return t * 2.0

        def marked(info: Any, op: Any, inputs: Any) -> Any:
            def edited(node: Any) -> Any:
                node.attr["_seen"].b = True
                return node

            return editor.copy_op_handler(info, op, inputs, nodedef_fn=edited, copy_shape=True)

        transformer.transform_external_input_handler = doubled
        transformer.transform_op_handler = marked
        view, info = transformer([y.op, z.op], graph, "out", src_scope="in")
        assert [op.name for op in view.ops] == ["out/y", "out/z"]
        copied = info.transformed(z)
        assert copied.op.get_attr("_seen") is True
        # Both inputs of the sum come from outside: 2 * 3 + 2 * 1.
        assert session.run(copied) == 64.0
        assert tf.get_collection("out/kept") == [copied]
        transformer.transform_op_handler = lambda info, op, inputs: (op, op.outputs)
        with pytest.raises(ValueError, match="In-place transformation not allowed"):
            transformer([y.op], graph, "other", src_scope="in")
        with pytest.raises(TypeError, match=r"Expected a tf\.Graph"):
            transformer([y.op], None, "other")


def _crossing() -> dict[str, Any]:
    """Two sums of `a` and of constants, whose sum waits for the first of them."""
    a = tf.constant([1.0, 1.0], name="a")
    b = tf.constant([2.0, 2.0], name="b")
    c = tf.add(a, b, name="c")
    d = tf.constant([3.0, 3.0], name="d")
    e, f, g = tf.add(c, d, name="e"), tf.add(c, d, name="f"), tf.add(c, a, name="g")
    with tf.control_dependencies([c.op]):
        h = tf.add(f, g, name="h")
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}


def _inputs(t: Any) -> list[str]:
    return [each.op.name for each in t.op.inputs]


def test_detaching() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        t = _crossing()
        view = ge.sgv(t["c"].op, t["a"].op)
        same, inputs, outputs = ge.detach(view, control_ios=ge.ControlOutputs(graph))
        assert same is view and _inputs(t["c"]) == ["a", "geph__b_0"]
        assert [each.op.name for each in inputs] == ["geph__b_0"]
        assert [each.op.name for each in outputs] == ["geph__c_0", "geph__a_0"]
        assert _inputs(t["g"]) == ["geph__c_0", "geph__a_0"]
        assert t["h"].op.control_inputs == []
        fed = {outputs[0]: [1.0, 2.0], outputs[1]: [5.0, 5.0]}
        np.testing.assert_array_equal(session.run(t["h"], fed), [10, 12])
        np.testing.assert_array_equal(session.run(t["c"], {inputs[0]: [7.0, 8.0]}), [8, 9])
        with pytest.raises(TypeError, match=r"Expected a util\.ControlOutputs"):
            ge.detach_control_outputs(view, 1)
    with tf.Graph().as_default():
        t = _crossing()
        ge.detach_inputs(ge.sgv(t["h"].op), control_inputs=True)
        assert t["h"].op.control_inputs == [] and _inputs(t["h"]) == ["geph__f_0", "geph__g_0"]


@pytest.mark.parametrize("disconnect_first", [False, True])
def test_connecting(disconnect_first: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        t = _crossing()
        z = tf.add(tf.constant([1.0, 1.0]), tf.constant([2.0, 2.0]), name="z")
        later = tf.negative(z, name="later")
        ge.connect(ge.sgv(z.op), ge.sgv(t["e"].op).remap_inputs([0]), disconnect_first)
        assert _inputs(t["e"]) == ["z", "d"]
        assert _inputs(later) == (["geph__z_0"] if disconnect_first else ["z"])
        np.testing.assert_array_equal(session.run(t["e"]), [6, 6])
    with tf.Graph().as_default():
        other = tf.constant([1.0, 1.0])
        with pytest.raises(ValueError, match="graph"):
            ge.connect(ge.sgv(other.op), ge.sgv(t["e"].op))


def test_bypassing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        t = _crossing()
        _, made = ge.bypass(ge.sgv(t["f"].op).remap_inputs([0]))
        assert _inputs(t["h"]) == ["c", "g"] and _inputs(t["f"]) == ["geph__c_0", "d"]
        assert [each.op.name for each in made] == ["geph__c_0"]
        np.testing.assert_array_equal(session.run(t["h"]), [7, 7])


def test_copies_take_a_placeholder_for_each_use_of_what_is_outside() -> None:
    x = tf.constant([1.0, 2.0], name="x")
    with tf.name_scope("part"):
        y = tf.negative(x, name="y")
        z = tf.multiply(y, x, name="z")
    view, info = ge.copy(ge.sgv([y.op, z.op]), dst_scope="new")
    assert [op.name for op in view.ops] == ["new/part/y", "new/part/z"]
    assert [t.name for t in view.outputs] == ["new/part/z:0"] and list(view.inputs) == []
    taken = [op.inputs[-1].name for op in view.ops]
    assert taken == ["new/geph__x_0:0", "new/geph__x_0_1:0"]
    assert info.transformed(z).name == "new/part/z:0" and info.transformed(x) is None
    with pytest.raises(TypeError, match=r"Expected a tf\.Tensor, got: <class 'int'>"):
        ge.placeholder_name(3)


def test_what_has_the_same_name_in_another_graph() -> None:
    with tf.Graph().as_default() as here:
        x = tf.constant(1.0, name="x")
        with tf.name_scope("of"):
            inner = tf.constant(1.0, name="x")
    with tf.Graph().as_default() as there:
        plain = tf.constant(1.0, name="x")
        with tf.name_scope("s"):
            y = tf.constant(1.0, name="x")
    found = corresponding.find_corresponding([x, {"op": x.op}], there, dst_scope="s")
    assert found[0] is y and found[1] == {"op": y.op}
    assert corresponding.find_corresponding_elem(inner, there, src_scope="of/") is plain
    with pytest.raises(ValueError, match="x:0 does not start with of/"):
        corresponding.find_corresponding_elem(x, there, src_scope="of")
    with pytest.raises(TypeError, match=r"Expected tf.Tensor or tf.Operation"):
        corresponding.find_corresponding_elem(tf.float32, there)
    with pytest.raises(KeyError):
        corresponding.find_corresponding_elem(x, there, dst_scope="nowhere")
    corresponding.check_graphs(x, inner, here.get_operations()[0])
    with pytest.raises(ValueError, match=r"Argument\[1\]: Wrong graph!"):
        corresponding.check_graphs(x, y)


def test_scopes_of_names() -> None:
    assert corresponding.scope_dirname("a/b/c") == "a/b/" and corresponding.scope_dirname("c") == ""
    assert corresponding.scope_basename("a/b/c") == "c" == corresponding.scope_basename("c")
    assert "trainable_variables" in corresponding.get_predefined_collection_names()
