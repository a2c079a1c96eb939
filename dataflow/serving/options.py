"""What a server is told: its models, where it listens, and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from dataflow.errors import InvalidArgumentError


@dataclass(frozen=True)
class Batching:
    """How requests are put together.

    Raises:
      InvalidArgumentError: A number is out of range, or the sizes do not rise to the largest batch.
    """

    max_batch_size: int = 1000
    batch_timeout_micros: int = 0
    """How long a batch that is not full waits for more requests."""
    max_enqueued_batches: int = 10
    """How many may wait for a thread; a request beyond them is refused with UNAVAILABLE."""
    num_batch_threads: int = 2
    allowed_batch_sizes: tuple[int, ...] = ()
    """Sizes that batches are filled up to."""
    pad_variable_length_inputs: bool = False
    """Whether rows of different sizes are filled up to the largest."""

    def __post_init__(self) -> None:
        least = {"max_batch_size": 1, "batch_timeout_micros": 0, "max_enqueued_batches": 1}
        for name, bound in (*least.items(), ("num_batch_threads", 1)):
            if getattr(self, name) < bound:
                raise _invalid(f"{name} must be at least {bound}; was {getattr(self, name)}")
        sizes = self.allowed_batch_sizes
        if sizes and (sizes[0] < 1 or list(sizes) != sorted(set(sizes))):
            raise _invalid(f"allowed_batch_sizes entries must be monotonically increasing: {sizes}")
        if sizes and sizes[-1] != self.max_batch_size:
            raise _invalid(
                "Last entry in allowed_batch_sizes must match max_batch_size; last entry was "
                f"{sizes[-1]}; expected {self.max_batch_size}"
            )

    def padded(self, rows: int) -> int:
        """How many rows a batch of so many is filled up to."""
        return next((size for size in self.allowed_batch_sizes if size >= rows), rows)


@dataclass(frozen=True)
class Policy:
    """Which versions of a model are served: the latest ones, some, or all."""

    latest: int = 1
    specific: tuple[int, ...] = ()
    all: bool = False

    def choose(self, there: set[int]) -> set[int]:
        """Those to be served of the versions that are there."""
        if self.specific:
            return there & set(self.specific)
        return there if self.all else set(sorted(there)[-self.latest :])


@dataclass(frozen=True)
class ModelSource:
    """A model: its name, and the folder whose subfolders are its versions."""

    name: str
    base_path: str
    policy: Policy = Policy()
    labels: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Loading:
    """How versions are looked for and loaded."""

    poll_seconds: float = 1.0
    retry_seconds: float = 60.0
    """After how long a version that could not be loaded is tried again."""
    max_retries: int = 5
    warm_up: bool = True
    tags: tuple[str, ...] = ("serve",)
    labels_for_unavailable: bool = False
    """Whether a label may name a version that is not loaded."""


@dataclass(frozen=True)
class Limits:
    """What a server takes on."""

    request_bytes: int = 64 << 20
    """Of a body or a message. JSON takes some twenty times as much while it is read."""
    concurrent_requests: int = 1024
    """A request beyond them is refused with RESOURCE_EXHAUSTED."""
    timeout_seconds: float = 30.0
    """How long a request may take; 0 for any time."""
    threads: int = 0
    """That run steps; by default one for each core."""
    grace_seconds: float = 30.0
    """How long requests may take to end when the server stops."""


@dataclass(frozen=True)
class ServerOptions:
    """All that a server is told."""

    models: tuple[ModelSource, ...] = ()
    config_file: str = ""
    """A `ModelServerConfig` as text, instead of `models`."""
    config_poll_seconds: float = 0.0
    """How often the file is read again; 0 for never."""
    host: str = "127.0.0.1"
    rest_port: int | None = 8501
    """0 for any free one; None for no HTTP."""
    grpc_port: int | None = 8500
    batching: Batching | None = None
    loading: Loading = field(default_factory=Loading)
    limits: Limits = field(default_factory=Limits)


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
