"""OpenMP's threads as a team: the same bits, only where it is free, in time and wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dataflow.actors.threads.errands import Errands
from dataflow.actors.threads.pool import KernelHelpers, SessionThreads
from dataflow.kernels.onednn import team
from dataflow.kernels.onednn.library import Threads
from dataflow.kernels.products import products
from dataflow.kernels.products.gemm import multiply
from dataflow.kernels.threads import parallel
from dataflow.kernels.threads.cores import available_cores
from dataflow.kernels.threads.parallel import Assisted, current
from tests.kernels.helped import helpers, loaded

DIVIDED = ((25, 1166, 935), (90, 1150, 151), (30, 774, 188), (852, 3645, 1))
"""Rows, terms and columns of products in which oneDNN's threads would divide the terms."""


LONG = ((195, 1171, 364), (734, 1024, 289), (199, 981, 628), (181, 854, 223), (143, 1039, 195))
"""The same where the second matrix is transposed, and there are gaps between its columns."""

Pair = tuple[np.ndarray, np.ndarray]


def products_of(pairs: Sequence[Pair]) -> list[np.ndarray]:
    """The products, in this thread's context."""
    made = []
    for a, b in pairs:
        made.append(np.empty((a.shape[0], b.shape[1]), np.float32))
        multiply(loaded(), a, b, made[-1])
    return made


@pytest.mark.parametrize("limit", [2, 8])
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize("turned_b", [False, True])
def test_products_are_the_same_to_the_bit(
    monkeypatch: pytest.MonkeyPatch, turned_a: bool, turned_b: bool, limit: int
) -> None:
    """Whoever has the team, also with more threads than this machine has cores."""
    monkeypatch.setattr(team, "available_cores", lambda: limit)
    random = np.random.default_rng(20 + turned_a + 2 * turned_b)
    shapes = list(DIVIDED)
    for _ in range(40):
        rows, columns = (int(2 ** random.uniform(2, 10)) for _ in range(2))
        shapes.append((rows, int(random.uniform(1, 6e7 / (rows * columns))) % 3000 + 1, columns))
    pairs: list[Pair] = []
    for rows, inner, columns in shapes:
        a = random.standard_normal((inner, rows) if turned_a else (rows, inner), np.float32)
        b = random.standard_normal((columns, inner) if turned_b else (inner, columns), np.float32)
        pairs.append((a.T if turned_a else a, b.T if turned_b else b))
    with helpers(limit):
        before = current.saved
        together = products_of(pairs)
        assert current.saved > before
    with busy_helpers(limit):
        before = current.saved
        without = products_of(pairs)
        assert current.saved == before
    for (a, b), one, other in zip(pairs, together, without, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, a @ b, rtol=1e-3, atol=1e-3)


def test_long_sums_with_gaps_are_the_same_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "available_cores", lambda: 4)
    random = np.random.default_rng(8)
    pairs: list[Pair] = []
    for rows, inner, columns in LONG:
        b = random.standard_normal((columns, inner + 3), np.float32)[:, :inner]
        pairs.append((random.standard_normal((rows, inner), np.float32), b.T))
    with helpers(4):
        together = products_of(pairs)
    with busy_helpers(4):
        without = products_of(pairs)
    for one, other in zip(together, without, strict=True):
        np.testing.assert_array_equal(one, other)


def test_its_threads_keep_off_the_core_of_the_caller() -> None:
    used = loaded().team
    cores: list[set[int]] = []

    def look() -> None:
        cores.extend(map(os.sched_getaffinity, used._members.threads))

    def work() -> None:
        with helpers() as idle:
            assert used.run(idle, "a", look)

    # A thread that has never used a team, so that the team's threads are new.
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [len(allowed) for allowed in cores] == [available_cores() - 1]


def test_a_thread_that_runs_errands_keeps_none_of_its_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While OpenMP has more threads than there are cores, none of them waits awake."""
    used = loaded().team
    monkeypatch.setattr(parallel, "_teams", [used])
    before = set(os.listdir("/proc/self/task"))
    during: set[str] = set()
    ended = threading.Event()

    def work() -> None:
        with helpers() as idle:
            used.run(idle, "a", lambda: during.update(os.listdir("/proc/self/task")))
        ended.set()

    errands = Errands()
    errands.put(work)
    assert ended.wait(60)
    started = during - before
    # The one that runs errands is among them.
    assert len(started) > 1
    for _ in range(1000):
        left = started & set(os.listdir("/proc/self/task"))
        if len(left) == 1:
            break
        time.sleep(0.01)
    errands.close()
    assert len(left) == 1


def test_one_thread_has_it_at_a_time() -> None:
    library = loaded()
    with helpers() as idle:
        inner: list[bool] = []

        def ask() -> None:
            inner.append(library.team.run(idle, "a", lambda: None))

        def call() -> None:
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()

        assert library.team.run(idle, "a", call)
    assert inner == [False]


@contextmanager
def busy_helpers(limit: int = 2) -> Iterator[KernelHelpers]:
    """Helpers all of which have something else to do."""
    threads = SessionThreads(limit, limit, own=True)
    busy, over = threading.Barrier(limit), threading.Event()

    def work(_first: object, _second: object) -> None:
        busy.wait(30)
        over.wait(60)

    try:
        assert threads.pool is not None and threads.helpers is not None
        for _ in range(limit - 1):
            threads.pool.submit(work, None, None)
        busy.wait(30)
        with Assisted(threads.helpers):
            yield threads.helpers
    finally:
        over.set()
        threads.close()


def test_threads_with_other_work_are_left_alone() -> None:
    with busy_helpers() as helpers:
        assert not loaded().team.run(helpers, "a", lambda: None)


@pytest.mark.parametrize("size", [200, 512])
def test_plans_learn_what_helpers_could_have_done(size: int) -> None:
    a, out = np.ones((size, size), np.float32), np.empty((size, size), np.float32)
    with busy_helpers():
        divisible, saved, start = current.divisible, current.saved, time.perf_counter()
        multiply(loaded(), a, a, out)
        taken = time.perf_counter() - start
    could_be_split = loaded().has_avx512 or size == 512
    assert (current.divisible > divisible) == could_be_split
    assert current.divisible - divisible <= taken
    assert current.saved == saved


def test_a_product_where_nobody_is_idle() -> None:
    random = np.random.default_rng(5)
    a, b = (random.standard_normal(s, np.float32) for s in ((256, 1024), (1024, 512)))
    out = np.empty((256, 512), np.float32)
    with busy_helpers():
        multiply(loaded(), a, b, out)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-3)


def test_one_thread_a_kernel_means_no_team() -> None:
    a = np.ones((512, 512), np.float32)
    before = current.saved
    with Assisted(None):
        products.product(a, a)
    assert current.saved == before
    assert not loaded().team.run(None, "a", lambda: None)


def test_it_rests_when_a_call_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def pass_by() -> None:
        nonlocal now
        now += 0.01

    monkeypatch.setattr(team, "perf_counter", lambda: now)
    asked = loaded().team
    with helpers() as idle:
        assert asked.run(idle, "a", lambda: None)
        assert asked.run(idle, "b", pass_by)
        assert asked.run(idle, "a", pass_by)
        assert not asked.run(idle, "a", lambda: None)
        pass_by()
        assert asked.run(idle, "a", lambda: None)


def test_threads_are_not_woken_for_what_is_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks again soon may ask many times more."""
    monkeypatch.setattr(team, "_GRACE", 60.0)
    monkeypatch.setattr(team, "_NEAR", 60.0)
    asked = loaded().team
    with helpers() as idle:
        assert not asked.run(idle, "a", lambda: None, only_awake=True)
        assert asked.run(idle, "a", lambda: None, only_awake=True)
        monkeypatch.setattr(team, "_NEAR", 0.0)
        assert not asked.run(idle, "a", lambda: None, only_awake=True)
        assert asked.run(idle, "a", lambda: None)
        monkeypatch.setattr(team, "_NEAR", 60.0)
        assert asked.run(idle, "a", lambda: None, only_awake=True)


def test_an_error_passes_and_the_bound_is_put_back() -> None:
    library = loaded()
    before = library.threads()

    def fail() -> None:
        assert library.threads() == 2
        raise ValueError("on purpose")

    with helpers() as idle, Threads(library, 1):
        with pytest.raises(ValueError, match="on purpose"):
            library.team.run(idle, "a", fail)
        assert library.threads() == 1
    assert library.threads() == before


_FORK = """
import os
import numpy as np
import dataflow as tf
a = np.ones((512, 512), np.float32)
with tf.Session() as session:
    x = tf.placeholder(tf.float32)
    for _ in range(4):
        assert (session.run(tf.matmul(x, x), {x: a}) == 512).all()
    child = os.fork()
    if not child:
        with tf.Graph().as_default(), tf.Session() as own:
            y = tf.placeholder(tf.float32)
            os._exit(0 if (own.run(tf.matmul(y, y), {y: a}) == 512).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_process_computes_without_it() -> None:
    subprocess.run([sys.executable, "-c", _FORK], check=True, timeout=120)


@pytest.mark.parametrize("own", [None, "0"])
def test_the_environment_is_the_users(own: str | None) -> None:
    code = (
        "import os; from dataflow.kernels.onednn.library import find; find();"
        "print(os.environ.get('GOMP_SPINCOUNT'))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "GOMP_SPINCOUNT"}
    if own is not None:
        environment["GOMP_SPINCOUNT"] = own
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == [str(own)], done.stderr


@pytest.mark.parametrize(
    ("vendor", "spins"), [("GenuineIntel", 5000), ("AuthenticAMD", 16_000), (None, 5000)]
)
def test_spins_by_how_long_they_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vendor: str | None, spins: int
) -> None:
    about = tmp_path / "cpuinfo"
    if vendor is not None:
        about.write_text(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t: {'avx ' * 999}\n")
    monkeypatch.setattr(team, "_PROCESSORS", about)
    for name in team._CHOICES:
        monkeypatch.delenv(name, raising=False)
    with team.spinning():
        assert os.environ[team.SPIN_COUNT] == str(spins)
    assert team.SPIN_COUNT not in os.environ
