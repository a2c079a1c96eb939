"""Models written with loops, conditionals and arrays, by both kinds of control flow."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.both import assert_same_program

Program = Callable[[Any], Any]


@pytest.fixture(params=["v1", "v2"])
def check(request: pytest.FixtureRequest) -> Callable[[Program], None]:
    """Compares a program; of version 1 its graph too (functions have numbers of their own)."""

    def checked(program: Program) -> None:
        if request.param == "v1":
            assert_same_program(lambda tf: (program(tf), tf.get_default_graph()))
        else:
            assert_same_program(functools.partial(_functional, program))

    return checked


def _functional(program: Program, tf: Any) -> Any:
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    try:
        return program(tf)
    finally:
        tf.disable_control_flow_v2()
        tf.disable_resource_variables()


def _random(seed: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def test_beam_search(check: Callable[[Program], None]) -> None:
    """Hypotheses grow in the loop; finished ones are frozen; it stops early or at the limit."""
    words, batch, beams, limit = 6, 2, 3, 5

    def program(tf: Any) -> Any:
        table = tf.get_variable("table", initializer=_random(1, words, words))
        ended = tf.one_hot(tf.zeros([batch, beams], tf.int32), words, on_value=0.0, off_value=-1e9)

        def body(i: Any, ids: Any, scores: Any, finished: Any) -> Any:
            logits = tf.nn.embedding_lookup(table, tf.reshape(ids[:, :, -1], [-1]))
            steps = tf.reshape(tf.nn.log_softmax(logits), [batch, beams, words])
            done = tf.tile(tf.expand_dims(finished, 2), [1, 1, words])
            totals = tf.expand_dims(scores, 2) + tf.where(done, ended, steps)
            best, places = tf.nn.top_k(tf.reshape(totals, [batch, beams * words]), beams)
            parents = places // words + tf.expand_dims(tf.range(batch) * beams, 1)
            word = tf.mod(places, words)
            grown = tf.gather(tf.reshape(ids, [batch * beams, -1]), tf.reshape(parents, [-1]))
            grown = tf.reshape(grown, [batch, beams, -1])
            kept = tf.gather(tf.reshape(finished, [-1]), tf.reshape(parents, [-1]))
            ids = tf.concat([grown, tf.expand_dims(word, 2)], 2)
            finished = tf.reshape(kept, [batch, beams]) | tf.equal(word, 0)
            return i + 1, ids, best, finished

        start = [
            tf.constant(0),
            tf.ones([batch, beams, 1], tf.int32),
            tf.tile(tf.constant([[0.0] + [-1e9] * (beams - 1)]), [batch, 1]),
            tf.zeros([batch, beams], tf.bool),
        ]
        shapes = [[], [batch, beams, None], [batch, beams], [batch, beams]]
        results = tf.while_loop(
            lambda i, ids, scores, finished: (i < limit) & ~tf.reduce_all(finished),
            body,
            start,
            shape_invariants=[tf.TensorShape(shape) for shape in shapes],
            back_prop=False,
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(results), [r.shape for r in results]

    check(program)


def test_recurrent_network_of_unequal_lengths(check: Callable[[Program], None]) -> None:
    """An LSTM by hand over arrays, trained by Adam with clipped gradients."""
    units = 7

    def program(tf: Any) -> Any:
        rng = np.random.RandomState(0)
        inputs = tf.placeholder(tf.float32, [None, None, 5])
        lengths = tf.placeholder(tf.int32, [None])
        wanted = tf.placeholder(tf.float32, [None, 1])
        by_time = tf.transpose(inputs, [1, 0, 2])
        steps, batch = tf.shape(by_time)[0], tf.shape(by_time)[1]
        source = tf.TensorArray(tf.float32, steps, element_shape=[None, 5]).unstack(by_time)
        start = tf.zeros(tf.stack([batch, units]))
        start.set_shape([None, units])

        def body(t: Any, c: Any, h: Any, outputs: Any) -> Any:
            x = source.read(t)
            with tf.variable_scope("lstm", reuse=tf.AUTO_REUSE):
                kernel = tf.get_variable(
                    "kernel", [5 + units, 4 * units], initializer=tf.glorot_uniform_initializer(1)
                )
                bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
            gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias)
            i, j, f, o = tf.split(gates, 4, axis=1)
            new_c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
            new_h = tf.tanh(new_c) * tf.sigmoid(o)
            runs = tf.tile(tf.expand_dims(t < lengths, 1), [1, units])
            c, h = tf.where(runs, new_c, c), tf.where(runs, new_h, h)
            return t + 1, c, h, outputs.write(t, h)

        _, _, last, outputs = tf.while_loop(
            lambda t, *_: t < steps,
            body,
            [tf.constant(0), start, start, tf.TensorArray(tf.float32, steps)],
            swap_memory=True,
            parallel_iterations=4,
        )
        project = tf.get_variable("project", [units, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(last, project) - wanted))
        optimizer = tf.train.AdamOptimizer(0.05)
        gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
        clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
        step = tf.train.get_or_create_global_step()
        train = optimizer.apply_gradients(zip(clipped, variables, strict=True), global_step=step)
        found = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for k in range(5):
                x = rng.randn(4, 3 + k % 3, 5)
                feeds = {inputs: x, wanted: x.sum((1, 2))[:, None]}
                feeds[lengths] = rng.randint(1, 4 + k % 3, 4)
                found.append(sess.run([loss, norm, outputs.stack(), train], feeds))
            return found, sess.run(step), [v.name for v in tf.trainable_variables()]

    check(program)


def test_conditional_random_field(check: Callable[[Program], None]) -> None:
    """Forward by scan, backward by foldr, the gradient of the likelihood, and the best path."""
    steps, batch, tags = 5, 2, 3

    def program(tf: Any) -> Any:
        unary = tf.constant(_random(0, steps, batch, tags))
        path = tf.constant(np.random.RandomState(1).randint(0, tags, (steps, batch)))
        moves = tf.get_variable("moves", initializer=_random(2, tags, tags))

        def forward(alpha: Any, scores: Any) -> Any:
            return tf.reduce_logsumexp(tf.expand_dims(alpha, 2) + moves[None], 1) + scores

        def backward(beta: Any, scores: Any) -> Any:
            return tf.reduce_logsumexp(moves[None] + (beta + scores)[:, None, :], 2)

        def best(pair: Any, scores: Any) -> Any:
            totals = tf.expand_dims(pair[0], 2) + moves[None]
            return tf.reduce_max(totals, 1) + scores, tf.argmax(totals, 1)

        alphas = tf.scan(forward, unary[1:], initializer=unary[0])
        betas = tf.foldr(backward, unary[1:], tf.zeros([batch, tags]))
        none = tf.zeros([batch, tags], tf.int64)
        viterbi = tf.scan(best, unary[1:], initializer=(unary[0], none))
        partition = tf.reduce_logsumexp(alphas[-1], 1)
        again = tf.reduce_logsumexp(betas + unary[0], 1)
        score = tf.reduce_sum(unary * tf.one_hot(path, tags), [0, 2])
        places = path[:-1] * tags + path[1:]
        score += tf.reduce_sum(tf.gather(tf.reshape(moves, [-1]), places), 0)
        loss = tf.reduce_mean(partition - score)
        gradients = tf.gradients(loss, [unary, moves])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            first = sess.run([partition, again, loss, gradients, viterbi])
            np.testing.assert_allclose(first[0], first[1], rtol=1e-5)
            for _ in range(3):
                sess.run(train)
            return first, sess.run([loss, moves])

    check(program)


def test_network_over_trees(check: Callable[[Program], None]) -> None:
    """Each node writes its state to an array; a branch reads those of its children."""

    def program(tf: Any) -> Any:
        left, right, word = (tf.placeholder(tf.int32, [None]) for _ in range(3))
        leaf = tf.placeholder(tf.bool, [None])
        table = tf.Variable(_random(0, 6, 4))
        weights = tf.Variable(_random(1, 8, 4) * 0.4)
        bias = tf.Variable(tf.zeros([4]))
        count = tf.shape(leaf)[0]
        states = tf.TensorArray(
            tf.float32, count, dynamic_size=True, clear_after_read=False, infer_shape=False
        )

        def body(i: Any, states: Any) -> Any:
            def of_word() -> Any:
                return tf.expand_dims(tf.gather(table, tf.gather(word, i)), 0)

            def of_children() -> Any:
                children = [tf.reshape(states.read(side[i]), [1, 4]) for side in (left, right)]
                return tf.nn.relu(tf.matmul(tf.concat(children, 1), weights) + bias)

            return i + 1, states.write(i, tf.cond(tf.gather(leaf, i), of_word, of_children))

        _, states = tf.while_loop(lambda i, _: i < count, body, [0, states], parallel_iterations=1)
        root = tf.reshape(states.read(count - 1), [1, 4])
        loss = tf.reduce_sum(root**2) + tf.reduce_sum(tf.reshape(states.concat(), [-1, 4]))
        gradients = tf.gradients(loss, [table, weights, bias])
        train = tf.train.AdagradOptimizer(0.1).minimize(loss)
        trees = [
            ([0, 0, 0, 0, 2], [0, 0, 1, 0, 3], [1, 3, 0, 5, 0], [True, True, False, True, False]),
            ([0, 0, 0], [0, 0, 1], [2, 2, 0], [True, True, False]),
        ]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            found = []
            for tree in [*trees, trees[0]]:
                feeds = dict(zip((left, right, word, leaf), tree, strict=True))
                found.append(sess.run([loss, root, gradients], feeds))
                # On its own: TensorFlow's gradients may read what it is writing.
                sess.run(train, feeds)
            return found

    check(program)


def test_adaptive_solver_of_an_equation(check: Callable[[Program], None]) -> None:
    """Steps of Runge and Kutta, taken again at half the size where they err; its Jacobian."""

    def program(tf: Any) -> Any:
        start = tf.placeholder_with_default(tf.constant([1.0, 0.0], tf.float64), [2])
        end = tf.constant(2.0, tf.float64)

        def slope(y: Any) -> Any:
            return tf.stack([y[1], -tf.sin(y[0]) - 0.1 * y[1]])

        def stepped(y: Any, h: Any) -> Any:
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            return y + h / 6 * tf.add_n([k1, 2 * k2, 2 * k3, k4])

        def body(t: Any, y: Any, h: Any, i: Any) -> Any:
            h = tf.minimum(h, end - t)
            whole, halves = stepped(y, h), stepped(stepped(y, h / 2), h / 2)
            error = tf.reduce_max(tf.abs(whole - halves))
            return tf.cond(
                error < 1e-6,
                lambda: (t + h, halves, h * 1.5, i + 1),
                lambda: (t, y, h * 0.5, i + 1),
            )

        zero, half = tf.constant(0.0, tf.float64), tf.constant(0.5, tf.float64)
        solved = tf.while_loop(
            lambda t, y, h, i: (t < end) & (i < 1000), body, (zero, start, half, 0)
        )
        jacobian = [tf.gradients(solved[1][k], start)[0] for k in range(2)]
        with tf.Session() as sess:
            return sess.run([solved, jacobian])

    check(program)


def test_tasks_learnt_in_a_map(check: Callable[[Program], None]) -> None:
    """Gradients taken inside the body of `map_fn`; a conditional model differentiated twice."""

    def program(tf: Any) -> Any:
        weights = tf.Variable(np.float64(_random(0, 2, 1)))
        curved = tf.placeholder(tf.bool, [])
        data = tuple(tf.constant(np.float64(_random(k, 3, 4, 1 + k % 2))) for k in (1, 2, 3, 4))

        def task(inputs: Any) -> Any:
            x, y, other_x, other_y = inputs
            fast = weights
            for _ in range(2):
                error = tf.reduce_mean((tf.tanh(tf.matmul(x, fast)) - y) ** 2)
                fast = fast - 0.1 * tf.gradients(error, fast)[0]
            return tf.reduce_mean((tf.matmul(other_x, fast) - other_y) ** 2), fast

        mapped = tf.map_fn(task, data, dtype=(tf.float64, tf.float64), parallel_iterations=3)
        x, y = data[0][0], data[1][0]
        made = tf.cond(
            curved, lambda: tf.tanh(tf.matmul(x, weights)), lambda: tf.matmul(x, weights)
        )
        inner = tf.gradients(tf.reduce_mean((made - y) ** 2), weights)[0]
        outer = tf.gradients(tf.reduce_sum((weights - 0.1 * inner) ** 2), weights)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(mapped), [sess.run(outer, {curved: v}) for v in (True, False)]

    check(program)


def test_edit_distance(check: Callable[[Program], None]) -> None:
    """A loop in a loop, whose row grows by one in each iteration."""

    def program(tf: Any) -> Any:
        first, second = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
        rows, columns = tf.size(first), tf.size(second)
        shapes = [tf.TensorShape([]), tf.TensorShape([None])]

        def outer(i: Any, row: Any) -> Any:
            differs = tf.to_int32(tf.not_equal(second, first[i]))

            def inner(j: Any, new: Any) -> Any:
                cheapest = tf.minimum(tf.minimum(new[j], row[j + 1]) + 1, row[j] + differs[j])
                return j + 1, tf.concat([new, [cheapest]], 0)

            start = [0, tf.reshape(i + 1, [1])]
            grown = tf.while_loop(lambda j, _: j < columns, inner, start, shape_invariants=shapes)
            return i + 1, grown[1]

        start = [tf.constant(0), tf.range(columns + 1)]
        row = tf.while_loop(lambda i, _: i < rows, outer, start, shape_invariants=shapes)[1]
        with tf.Session() as sess:
            pairs = [(b"kitten", b"sitting"), (b"", b"abc"), (b"flaw", b"lawn")]
            found = [sess.run(row[-1], {first: list(a), second: list(b)}) for a, b in pairs]
            assert found == [3, 3, 2]
            return found

    check(program)
