"""Programs that take graphs apart and put them together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program

_INPUT = np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32)


def _train_a_little(tf: Any) -> tuple[Any, Any]:
    """A trained model's graph and session, with named ends."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="input")
        keep = tf.placeholder_with_default(np.float32(1.0), [], name="keep")
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", initializer=np.ones((3, 2), np.float32) * [[0.5, -1.0]])
            b = tf.get_variable("b", [2], tf.float64, initializer=tf.ones_initializer())
        hidden = tf.identity(tf.matmul(x, tf.cast(w, tf.float32)), name="hidden")
        logits = tf.add(hidden, tf.cast(b, tf.float32) * keep, name="logits")
        tf.nn.softmax(logits, name="probabilities")
        loss = tf.reduce_mean(tf.square(logits))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        sess = tf.Session(graph=graph)
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: _INPUT})
    return graph, sess


def test_frozen_inference() -> None:
    """Train, freeze, serialise, import elsewhere, run without variables."""

    def program(tf: Any) -> Any:
        graph, sess = _train_a_little(tf)
        before = sess.run("probabilities:0", {"input:0": _INPUT})
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, graph.as_graph_def(), ["probabilities"]
        )
        smaller = tf.graph_util.remove_training_nodes(frozen, protected_nodes=["probabilities"])
        sub = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["hidden"])
        sess.close()
        data = smaller.SerializeToString()
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(data)
        again = tf.Graph()
        with again.as_default():
            tf.import_graph_def(graph_def, name="")
            x = again.get_tensor_by_name("input:0")
            y = again.get_tensor_by_name("probabilities:0")
        with tf.Session(graph=again) as sess:
            after = sess.run(y, feed_dict={x: _INPUT})
        return (
            before,
            after,
            [(n.name, n.op) for n in frozen.node],
            [(n.name, n.op) for n in smaller.node],
            [n.name for n in sub.node],
            x.shape,
            y.shape,
            again,
        )

    assert_same_program(program)


def test_import_with_maps() -> None:
    """input_map replaces inputs, return_elements finds ends, prefixes are made unique."""

    def program(tf: Any) -> Any:
        graph, sess = _train_a_little(tf)
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, graph.as_graph_def(), ["logits"]
        )
        sess.close()
        out = []
        mine = tf.constant(_INPUT * 2, name="mine")
        logits, op = tf.import_graph_def(
            frozen, input_map={"input:0": mine}, return_elements=["logits:0", "hidden"]
        )
        second = tf.import_graph_def(
            frozen,
            input_map={"input": mine, "keep:0": tf.constant(0.0)},
            return_elements=["logits:0"],
            name="net",
        )[0]
        third = tf.import_graph_def(frozen, {"hidden:0": logits}, ["logits:0"], name="net")[0]
        loss = tf.reduce_sum(tf.square(third - second))
        grads = tf.gradients(loss, [mine, logits])
        with tf.Session() as sess:
            out += [sess.run([logits, second, third, grads], {"net_1/input:0": _INPUT})]
        out += [t.name for t in (logits, op, second, third)]
        for kwargs in (
            {"input_map": {"nothing:0": mine}},
            {"return_elements": ["absent:0"]},
            {"return_elements": ["absent"]},
            {"return_elements": [3]},
            {"input_map": [mine]},
            {"name": "bad name"},
        ):
            try:
                tf.import_graph_def(frozen, **kwargs)
                out.append("imported")
            except (ValueError, TypeError) as e:
                out.append(e)
        try:
            tf.import_graph_def("text")
        except TypeError as e:
            out.append(e)
        return out, tf.get_default_graph()

    assert_same_program(program)


def test_walking_a_graph() -> None:
    """What libraries ask of operations and tensors."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 4, 4, 1], name="x")
        kernel = tf.Variable(np.ones([2, 2, 1, 3], np.float32), name="kernel")
        y = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME", name="conv")
        z = tf.nn.relu(y, name="relu")
        first, second = tf.split(z, [1, 2], axis=3, name="parts")
        joined = tf.concat([second, first], 3, name="joined")
        cast = tf.cast(joined, tf.int64, name="cast")
        graph = tf.get_default_graph()
        conv = graph.get_operation_by_name("conv")
        out = [
            [op.name for op in graph.get_operations()],
            [
                (op.type, [i.name for i in op.inputs], [o.name for o in op.outputs])
                for op in graph.get_operations()
            ],
            [c.name for c in z.consumers()],
            [c.name for c in graph.get_tensor_by_name("kernel:0").consumers()],
            conv.get_attr("strides"),
            conv.get_attr("padding"),
            conv.get_attr("T"),
            conv.get_attr("data_format"),
            conv.get_attr("use_cudnn_on_gpu"),
            kernel.op.get_attr("shape"),
            kernel.op.get_attr("dtype"),
            cast.op.get_attr("SrcT"),
            graph.get_tensor_by_name("parts/split_dim:0").op.get_attr("value").int_val[0],
            conv.node_def.op,
            conv.node_def.input,
            conv.values()[0] is y,
            x.op.inputs,
            len(conv.inputs),
            list(conv.inputs)[1].name,
            first.value_index,
            second.op is first.op,
            first.get_shape().as_list(),
            [second.shape[-1], second.shape[0].value, second.shape.ndims],
            graph.is_feedable(x),
            graph.is_fetchable(y),
            str(x),
            repr(y),
            str(conv).splitlines()[0],
            repr(conv),
            graph.as_graph_element("relu").name,
            graph.as_graph_element("relu:0").name,
            graph.as_graph_element(kernel).name,
            x.graph is graph,
            graph.version > 10,
            graph.seed,
            graph.finalized,
            graph.building_function if hasattr(graph, "building_function") else False,
        ]
        for ask in (
            lambda: graph.get_tensor_by_name("conv"),
            lambda: graph.get_tensor_by_name("conv:1"),
            lambda: graph.get_tensor_by_name("none:0"),
            lambda: graph.get_operation_by_name("none"),
            lambda: graph.get_operation_by_name("conv:0"),
            lambda: graph.get_operation_by_name(3),
            lambda: graph.as_graph_element(3),
            lambda: conv.get_attr("absent"),
            lambda: bool(x),
            lambda: list(x),
            lambda: len(x),
            lambda: x[0].set_shape([1]),
            lambda: hash(x) == hash(x),
        ):
            try:
                out.append(ask())
            except Exception as e:
                out.append((isinstance(e, KeyError), str(e).split(" is not allowed")[0]))
        return out

    assert_same_program(program)


def test_collections_and_bootstrap() -> None:
    """Collections of anything; uninitialised variables are found and initialised one by one."""

    def program(tf: Any) -> Any:
        graph = tf.get_default_graph()
        a = tf.get_variable("a", initializer=1.0)
        b = tf.get_variable("b", initializer=lambda: tf.constant([2, 3]))
        c = tf.Variable(a.initialized_value() * 3.0, name="c", collections=["mine"])
        tf.add_to_collection("things", "text")
        tf.add_to_collection("things", a)
        graph.add_to_collections(["things", "more"], 5)
        with tf.name_scope("scope"):
            tf.add_to_collection("scoped", tf.constant(1, name="one"))
        tf.add_to_collection("scoped", tf.constant(2, name="two"))
        reference = tf.get_collection_ref("more")
        reference.append(6)
        out = [
            [getattr(x, "name", x) for x in tf.get_collection("things")],
            tf.get_collection("more"),
            [x.name for x in tf.get_collection("scoped", "scope")],
            [x.name for x in tf.get_collection("scoped", scope=".*two")],
            tf.get_collection("absent"),
            sorted({"things", "mine", "variables"} & set(graph.get_all_collection_keys())),
            tf.GraphKeys.GLOBAL_VARIABLES,
        ]
        uninitialized = tf.report_uninitialized_variables()
        mine = tf.report_uninitialized_variables(tf.get_collection("mine"), name="mine_report")
        flags = [tf.is_variable_initialized(v) for v in (a, b, c)]
        with tf.Session() as sess:
            out.append(sess.run(uninitialized))
            sess.run(a.initializer)
            out.append(sess.run(uninitialized))
            names = {name.decode() for name in sess.run(uninitialized)}
            missing = [v for v in tf.global_variables() if v.op.name in names]
            sess.run(tf.variables_initializer(missing))
            out += [sess.run([uninitialized, mine]), sess.run(flags)]
            try:
                sess.run(c)
            except tf.errors.FailedPreconditionError as e:
                out.append(e.message.partition("Attempting")[2].splitlines()[0])
            try:
                sess.run(tf.assert_variables_initialized([c]))
            except tf.errors.FailedPreconditionError as e:
                out.append(e.error_code == tf.errors.FAILED_PRECONDITION)
            sess.run(c.initializer)
            out += [sess.run([a, b, c]), sess.run(mine)]
        tf.variables_initializer([], name="none")
        return out

    assert_same_program(program)


def test_export_and_copy() -> None:
    """Shapes in the export; control edges, colocation and devices are kept in the copy."""

    def program(tf: Any) -> Any:
        graph = tf.Graph()
        with graph.as_default(), tf.device("/cpu:0"):
            a = tf.constant([[1, 2]], name="a")
            with tf.control_dependencies([a]):
                b = tf.constant([[3], [4]], name="b")
            with tf.colocate_with(a):
                c = tf.matmul(a, b, name="c")
        shapes = graph.as_graph_def(add_shapes=True)
        text = str(graph.as_graph_def().node[1])
        other = tf.Graph()
        with other.as_default(), tf.device("/cpu:1"):
            tf.import_graph_def(graph.as_graph_def(), name="copy")
        with tf.Session(graph=other, config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
            value = sess.run("copy/c:0")
        del c
        return (
            [[d.size for d in n.attr["_output_shapes"].list.shape[0].dim] for n in shapes.node],
            text,
            value,
            [op.device for op in other.get_operations()],
            other,
        )

    assert_same_program(program)
