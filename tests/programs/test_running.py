"""Programs about how sessions run: feeds, fetches, control edges, state between runs, threads."""

from __future__ import annotations

import collections
import threading
from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_fetches_of_any_structure(target: str) -> None:
    """The structure comes back with values in it; names, operations and variables are fetches."""

    def program(tf: Any) -> Any:
        pair = collections.namedtuple("pair", ["first", "second"])
        a = tf.constant([10, 20], name="a")
        b = tf.constant([1.0, 2.0], name="b")
        v = tf.Variable([[3.0]], name="v")
        doubled = tf.multiply(b, 2, name="doubled")
        indices = tf.constant([[0, 0], [1, 2]], dtype=tf.int64)
        sparse = tf.SparseTensor(indices, values=[1.5, 2.5], dense_shape=[3, 4])
        slices = tf.IndexedSlices(b, a, dense_shape=tf.constant([30]))
        with tf.Session() as sess:
            sess.run(v.initializer)
            ordered = collections.OrderedDict([("z", a), ("y", [b, (v, doubled.op)])])
            return [
                sess.run(a),
                sess.run([a, b, a]),
                sess.run((a, [b], {"x": v})),
                sess.run(pair(a, [doubled])),
                sess.run(ordered),
                sess.run("doubled:0"),
                sess.run(["doubled", "doubled:0", "v:0", "v/read:0"]),
                sess.run(sparse),
                sess.run(sparse).dense_shape,
                sess.run({"s": sparse, "i": slices}),
                sess.run([]),
                sess.run([[], {}, ()]),
                sess.run({"k1": {"k2": {"k3": [a]}}}),
            ]

    assert_same_program(program, target=target)


def test_feeding_intermediates(target: str) -> None:
    """A fed tensor cuts what made it; its shape and dtype are checked; constants too are fed."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [2, None], name="x")
        count = tf.Variable(0, name="count")
        with tf.control_dependencies([tf.assign_add(count, 1)]):
            counted = tf.identity(x)
        doubled = counted * 2
        top, bottom = tf.unstack(doubled, name="halves")
        total = tf.reduce_sum(top - bottom)
        one = tf.constant(1.0, name="one")
        final = tf.add(total, one, name="final")
        out = []
        with tf.Session() as sess:
            sess.run(count.initializer)
            value = np.arange(6, dtype=np.float64).reshape(2, 3)
            out.append(sess.run(final, {x: value}))
            out.append(sess.run([final, doubled], {doubled: value}))
            out.append(sess.run(final, {top: [1, 2, 3], x: value}))
            out.append(sess.run(final, {"one:0": 5, total: 7}))
            out.append(sess.run([total, "final:0"], {total: 7}))
            out.append(sess.run(count))
            out.append(sess.run(count, {count: 40}))
            out.append(sess.run(tf.add(count, 1), {"count/read:0": 40}))
            for feed in (
                {x: [1, 2]},
                {x: tf.constant(1.0)},
                {"nowhere:0": 1},
                {3: 1},
                {one: [1.0, 2.0]},
                {x: [["a", "b"], ["c", "d"]]},
                {x: np.zeros((3, 3))},
                {},
            ):
                try:
                    sess.run(final, feed)
                    out.append("ran")
                except (ValueError, TypeError, tf.errors.InvalidArgumentError) as e:
                    out.append(e)
            return out

    assert_same_program(program, target=target)


def test_sparse_feeds(target: str) -> None:
    """Sparse placeholders with and without shapes, fed with values and triples, and fetched."""

    def program(tf: Any) -> Any:
        anything = tf.sparse_placeholder(tf.float32)
        named = tf.sparse_placeholder(tf.int64, shape=[None, 4], name="named")
        by_tensor = tf.sparse_placeholder(tf.string, shape=tf.constant([2, 2], tf.int64))
        doubled = tf.SparseTensor(anything.indices, anything.values * 2, anything.dense_shape)
        value = tf.SparseTensorValue([[0, 1], [2, 0]], [1.5, 2.5], [3, 4])
        triple = (np.array([[1, 3]]), np.array([7]), np.array([2, 4]))
        out = [anything.shape, named.get_shape(), by_tensor.shape, named.values.name]
        with tf.Session() as sess:
            out.append(sess.run(doubled, {anything: value}))
            out.append(sess.run([named, named.dense_shape], {named: triple}))
            out.append(sess.run(anything, {anything: sess.run(doubled, {anything: value})}))
            out.append(sess.run(named.dense_shape))
        return out, tf.get_default_graph()

    assert_same_program(program, target=target)


def test_control_dependencies_of_assigns(target: str) -> None:
    """Orders of reads and writes that programs force; nested, cleared, and on operations."""

    def program(tf: Any) -> Any:
        x = tf.get_variable("x", shape=(), initializer=tf.zeros_initializer(), use_resource=True)
        y = tf.Variable(1.0, name="y")
        bump = tf.assign(x, x + 1.0, name="bump")
        with tf.control_dependencies([bump]):
            after = x.read_value()
            with tf.control_dependencies([tf.assign(y, y * 10.0)]):
                both = tf.add(after, y.read_value(), name="both")
            with tf.control_dependencies(None):
                outside = tf.constant(3.0, name="outside")
        with tf.control_dependencies([both.op, outside]):
            nothing = tf.no_op(name="nothing")
        everything = tf.group(bump, nothing, name="everything")
        grouped = tf.tuple([after, outside], control_inputs=[nothing])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return [
                sess.run([after, bump]),
                sess.run(both),
                sess.run(outside),
                sess.run(everything),
                sess.run([x, y]),
                sess.run(grouped),
                [op.name for op in nothing.control_inputs],
                [op.name for op in both.op.control_inputs],
                tf.get_default_graph(),
            ]

    assert_same_program(program, target=target)


def test_counters_and_fibonacci(target: str) -> None:
    """Loops written in Python around assigns; values stay between runs, not between sessions."""

    def program(tf: Any) -> Any:
        state = tf.Variable(0, name="counter")
        update = tf.assign(state, tf.add(state, tf.constant(1)))
        previous = tf.Variable(0, dtype=tf.int64)
        current = tf.Variable(1, dtype=tf.int64)
        with tf.control_dependencies([tf.identity(previous + current)]):
            following = previous + current
        advance = tf.group(tf.assign(previous, current), tf.assign(current, following))
        limited = state.count_up_to(5)
        out = []
        init = tf.global_variables_initializer()
        for _ in range(2):
            with tf.Session() as sess:
                sess.run(init)
                out.append(sess.run(state))
                for _ in range(3):
                    sess.run(update)
                    out.append(sess.run(state))
                out.append(sess.run(limited))
                out.append(sess.run(limited))
                try:
                    sess.run(limited)
                except tf.errors.OutOfRangeError as e:
                    out.append((e, e.op.type, e.error_code))
                sess.run(state.assign(100))
                sess.run(state.assign_add(5))
                state.load(state.eval() + 1, sess)
                out.append(sess.run(state))
        del advance
        return out, tf.get_default_graph()

    assert_same_program(program, target=target)


def test_partial_run(target: str) -> None:
    """One step in pieces; what is asked too early or twice is refused."""

    def program(tf: Any) -> Any:
        a = tf.placeholder(tf.float32, shape=[], name="a")
        b = tf.placeholder(tf.float32, shape=[], name="b")
        c = tf.placeholder(tf.float32, shape=[], name="c")
        r1 = tf.add(a, b)
        r2 = tf.multiply(r1, c)
        out = []
        with tf.Session() as sess:
            h = sess.partial_run_setup([r1, r2], [a, b, c])
            res = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
            out.append(res)
            out.append(sess.partial_run(h, r2, feed_dict={c: res * 17}))
            h = sess.partial_run_setup([r1, r2], [a, b, c])
            try:
                sess.partial_run(h, r2, feed_dict={a: 1, b: 2})
            except tf.errors.InvalidArgumentError as e:
                # TensorFlow calls the missing feed a fetch, so only the rest is compared.
                out.append(e.message.partition("Fetch ")[2].partition(":0 ")[2])
            h = sess.partial_run_setup([r1], [a, b])
            sess.partial_run(h, [], feed_dict={a: 4})
            try:
                sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
            except tf.errors.InvalidArgumentError as e:
                out.append(e)
            h2 = sess.partial_run_setup([r1], [a, b])
            out.append(sess.partial_run(h2, r1, feed_dict={a: 3, "b:0": 4}))
        return out

    assert_same_program(program, target=target)


def test_interactive_session(target: str) -> None:
    """`.eval()` and `.run()` without naming the session, as in a notebook."""

    def program(tf: Any) -> Any:
        sess = tf.InteractiveSession()
        x = tf.Variable([1.0, 2.0])
        a = tf.constant([3.0, 3.0])
        x.initializer.run()
        difference = tf.subtract(x, a)
        out = [difference.eval(), (x + 1).eval(), tf.get_default_session() is sess]
        holder = tf.placeholder(tf.int32)
        out.append((holder * 2).eval(feed_dict={holder: 4}))
        tf.assign(x, [7.0, 8.0]).op.run()
        out.append(x.eval())
        tf.global_variables_initializer().run(feed_dict={}, session=sess)
        out.append(sess.run(x))
        sess.close()
        try:
            x.eval()
        except (ValueError, RuntimeError) as e:
            out.append(e)
        return out

    assert_same_program(program, target=target)


def test_two_graphs_and_sessions(target: str) -> None:
    """Each session runs its own graph; mixing them is refused with TensorFlow's words."""

    def program(tf: Any) -> Any:
        out = []
        first, second = tf.Graph(), tf.Graph()
        with first.as_default():
            v = tf.get_variable("v", shape=[1, 2], initializer=tf.zeros_initializer)
            out.append(v.graph is first)
        with second.as_default():
            w = tf.get_variable("v", shape=[2], initializer=tf.ones_initializer())
            out.append(w.name)
            with first.as_default():
                out.append(tf.get_default_graph() is first)
            try:
                tf.add(v, w)
            except ValueError as e:
                out.append(e)
        with tf.Session(graph=first) as one, tf.Session(graph=second) as two:
            with first.as_default():
                tf.global_variables_initializer().run(session=one)
            two.run(w.initializer)
            out += [one.run(v), two.run(w), one.graph is first]
            for session, fetch in ((one, w), (two, "absent:0"), (two, 3), (two, None)):
                try:
                    session.run(fetch)
                except (ValueError, TypeError) as e:
                    out.append(e)
            with one.as_default():
                out.append(v.eval())
                try:
                    w.eval()
                except ValueError as e:
                    out.append(e)
        with tf.Session() as third:
            for fetch in ([], tf.constant(1)):
                try:
                    out.append(third.run(fetch))
                except (RuntimeError, ValueError) as e:
                    out.append(e)
        try:
            third.run(tf.constant(2))
        except RuntimeError as e:
            out.append(e)
        return [*out, first, second]

    assert_same_program(program, target=target)


def test_sessions_shared_by_threads(target: str) -> None:
    """Many threads step one session; adds with locks are all counted; threads see no defaults."""

    def program(tf: Any) -> Any:
        graph = tf.Graph()
        with graph.as_default():
            total = tf.Variable(0, name="total", dtype=tf.int64)
            amount = tf.placeholder(tf.int64, ())
            add = tf.assign_add(total, amount, use_locking=True).op
            squared = tf.square(amount)
            init = tf.global_variables_initializer()
        graph.finalize()
        squares: list[Any] = [None] * 8
        elsewhere = []
        sess = tf.Session(graph=graph)
        sess.run(init)

        def work(number: int) -> None:
            for _ in range(25):
                sess.run(add, {amount: number})
            squares[number] = int(sess.run(squared, {amount: number}))
            elsewhere.append(tf.get_default_session() is None)
            elsewhere.append(tf.get_default_graph() is not graph)

        with graph.as_default(), sess.as_default():
            threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        result = sess.run(total), squares, all(elsewhere)
        try:
            with graph.as_default():
                tf.constant(1)
        except RuntimeError as e:
            result = (*result, e)
        sess.close()
        return result

    assert_same_program(program, target=target)


def test_callables_and_graph_growth(target: str) -> None:
    """make_callable with feeds; the graph grows between runs; metadata and options are taken."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None])
        total = tf.reduce_sum(x, name="total")
        sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
        call = sess.make_callable(total, feed_list=[x])
        out = [call([1, 2, 3])]
        for power in range(2, 5):
            grown = tf.reduce_sum(x**power, name=f"power_{power}")
            out.append(sess.run([grown, total], feed_dict={x: np.array([1.0, 2.0])}))
        both = sess.make_callable([total, grown.op], feed_list=["Placeholder:0"])
        out.append(both(np.ones(2, np.float32)))
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE)
        out.append(sess.run(total, {x: [4]}, options=options, run_metadata=metadata))
        out.append([op.name for op in sess.graph.get_operations()])
        out.append([d.device_type for d in sess.list_devices()])
        sess.close()
        return out

    assert_same_program(program, target=target)
