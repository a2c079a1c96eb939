"""What a unit test asks of its surroundings: a start, a folder, the devices."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import platform
import socket
import sys
from collections.abc import Callable
from typing import Any

from absl import app
from absl.testing import absltest

from dataflow.proto.config_pb2 import ConfigProto
from dataflow.session.server import Server
from dataflow.session.session import Session
from dataflow.testing.benchmark import run_benchmarks
from dataflow.values.cluster_spec import ClusterSpec


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the script that was started, or its benchmarks: `--benchmarks=PATTERN`.

    Args:
      argv: The program's name and its arguments, flags among them; by default those of the
        process.

    Raises:
      SystemExit: Always, with 0 if all tests passed.
    """

    def run_tests() -> None:
        given = list(sys.argv if argv is None else argv)
        app.run(lambda rest: absltest.main(argv=rest), given)

    benchmarks_main(run_tests, argv)


def benchmarks_main(true_main: Callable[[], Any], argv: list[str] | None = None) -> None:
    """Runs the benchmarks that the argument `--benchmarks=` asks for.

    Args:
      true_main: Is called if there is no such argument.
      argv: The program's arguments, by default those of the process; that one is taken out.
    """
    given = sys.argv if argv is None else argv
    asked = [each for each in given if each.startswith(("--benchmarks=", "-benchmarks="))]
    if not asked:
        true_main()
        return
    given.remove(asked[0])
    pattern = asked[0].partition("=")[2]
    app.run(lambda _: run_benchmarks(pattern), given)


def gpu_device_name() -> str:
    """The name of the first GPU that a session here has, or an empty text."""
    with Session() as session:
        names = [d.name for d in session.list_devices() if d.device_type == "GPU"]
    return f"/device:GPU:{names[0].rpartition(':')[2]}" if names else ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """True if a session here has a GPU."""
    return bool(gpu_device_name())


def is_built_with_cuda() -> bool:
    """True: kernels for CUDA come with the package, and need cupy to run."""
    return True


def is_built_with_gpu_support() -> bool:
    """True: kernels for GPUs come with the package, and need cupy to run."""
    return True


def is_built_with_rocm() -> bool:
    """False: GPUs are CUDA's."""
    return False


def is_built_with_xla() -> bool:
    """False: there is no XLA."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """True for the processor that Python runs on.

    Args:
      target: "x86" or "arm", as TensorFlow names the targets of its compiler.
    """
    kinds = {"x86": ("x86_64", "amd64", "i686"), "arm": ("arm64", "aarch64")}
    return platform.machine().lower() in kinds.get(target, ())


def test_src_dir_path(relative_path: str) -> str:
    """A path below the folder that the package is in.

    Args:
      relative_path: As in TensorFlow's sources, such as "core/platform".
    """
    return os.path.join(os.path.dirname(os.path.dirname(__file__)), relative_path)


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of test methods that skips them where a predicate holds."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return wrapper

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """The class itself: operations go into graphs."""
    return cls if cls is not None else lambda given: given


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: ConfigProto | None = None,
    ps_config: ConfigProto | None = None,
) -> tuple[list[Server], list[Server]]:
    """Servers of a cluster on this machine, started.

    Args:
      num_workers: How many tasks the job "worker" has.
      num_ps: How many the job "ps" has.
      protocol: As `Server` takes it.
      worker_config: Options of the workers' devices.
      ps_config: Options of the others'.

    Returns:
      The workers' servers and the others'.

    Raises:
      OpError: One cannot be started.
    """
    tasks = {"worker": num_workers, "ps": num_ps}
    with contextlib.ExitStack() as stack:
        # Held at the same time, so that each is another one; they tell clusters apart.
        sockets = [stack.enter_context(socket.socket()) for _ in range(num_workers + num_ps)]
        for each in sockets:
            each.bind(("localhost", 0))
        addresses = iter([f"localhost:{each.getsockname()[1]}" for each in sockets])
        cluster = ClusterSpec(
            {job: list(itertools.islice(addresses, count)) for job, count in tasks.items()}
        )

    def servers(job: str, config: ConfigProto | None) -> list[Server]:
        return [
            Server(cluster, job_name=job, task_index=task, protocol=protocol, config=config)
            for task in range(tasks[job])
        ]

    return servers("worker", worker_config), servers("ps", ps_config)
