"""Names and sharing: name scopes, variable scopes, templates, collections, device functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_name_scopes() -> None:
    """Uniqueness, re-entry by a trailing slash, None, scopes taken from arguments."""

    def program(tf: Any) -> Any:
        a = tf.constant(1.0, name="a")
        names = [tf.constant(2, name="a").name]
        with tf.name_scope("outer") as outer:
            names += [outer, tf.constant(3).op.name]
            with tf.name_scope("inner"):
                names.append(tf.add(a, 1.0, name="sum").name)
            with tf.name_scope("inner") as again:
                names.append((a + 1.0).name)
            with tf.name_scope(None) as nothing:
                names += [nothing, tf.constant(4, name="root").name]
        with tf.name_scope(outer):
            names.append(tf.constant(5).name)
        with tf.name_scope(again):
            names.append(tf.constant(6).name)
        with tf.name_scope("outer"):
            names.append(tf.constant(7).name)
        with tf.name_scope("", values=[a]):
            names.append(tf.constant(8, name="A").name)
        with tf.name_scope(None, "default", [a, a]) as scope:
            names += [scope, tf.identity(a, name="value").name, tf.identity(a, name=scope).name]

        def layer(x: Any, name: str | None = None) -> Any:
            with tf.name_scope(name, "Layer", [x]) as scope:
                x = tf.convert_to_tensor(x, name="x")
                return tf.nn.relu(x * [1.0, -1.0], name=scope)

        outputs = [layer([1.0, 2.0]), layer(a), layer(a, name="mine")]
        graph = tf.get_default_graph()
        names += [output.name for output in outputs]
        names += [graph.unique_name("a"), graph.unique_name("fresh", mark_as_used=False)]
        names.append(graph.unique_name("fresh"))
        bad = []
        for text in ("with space", "-dash", "_under", "a:b"):
            try:
                with tf.name_scope(text):
                    tf.constant(1)
                bad.append("fine")
            except ValueError as e:
                bad.append(e)
        try:
            tf.add(a, 1.0, name="white space")
        except ValueError as e:
            bad.append(e)
        with tf.Session() as sess:
            return names, bad, sess.run(outputs), graph

    assert_same_program(program)


def test_variable_scopes_share() -> None:
    """Reuse by flag, by scope object, by AUTO_REUSE; initialisers, regularisers, name scopes."""

    def program(tf: Any) -> Any:
        out = []

        def my_image_filter(input_images: Any) -> Any:
            with tf.variable_scope("conv1"):
                weights = tf.get_variable(
                    "weights", [2, 2], initializer=tf.random_normal_initializer(seed=3)
                )
                biases = tf.get_variable("biases", [2], initializer=tf.constant_initializer(0.5))
            return tf.nn.relu(tf.matmul(input_images, weights) + biases)

        one, two = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])
        with tf.variable_scope("image_filters") as scope:
            result1 = my_image_filter(one)
            scope.reuse_variables()
            result2 = my_image_filter(two)
        with tf.variable_scope(scope, reuse=True) as same:
            out += [same.name, same.original_name_scope, same.reuse]
            out.append(tf.get_variable("conv1/weights", [2, 2]).name)
        with tf.variable_scope("root", regularizer=lambda w: tf.reduce_sum(w**2)) as root:
            root.set_initializer(tf.constant_initializer(0.4))
            v = tf.get_variable("v", [1])
            with tf.variable_scope("child", dtype=tf.float64, initializer=tf.ones_initializer()):
                w = tf.get_variable("w", [2])
                plain = tf.Variable(0, name="w")
                add = tf.add(w, 1.0)
        with tf.variable_scope("root", reuse=tf.AUTO_REUSE):
            shared = tf.get_variable("v", [1])
            fresh = tf.get_variable("fresh", [1], trainable=False)
        with tf.variable_scope("root"):
            with tf.name_scope("ops"):
                constant = tf.constant(1, name="c")
                third = tf.get_variable("third", [])
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                out.append(tf.get_variable("third", []) is third)
        with tf.variable_scope(None, "block"):
            first_block = tf.get_variable("x", [1])
        with tf.variable_scope(None, "block"):
            second_block = tf.get_variable("x", [1])
        out += [x.name for x in (v, w, plain, add, fresh, constant, first_block, second_block)]
        out += [v is shared, w.dtype, v.dtype.base_dtype]
        for make in (
            lambda: tf.get_variable("root/v", [1]),
            lambda: tf.get_variable("broken"),
            lambda: tf.get_variable("other", [2], initializer=tf.constant([1.0])),
        ):
            try:
                make()
                out.append("made")
            except ValueError as e:
                out.append(str(e).split(" Originally")[0])
        with tf.variable_scope("root", reuse=True):
            for name, shape, dtype in (
                ("absent", [1], None),
                ("v", [2], None),
                ("v", [1], tf.int32),
            ):
                try:
                    tf.get_variable(name, shape, dtype)
                except ValueError as e:
                    out.append(e)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            out.append(sess.run([result1, result2, v, w]))
            out.append(sess.run(tf.get_collection("regularization_losses")))
        out.append([v.name for v in tf.global_variables("root")])
        out.append([v.name for v in tf.trainable_variables()])
        return out, tf.get_default_graph()

    assert_same_program(program)


def test_getters_templates_and_partitions() -> None:
    """custom_getter, make_template, partitioned variables, local variables."""

    def program(tf: Any) -> Any:
        seen = []

        def doubling(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            seen.append((name, kwargs["shape"], kwargs["trainable"]))
            return 2.0 * getter(name, *args, **kwargs)

        with tf.variable_scope("got", custom_getter=doubling):
            doubled = tf.get_variable("w", [2], initializer=tf.constant_initializer([1.0, 2.0]))

        def dense(x: Any, units: int) -> Any:
            w = tf.get_variable(
                "w", [x.shape[1], units], initializer=tf.glorot_uniform_initializer(seed=1)
            )
            return tf.matmul(x, w)

        template = tf.make_template("dense", dense, units=3)
        x = tf.constant(np.arange(4, dtype=np.float32).reshape(2, 2))
        once, twice = template(x), template(x + 1.0)
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
            start = tf.constant(np.arange(10, dtype=np.float32).reshape(5, 2))
            big = tf.get_variable("big", initializer=start)
        pieces = [(p.name, p.shape, p.dtype) for p in big]
        whole = tf.convert_to_tensor(big)
        looked = tf.nn.embedding_lookup(big, [0, 3, 4], partition_strategy="div")
        local = tf.get_local_variable("local", [2], initializer=tf.zeros_initializer())
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            values = sess.run([doubled, once, twice, whole, looked, local, big.as_tensor()])
        return (
            values,
            seen,
            pieces,
            [v.name for v in template.variables],
            [v.name for v in tf.local_variables()],
            [v.op.name for v in tf.trainable_variables()],
            tf.get_default_graph(),
        )

    assert_same_program(program)


def test_device_functions_and_colocation() -> None:
    """Strings, merging, clearing, setters written by users, colocated operations."""

    def program(tf: Any) -> Any:
        out = []

        def on_ps(op: Any) -> Any:
            if op.type in ("VariableV2", "Variable", "VarHandleOp"):
                return "/job:ps/task:1"
            return tf.DeviceSpec(job="worker", task=0)

        with tf.device(on_ps):
            v = tf.Variable([1.0, 2.0], name="v")
            with tf.device("/cpu:0"):
                w = tf.Variable(3.0, name="w")
                product = v * w
            with tf.device(None):
                free = tf.constant(1.0)
        with tf.device("/job:worker/replica:0/task:3/device:GPU:1"):
            gpu = tf.constant(2.0)
            with tf.device("/device:CPU:0"):
                merged = tf.constant(2.0)
                with tf.colocate_with(v), tf.name_scope("near"):
                    near = tf.identity(product)
                    with tf.colocate_with(gpu, ignore_existing=True):
                        other = tf.square(near)
        graph = tf.get_default_graph()
        with graph.device(lambda op: "/task:7" if op.name.endswith("last") else ""):
            last = tf.constant(0, name="last")
        for tensor in (v.op, w, product, free, gpu, merged, near, other, last):
            op = getattr(tensor, "op", tensor)
            out.append((op.name, op.device, op.colocation_groups()))
        spec = tf.DeviceSpec.from_string("/job:a/task:2/gpu:3")
        out += [spec.job, spec.task, spec.device_type, spec.device_index, spec.to_string()]
        bad = ["/device:GPU:x", "/jobb:worker", "/cpu:0/gpu:0"]
        for text in bad:
            try:
                with tf.device(text):
                    tf.constant(1)
                out.append("fine")
            except ValueError as e:
                out.append(e)
        return out, graph

    assert_same_program(program)


def test_running_where_it_says(target: str) -> None:
    """Two CPU devices, one session; a device that is not there; soft placement."""

    def program(tf: Any) -> Any:
        out = []
        with tf.device("/cpu:1"):
            v = tf.Variable(np.ones([2, 2], np.float32), name="v")
        with tf.device("/cpu:0"):
            total = tf.reduce_sum(tf.matmul(v, v), name="total")
            update = tf.assign_add(v, [[1.0, 0.0], [0.0, 1.0]], name="update")
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.Session(config=config) as sess:
            out.append(sorted(d.name.rpartition("/")[2] for d in sess.list_devices()))
            sess.run(v.initializer)
            for _ in range(3):
                out.append(sess.run(total))
                sess.run(update.op)
        with tf.device("/gpu:7"):
            lost = tf.add(total, 1.0, name="lost")
        with tf.Session(config=config) as sess:
            try:
                sess.run(v.initializer)
                out.append(sess.run(lost))
            except tf.errors.InvalidArgumentError as e:
                out.append((type(e).__name__, "was explicitly assigned to" in e.message))
        config.allow_soft_placement = True
        with tf.Session(config=config) as sess:
            sess.run(v.initializer)
            out.append(sess.run(lost))
        return out

    assert_same_program(program, target=target)
