"""tf.data.Options: how a pipeline is to be run; what changes no element is only noted."""

from __future__ import annotations

from typing import Any, Final

from dataflow.library.datasets.settings import messages
from dataflow.library.datasets.settings.aggregators import StatsAggregatorV1, StatsAggregatorV2
from dataflow.library.datasets.settings.policies import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    ExternalStatePolicy,
)


class OptionsBase:
    """Options that are set as attributes; None where nothing was said."""

    def __init__(self) -> None:
        """Says nothing yet."""
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_mutable", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no "
                "effect. Use `tf.data.Dataset.with_options(options)` to set or update dataset "
                "options."
            )
        if name not in self._names():
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    @classmethod
    def _names(cls) -> list[str]:
        return [
            name
            for kind in cls.__mro__
            for name, value in vars(kind).items()
            if isinstance(value, property)
        ]

    def _set_mutable(self, mutable: bool) -> None:
        """Says whether the options may be set, and those that they hold."""
        object.__setattr__(self, "_mutable", mutable)
        for name in self._names():
            held = getattr(self, name)
            if isinstance(held, OptionsBase):
                held._set_mutable(mutable)

    def _to_proto(self) -> Any:
        """A message of what is said that TensorFlow's messages have a field for.

        Raises:
          AttributeError: These options have no message.
        """
        message = messages.of_kind(type(self).__name__)
        messages.fill(message, {name: getattr(self, name) for name in self._names()})
        return message

    def _from_proto(self, pb: Any) -> None:
        """Says what a message says."""
        for name, value in messages.told(pb).items():
            held = getattr(self, name)
            if isinstance(held, OptionsBase):
                held._from_proto(value)
            else:
                setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = {**self._values, **other._values}
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    _values: dict[str, Any]
    _mutable: bool


_OLDER: Final = {"deterministic": "experimental_deterministic"}
"""What TensorFlow 1 calls an option."""


def _option(name: str, doc: str, kind: Any = bool, default: Any = None) -> Any:
    """An option that takes values of a kind; options of their own, and texts, are there at once."""
    is_there = isinstance(kind, type) and (issubclass(kind, OptionsBase) or kind is str)

    def get(self: OptionsBase) -> Any:
        value = self._values.get(name)
        if value is None and is_there:
            value = self._values[name] = kind()
        return default if value is None else value

    def put(self: OptionsBase, value: Any) -> None:
        if not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        self._values[name] = value

    return property(get, put, doc=doc)


class AutotuneOptions(OptionsBase):
    """How numbers are chosen that nobody gave."""

    autotune_algorithm = _option(
        "autotune_algorithm", "How they are found.", (AutotuneAlgorithm, int)
    )
    cpu_budget = _option("cpu_budget", "How many cores may be used.", int)
    enabled = _option("enabled", "Whether they are chosen while the pipeline runs.")
    initial_parallelism = _option("initial_parallelism", "The number to begin with.", int)
    min_parallelism = _option("min_parallelism", "The least number.", int)
    ram_budget = _option("ram_budget", "How many bytes may be used.", int)


class DistributeOptions(OptionsBase):
    """How elements are divided among workers."""

    auto_shard = _option("auto_shard", "Whether they are divided.")
    auto_shard_policy = _option(
        "auto_shard_policy", "By what they are divided.", AutoShardPolicy, AutoShardPolicy.AUTO
    )
    num_devices = _option("num_devices", "Among how many devices.", int)


class MapVectorizationOptions(OptionsBase):
    """Whether maps of single elements become maps of batches."""

    enabled = _option("enabled", "Whether they may.")
    use_choose_fastest = _option("use_choose_fastest", "Whether the faster one is chosen.")


class OptimizationOptions(OptionsBase):
    """Which rewrites of pipelines are allowed."""

    apply_default_optimizations = _option("apply_default_optimizations", "The usual ones.")
    autotune = _option("autotune", "Numbers are chosen that nobody gave.")
    autotune_algorithm = _option(
        "autotune_algorithm", "How they are found.", (AutotuneAlgorithm, int)
    )
    autotune_buffers = _option("autotune_buffers", "Sizes of buffers are chosen, too.")
    autotune_cpu_budget = _option("autotune_cpu_budget", "How many cores may be used.", int)
    filter_fusion = _option("filter_fusion", "Filters that follow each other become one.")
    filter_parallelization = _option("filter_parallelization", "Filters run on several threads.")
    filter_with_random_uniform_fusion = _option(
        "filter_with_random_uniform_fusion", "A filter of random numbers becomes a sampling."
    )
    hoist_random_uniform = _option("hoist_random_uniform", "Random numbers are made outside.")
    inject_prefetch = _option("inject_prefetch", "A prefetch at the end.")
    map_and_batch_fusion = _option("map_and_batch_fusion", "A map and a batch become one.")
    map_and_filter_fusion = _option("map_and_filter_fusion", "A map and a filter become one.")
    map_fusion = _option("map_fusion", "Maps that follow each other become one.")
    map_parallelization = _option("map_parallelization", "Maps run on several threads.")
    map_vectorization = _option(
        "map_vectorization", "Maps become maps of batches.", MapVectorizationOptions
    )
    noop_elimination = _option("noop_elimination", "What does nothing is left out.")
    parallel_batch = _option("parallel_batch", "Batches are made on several threads.")
    seq_interleave_prefetch = _option("seq_interleave_prefetch", "Interleaves prefetch.")
    shuffle_and_repeat_fusion = _option(
        "shuffle_and_repeat_fusion", "A shuffle and a repeat become one."
    )


class StatsOptions(OptionsBase):
    """What the stages of a pipeline tell of themselves, and whom."""

    aggregator = _option(
        "aggregator",
        "Who is told: a `StatsAggregator`, or None.",
        (StatsAggregatorV2, StatsAggregatorV1),
    )
    prefix = _option("prefix", "What all tags begin with.", str)
    counter_prefix = _option("counter_prefix", "What the names of counters begin with.", str)
    latency_all_edges = _option(
        "latency_all_edges", "Whether each dataset tells how long it takes for an element."
    )


class ThreadingOptions(OptionsBase):
    """How many threads are used."""

    max_intra_op_parallelism = _option("max_intra_op_parallelism", "By a kernel.", int)
    private_threadpool_size = _option("private_threadpool_size", "By the pipeline.", int)


class ServiceOptions(OptionsBase):
    """How a service that runs pipelines is used."""

    pinned = _option("pinned", "Whether the pipeline stays with its worker.")


class Options(OptionsBase):
    """How a pipeline is run."""

    autotune = _option("autotune", "How numbers are chosen that nobody gave.", AutotuneOptions)
    dataset_name = _option("dataset_name", "A name of the pipeline.", (str,))
    deterministic = _option("deterministic", "Whether elements come in the order of the input.")
    experimental_distribute = _option(
        "experimental_distribute", "How elements are divided among workers.", DistributeOptions
    )
    experimental_external_state_policy = _option(
        "experimental_external_state_policy",
        "What is done about state outside of the pipeline.",
        ExternalStatePolicy,
    )
    experimental_optimization = _option(
        "experimental_optimization", "Which rewrites are allowed.", OptimizationOptions
    )
    experimental_service = _option("experimental_service", "How a service is used.", ServiceOptions)
    experimental_slack = _option("experimental_slack", "Whether the last prefetch leaves slack.")
    experimental_stats = _option("experimental_stats", "What is told, and whom.", StatsOptions)
    experimental_symbolic_checkpoint = _option(
        "experimental_symbolic_checkpoint", "Whether checkpoints hold places, not elements."
    )
    experimental_warm_start = _option(
        "experimental_warm_start", "Whether elements are made before they are asked for."
    )
    framework_type = _option("framework_type", "What uses the pipeline.", list)
    threading = _option("threading", "How many threads are used.", ThreadingOptions)

    @property
    def experimental_deterministic(self) -> Any:
        """The old name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: Any) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> Any:
        """The old name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: Any) -> None:
        self.threading = value

    def merge(self, options: Options) -> Options:
        """These options and others.

        Args:
          options: The others.

        Raises:
          TypeError: They are no options.
          ValueError: Both say something of an option, and not the same.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Cannot merge with a {type(options)}.")
        made: Options = _merged(self, options)
        return made


def _merged(first: Any, second: Any) -> Any:
    made = type(first)()
    for name in {**first._values, **second._values}:
        a, b = first._values.get(name), second._values.get(name)
        if isinstance(a, OptionsBase) or isinstance(b, OptionsBase):
            made._values[name] = _merged(a or type(b)(), b or type(a)())
            continue
        if a is not None and b is not None and a != b:
            shown = _OLDER.get(name, name) if isinstance(first, Options) else name
            raise ValueError(
                f"Cannot merge incompatible values ({a!r} and {b!r}) of option: {shown}"
            )
        made._values[name] = a if b is None else b
    return made
