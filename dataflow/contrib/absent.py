"""Parts of tf.contrib that are not here: programs may import them, and go on until they use one."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, NoReturn

PARTS: Final[Mapping[str, str]] = {
    "all_reduce": "reductions over NVIDIA's NCCL",
    "autograph": "AutoGraph, which makes graphs of Python's if and while",
    "bigtable": "Google Cloud Bigtable",
    "boosted_trees": "boosted trees",
    "cloud": "Google Cloud",
    "coder": "range coders",
    "compiler": "XLA",
    "decision_trees": "decision trees",
    "distribute": "distribution strategies",
    "eager": "eager execution: graphs and sessions are what runs here",
    "ffmpeg": "audio and video by ffmpeg",
    "ignite": "Apache Ignite",
    "kafka": "Apache Kafka",
    "kinesis": "Amazon Kinesis",
    "lite": "TensorFlow Lite",
    "memory_stats": "how much memory devices use",
    "model_pruning": "pruning of weights",
    "mpi_collectives": "MPI",
    "nccl": "reductions over NVIDIA's NCCL",
    "quantize": "quantization of nets",
    "tensor_forest": "random forests",
    "tensorrt": "NVIDIA's TensorRT",
    "tfprof": "the profiler; RunMetadata and tf.train.ProfilerHook tell what steps cost",
    "verbs": "RDMA",
    "xla": "XLA",
}
"""Part -> what it is about."""


class AbsentPart(ModuleType):
    """A module whose every name is an `Absent`."""

    def __init__(self, name: str) -> None:
        """Stands for a part, or what lies in it, by its name as a module."""
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"tf.contrib.{self.__name__.partition('.contrib.')[2]}.{name}")


class Absent:
    """What a program names of a part that is not here; it fails when it is called."""

    def __init__(self, path: str) -> None:
        """Takes the name in full."""
        self._path = path

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(self.reason)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        raise NotImplementedError(self.reason)

    def __repr__(self) -> str:
        return f"<{self._path}, which is not here>"

    @property
    def reason(self) -> str:
        """What an error says."""
        part = self._path.split(".")[2]
        return f"dataflow has no {self._path}: tf.contrib.{part} is not here ({PARTS[part]})."
