"""Fixtures for tests that run on more than one back end."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, Protocol

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

from dataflow.graph import default_stacks, tracebacks
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.session.session import Session

# The same examples on every run, however busy the machine is.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")
# Nor do they depend on the constants of the modules that are loaded: which those are differs from
# process to process, and to read them in each takes longer than most rooms.
vars(providers)["_get_local_constants"] = lambda: providers._local_constants

# What fails here may be ours.
tracebacks.disable_traceback_filtering()

TARGETS = ["", "ray"]
"""The session targets every session test runs on."""


def pytest_configure(config: pytest.Config) -> None:
    """Gives the run a folder for temporary files that goes with it.

    TensorFlow's autograph leaves files, and rows name files for graphs that outlive them. Logs of
    Ray's and pytest's own folders are meant to be there afterwards.
    """
    # TensorFlow asks the processor whether to use oneDNN, without which it lacks some kernels.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    if hasattr(config, "workerinput"):
        return  # The process that has started this one has given it its folder.
    kept = tempfile.gettempdir()
    for name in ("RAY_TMPDIR", "PYTEST_DEBUG_TEMPROOT"):
        os.environ.setdefault(name, kept)
    folder = os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="dataflow-tests-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage while tests are collected, which all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """TensorFlow's sessions compute graphs as they are, where a test says nothing else.

    Rewriting takes several times as long as what a test asks about (`tests/oracle.py`).
    """
    library = sys.modules.get("tensorflow")
    if library is not None:
        library.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests on the run's Ray first, so that of the processes that share the tests one has
    them all.

    Each process with one of them would start a Ray of its own.
    """
    items.sort(key=lambda item: not _is_on_ray(item))


def _is_on_ray(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("ray")
    return mark is not None and not mark.kwargs.get("own")


@pytest.fixture(scope="module", autouse=True)
def _quick_collections() -> None:
    """Collections of garbage walk over what the module makes, not over what others have left.

    TensorFlow's modules and the parameters of all tests are a million objects. That a test leaves
    nothing is seen as before: what it makes itself is not frozen.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_graph_stays() -> Iterator[None]:
    """What a test leaves in the default graph, another would find there: variables, collections."""
    yield
    default_stacks.graphs.global_default = None


class SessionFactory(Protocol):
    """Opens sessions on the target of the test; they are closed at its end."""

    target: str

    def __call__(self, graph: Any = None, config: Any = None) -> Session:
        """Opens a session."""


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """A local Ray of two cores for the tests of this run, started by the first that needs it.

    It does without what only looks on, and takes a twentieth of a core.
    """
    import ray

    from benchmarks.soaking.forked_workers import forked_workers
    from tests.ray.held import OF_THE_RUN

    os.environ["REPORTER_UPDATE_INTERVAL_MS"] = "600000"
    options: dict[str, Any] = {
        "num_cpus": 2,
        "object_store_memory": 200 * 2**20,
        "include_dashboard": False,
        "log_to_driver": False,
        "configure_logging": False,
        "_system_config": {
            "worker_niceness": 0,
            "enable_metrics_collection": False,
            # It would kill actors for the memory that others on this machine take.
            "memory_monitor_refresh_ms": 0,
        },
    }
    # An actor costs a tenth of what it would.
    with forked_workers():
        try:
            ray.init("local", **options)
        except Exception as error:
            # Ray has half a minute for that, also on a machine that does much else.
            if "timed out during startup" not in str(error):
                raise
            ray.shutdown()
            ray.init("local", **options)
    # Of what Ray's processes log, each writes a file.
    node: Any = ray._private.worker._global_node
    node.kill_log_monitor()
    OF_THE_RUN.hold(ConfigProto())
    yield
    OF_THE_RUN.let_go()
    ray.shutdown()


@pytest.fixture(params=[pytest.param(t, marks=pytest.mark.ray if t else ()) for t in TARGETS])
def target(request: pytest.FixtureRequest) -> str:
    """A session target."""
    if request.param:
        request.getfixturevalue("ray_cluster")
    return str(request.param)


@pytest.fixture
def session_factory(target: str) -> Iterator[SessionFactory]:
    """A function that opens sessions on `target`, in a fresh default graph."""
    opened: list[Session] = []

    class Factory:
        """Opens sessions and remembers them."""

        def __init__(self) -> None:
            self.target = target

        def __call__(self, graph: Any = None, config: Any = None) -> Session:
            if target and config is not None and config.device_count:
                from tests.ray.held import hold

                hold(config)
            opened.append(Session(target, graph=graph, config=config))
            return opened[-1]

    default_stacks.graphs.global_default = None
    yield Factory()
    for session in opened:
        session.close()
    default_stacks.sessions.reset()
    default_stacks.graphs.reset()
