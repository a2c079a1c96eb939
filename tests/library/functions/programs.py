"""Programs whose control flow depends on tensors; each is run with both libraries."""

from __future__ import annotations

from typing import Any


def branches(tf: Any, x: Any) -> Any:
    if x > 0:
        y = x * 2
    else:
        y = x * 3
    return y


def early_return(tf: Any, x: Any) -> Any:
    if x > 0:
        return x * 2
    return x * 3


def nested(tf: Any, x: Any) -> Any:
    if x > 0:
        if x > 2:
            y = 1
        else:
            y = 2
    elif x < -5:
        y = 3
    else:
        y = 4
    return y


def counted(tf: Any, x: Any) -> Any:
    i = 0
    while tf.abs(x) < 100.0:
        x = x * 2 + 1
        i += 1
    return x, i


def left_early(tf: Any, x: Any) -> Any:
    i = tf.constant(0)
    s = 0.0
    while i < 100:
        i += 1
        if tf.equal(tf.mod(i, 2), 0):
            continue
        s += x * tf.cast(i, tf.float32)
        if s > 50.0:
            break
    return s, i


def ranges_and_rows(tf: Any, x: Any) -> Any:
    s = x
    for i in tf.range(5):
        s += tf.cast(i, tf.float32)
    for v in tf.stack([x, x * 2, x * 3]):
        if v > 2:
            s += v
    for _ in range(3):
        s *= 1.5
    return s


def rows_left_early(tf: Any, x: Any) -> Any:
    s = x
    for v in tf.stack([x, x * 2, x * 3]):
        s += v
        if s > 4.0:
            break
    return s


def logic(tf: Any, x: Any) -> Any:
    a = x > 0 and x < 2
    b = x > 0 or x < -2
    c = not a
    d = True and x > 0
    return a, b, c, d


def ternary(tf: Any, x: Any) -> Any:
    return (x if x > 0 else -x) + (1 if True else 2)


def set_in_the_loop(tf: Any, x: Any) -> Any:
    for i in tf.range(3):
        y = x + tf.cast(i, tf.float32)
    return y


def functions_and_methods(tf: Any, x: Any) -> Any:
    def h(z, *a, **k):
        if z > 0:
            return z
        return -z

    class C:
        def __init__(self, v):
            self.v = v

        def m(self, q):
            if q > self.v:
                r = q
            else:
                r = self.v
            return r

        def __call__(self, q):
            return self.m(q) + 1

    return h(x) + C(2.0).m(x) + C(3.0)(x) + (lambda t: t if t > 0 else t * 0)(x)


def tensor_array(tf: Any, x: Any) -> Any:
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(4):
        ta = ta.write(i, x * tf.cast(i, tf.float32))
    return ta.stack()


def structures(tf: Any, x: Any) -> Any:
    d = {"a": x, "b": (x, 1.0)}
    if x > 0:
        d = {"a": x * 2, "b": (x, 2.0)}
    else:
        d = {"a": x * 3, "b": (x * 5, 4.0)}
    return d["a"] + d["b"][0] + d["b"][1]


def attributes(tf: Any, x: Any) -> Any:
    class Holder:
        pass

    o = Holder()
    o.v = x
    if x > 0:
        o.v = x * 2
    return o.v


def dataset(tf: Any, x: Any) -> Any:
    s = x
    for e in tf.data.Dataset.range(4):
        s += tf.cast(e, tf.float32)
    return s


def scopes_and_handlers(tf: Any, x: Any) -> Any:
    if x is None:
        raise ValueError("a")
    try:
        y = x + 1
    except ValueError:
        y = 0
    with tf.name_scope("q"):
        if x > 0:
            y = y + 1
    return y


def chained_comparison(tf: Any, x: Any) -> Any:
    if 0 < x < 2:
        y = 1.0
    else:
        y = 2.0
    return y


def one_branch(tf: Any, x: Any) -> Any:
    y = x
    if not x > 0:
        y = -x
    assert y is not None
    return y


PROGRAMS = (
    branches,
    early_return,
    nested,
    counted,
    left_early,
    ranges_and_rows,
    rows_left_early,
    logic,
    ternary,
    set_in_the_loop,
    functions_and_methods,
    tensor_array,
    structures,
    attributes,
    dataset,
    scopes_and_handlers,
    chained_comparison,
    one_branch,
)
