"""Load on a server: latencies, throughput, wrong answers, memory; beside TensorFlow's session.

python benchmarks/serving.py --minutes 10 --output serving.json

The opponent is TensorFlow's session behind the same listeners (`--opponent`). Clients are mixed:
HTTP and gRPC, of 1, 8 and 64 rows, and one request in a hundred is malformed. Each answer is
compared with numpy's. A server is a process of its own, and so is each group of clients.
With `--replicas N` Ray Serve's replicas answer, and one of them is killed at half time.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

WIDTHS = (64, 256, 256, 10)
ROWS = (1, 1, 1, 8, 8, 64)
BAD = 0.01
ROOT = Path(__file__).resolve().parents[1]


def weights() -> list[np.ndarray]:
    """Those of the net that is served."""
    rng = np.random.default_rng(0)
    pairs = itertools.pairwise(WIDTHS)
    return [(rng.standard_normal(p) / p[0] ** 0.5).astype(np.float32) for p in pairs]


def expected(x: np.ndarray) -> np.ndarray:
    """The net's answer."""
    for w in weights()[:-1]:
        x = np.maximum(x @ w, 0)
    found: np.ndarray = x @ weights()[-1]
    return found


def save(folder: Path) -> None:
    """Writes the net as a SavedModel."""
    import dataflow as tf

    with tf.Graph().as_default(), tf.Session() as session:
        x = h = tf.placeholder(tf.float32, [None, WIDTHS[0]], name="x")
        for number, value in enumerate(weights()):
            h = tf.matmul(h, tf.get_variable(f"w{number}", initializer=value))
            h = tf.nn.relu(h) if number < len(WIDTHS) - 2 else h
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": tf.identity(h, name="y")})


def serve(library: str, folder: str, batching: bool, replicas: int) -> None:
    """Serves the net until SIGTERM; says where it listens as the command does."""
    from dataflow.serving.backend import LocalBackend
    from dataflow.serving.metrics import Metrics
    from dataflow.serving.models import Models
    from dataflow.serving.options import Batching, ModelSource, ServerOptions
    from dataflow.serving.replicas import ReplicaBackend
    from dataflow.serving.server import serve as serve_until_signal

    options = ServerOptions(
        (ModelSource("net", folder),),
        rest_port=0,
        grpc_port=0,
        batching=Batching(max_batch_size=256) if batching else None,
    )

    def backend() -> Any:
        if replicas:
            return ReplicaBackend(options, replicas)
        opener: Any = of_tensorflow() if library == "tensorflow" else None
        return LocalBackend(Models(options, Metrics(), opener))

    def opened(server: Any) -> None:
        print(json.dumps({"rest": server.rest_port, "grpc": server.grpc_port}), flush=True)

    serve_until_signal(options, opened, backend)


def of_tensorflow() -> Any:
    """What loads a version into TensorFlow's session."""
    import tensorflow.compat.v1 as oracle

    from dataflow.proto.meta_graph_pb2 import MetaGraphDef

    oracle.disable_v2_behavior()

    class Loaded:
        def __init__(self, name: str, version: int, path: str) -> None:
            self.name, self.version = name, version
            self._session = oracle.Session(graph=oracle.Graph())
            with self._session.graph.as_default():
                found = oracle.saved_model.load(self._session, ["serve"], path)
            self.meta_graph = MetaGraphDef.FromString(found.SerializeToString())

        def run(self, feeds: Any, fetches: Any, seconds: float = 0.0) -> Any:
            return self._session.run(list(fetches), dict(feeds))

        def warm_up(self) -> int:
            return 0

        def close(self) -> None:
            self._session.close()

    return Loaded


class Clients:
    """Threads that ask one server, and what they have seen."""

    def __init__(self, ports: dict[str, int], seed: int) -> None:
        self._ports = ports
        self._seed = seed
        rng = np.random.default_rng(seed)
        self._questions = {}
        for rows in sorted(set(ROWS)):
            x = rng.standard_normal((rows, WIDTHS[0])).astype(np.float32)
            self._questions[rows] = (x, json.dumps({"instances": x.tolist()}), expected(x))
        self._lock = threading.Lock()
        self.seconds: dict[str, list[float]] = {}
        self.counts: Counter[str] = Counter()

    def run(self, seconds: float, http_threads: int, rpc_threads: int) -> None:
        """Asks for some time."""
        end = time.monotonic() + seconds
        kinds = [self._http] * http_threads + [self._rpc] * rpc_threads
        threads = [
            threading.Thread(target=self._guarded, args=(kind, end, self._seed * 100 + n))
            for n, kind in enumerate(kinds)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _guarded(self, kind: Any, end: float, seed: int) -> None:
        try:
            kind(end, random.Random(seed))
        except Exception as error:
            with self._lock:
                self.counts[f"client failed: {type(error).__name__}"] += 1

    def _note(self, kind: str, begin: float, outcome: str) -> None:
        with self._lock:
            self.seconds.setdefault(kind, []).append(time.monotonic() - begin)
            self.counts[outcome] += 1

    def _http(self, end: float, draw: random.Random) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._ports["rest"], timeout=60)
        while time.monotonic() < end:
            rows = draw.choice(ROWS)
            _, body, wanted = self._questions[rows]
            bad = draw.random() < BAD
            begin = time.monotonic()
            connection.request("POST", "/v1/models/net:predict", body[:-9] if bad else body)
            reply = connection.getresponse()
            data = reply.read()
            if bad:
                outcome = "refused" if reply.status == 400 else f"bad request got {reply.status}"
            elif reply.status != 200:
                outcome = f"status {reply.status}"
            else:
                same = np.allclose(json.loads(data)["predictions"], wanted, 1e-3, 1e-4)
                outcome = "right" if same else "wrong"
            self._note("http bad" if bad else f"http {rows}", begin, outcome)

    def _rpc(self, end: float, draw: random.Random) -> None:
        import grpc

        from dataflow.proto.serving_predict_pb2 import PredictRequest, PredictResponse
        from dataflow.values.tensor_proto import encode_tensor, make_ndarray

        with grpc.insecure_channel(f"127.0.0.1:{self._ports['grpc']}") as channel:
            call = channel.unary_unary("/tensorflow.serving.PredictionService/Predict")
            while time.monotonic() < end:
                rows = draw.choice(ROWS)
                x, _, wanted = self._questions[rows]
                request = PredictRequest()
                request.model_spec.name = "net"
                encode_tensor(x, request.inputs["x"])
                bad = draw.random() < BAD
                if bad:
                    request.inputs["x"].dtype = 3
                begin = time.monotonic()
                try:
                    data = call(request.SerializeToString(), timeout=60)
                    found = make_ndarray(PredictResponse.FromString(data).outputs["y"])
                    same = np.allclose(found, wanted, 1e-3, 1e-4)
                    outcome = "right" if same and not bad else "wrong"
                except grpc.RpcError as error:
                    code = error.code().name
                    outcome = "refused" if bad and code == "INVALID_ARGUMENT" else f"code {code}"
                self._note("grpc bad" if bad else f"grpc {rows}", begin, outcome)


def ask(queue: Any, ports: dict[str, int], seed: int, seconds: float, threads: int) -> None:
    """A process of clients: half by HTTP, half by gRPC."""
    clients = Clients(ports, seed)
    clients.run(seconds, threads - threads // 2, threads // 2)
    queue.put((clients.seconds, dict(clients.counts)))


def resident(processes: Iterable[int]) -> int:
    """Bytes of processes that lie in memory."""
    pages = 0
    for process in processes:
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def replicas_of(server: int) -> list[int]:
    """The processes of the replicas of a server that started its Ray."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            title = (entry.parent / "cmdline").read_bytes()
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            parents[int(entry.parent.name)] = (parent, title.startswith(b"ray::ServeReplica"))

    def is_below(process: int) -> bool:
        while process in parents and process != server:
            process = parents[process][0]
        return process == server

    return [each for each, (_, found) in parents.items() if found and is_below(each)]


def measured(library: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What load on one server shows."""
    command = [sys.executable, __file__, "--serve", library, "--folder", str(folder)]
    command += ["--batching"] if options.batching else []
    command += ["--replicas", str(options.replicas)]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    try:
        assert server.stdout is not None
        ports = json.loads(server.stdout.readline())
        warm = Clients(ports, 99)
        warm.run(2.0, 2, 2)
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        seconds = 60 * options.minutes
        groups = [
            context.Process(target=ask, args=(queue, ports, n, seconds, options.clients))
            for n in range(options.processes)
        ]
        for group in groups:
            group.start()
        memory, alive = [], options.replicas
        end = time.monotonic() + seconds
        killed = options.replicas == 0
        while time.monotonic() < end:
            time.sleep(min(1.0, max(end - time.monotonic(), 0.0)))
            replicas = replicas_of(server.pid) if options.replicas else []
            memory.append(resident([server.pid, *replicas]))
            alive = len(replicas)
            if not killed and end - time.monotonic() < seconds / 2:
                killed = True
                os.kill(replicas[0], signal.SIGKILL)
        told = [queue.get(timeout=120) for _ in groups]
        for group in groups:
            group.join()
    finally:
        server.terminate()
        status = server.wait(60)
    more = {"replicas": options.replicas, "alive_at_the_end": alive} if options.replicas else {}
    return {**summary(told, seconds, memory, status), **more}


def summary(
    told: list[tuple[dict[str, list[float]], dict[str, int]]],
    seconds: float,
    memory: list[int],
    status: int,
) -> dict[str, Any]:
    """Percentiles of milliseconds by kind, and the rest."""
    by_kind: dict[str, list[float]] = {}
    counts: Counter[str] = Counter()
    for times, outcomes in told:
        counts.update(outcomes)
        for kind, each in times.items():
            by_kind.setdefault(kind, []).extend(each)
    everything = [each for kind, times in by_kind.items() if "bad" not in kind for each in times]

    def percentiles(times: list[float]) -> dict[str, float]:
        points = np.percentile(times, [50, 90, 99, 99.9, 100]) * 1000
        names = ("p50_ms", "p90_ms", "p99_ms", "p99.9_ms", "max_ms")
        return {"count": len(times), **dict(zip(names, np.round(points, 3).tolist(), strict=True))}

    half = memory[len(memory) // 2 :] or memory
    return {
        "requests_per_second": round(sum(counts.values()) / seconds, 1),
        "all": percentiles(everything),
        "by_kind": {kind: percentiles(times) for kind, times in sorted(by_kind.items())},
        "outcomes": dict(counts),
        "resident_mb": {
            "first": memory[0] >> 20,
            "half": half[0] >> 20,
            "last": memory[-1] >> 20,
            "most": max(memory) >> 20,
        },
        "exit_status": status,
    }


def main() -> None:
    """Measures one server or two, and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--clients", type=int, default=4, help="threads of each process")
    parser.add_argument("--processes", type=int, default=1, help="of clients")
    parser.add_argument("--batching", action="store_true", help="requests are put together")
    parser.add_argument("--replicas", type=int, default=0, help="on Ray Serve; one is killed")
    parser.add_argument("--opponent", action="store_true", help="TensorFlow's session, too")
    parser.add_argument("--output", help="a file for the JSON")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.folder, options.batching, options.replicas)
        return
    with tempfile.TemporaryDirectory() as name:
        save(Path(name) / "net" / "1")
        libraries = ["dataflow", *(["tensorflow"] if options.opponent else [])]
        found = {each: measured(each, Path(name) / "net", options) for each in libraries}
    text = json.dumps({"minutes": options.minutes, "batching": options.batching, **found}, indent=1)
    print(text)
    if options.output:
        Path(options.output).write_text(text + "\n")


if __name__ == "__main__":
    main()
