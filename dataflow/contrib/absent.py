"""Parts of tf.contrib that are not here: programs may import them, and go on until they use one."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, NoReturn

PARTS: Final[Mapping[str, str]] = {
    "all_reduce": "reductions over NVIDIA's NCCL",
    "bigtable": "Google Cloud Bigtable",
    "cloud": "Google Cloud",
    "cmake": "building TensorFlow",
    "coder": "range coders",
    "ffmpeg": "audio and video by ffmpeg",
    "fused_conv": "convolutions of NVIDIA's that add biases",
    "hadoop": "Apache Hadoop",
    "ignite": "Apache Ignite",
    "kafka": "Apache Kafka",
    "kinesis": "Amazon Kinesis",
    "lite": "TensorFlow Lite",
    "memory_stats": "how much memory devices use",
    "meta_graph_transform": "rewritten MetaGraphs",
    "mpi_collectives": "MPI",
    "nccl": "reductions over NVIDIA's NCCL",
    "remote_fused_graph": "graphs that run on other processors",
    "rpc": "remote procedure calls",
    "stat_summarizer": "what steps cost, which RunMetadata tells",
    "tensorrt": "NVIDIA's TensorRT",
    "verbs": "RDMA",
    "xla": "XLA",
}
"""Part -> what it is about."""


class Absent:
    """What a program names of a part that is not here; it fails when it is called."""

    def __init__(self, path: str, about: str) -> None:
        """Takes the name in full, and what is not here."""
        self._path = path
        self._about = about

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(self)(f"{self._path}.{name}", self._about)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(self.reason)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """A class that has it as a base can be made, and fails when it is called."""

        def fail(*_: Any, **__: Any) -> NoReturn:
            raise NotImplementedError(self.reason)

        return (type("Unusable", (), {"__new__": fail}),)

    def __repr__(self) -> str:
        return f"<{self._path}, which is not here>"

    @property
    def reason(self) -> str:
        """What an error says."""
        return f"dataflow has no {self._path}: {self._about}."


class AbsentPart(ModuleType):
    """A module whose every name is an `Absent`."""

    def __init__(self, name: str, about: str | None = None, kind: type[Absent] = Absent) -> None:
        """Stands for a module.

        Args:
          name: Its name: of a part of tf.contrib, or of what lies in it, if `about` is None.
          about: What is not here, as an error says it.
          kind: What its names are.
        """
        super().__init__(name)
        self.__path__: list[str] = []
        self._about = about
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._about is not None:
            return self._kind(f"{self.__name__}.{name}", self._about)
        inside = self.__name__.partition(".contrib.")[2]
        part = inside.split(".")[0]
        return self._kind(
            f"tf.contrib.{inside}.{name}", f"tf.contrib.{part} is not here ({PARTS[part]})"
        )
