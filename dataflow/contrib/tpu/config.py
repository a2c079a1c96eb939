"""How an estimator would run on a TPU: what programs say of it is kept."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from dataflow.estimation.run_config import RunConfig as PlainRunConfig


class InputPipelineConfig:
    """Where input functions run."""

    PER_SHARD_V1: ClassVar[int] = 1
    PER_HOST_V1: ClassVar[int] = 2
    PER_HOST_V2: ClassVar[int] = 3
    BROADCAST: ClassVar[int] = 4
    SLICED: ClassVar[int] = 5


class TPUConfig(NamedTuple):
    """What of an estimator is about TPUs; nothing here reads it."""

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: float | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1


class RunConfig(PlainRunConfig):
    """`tf.estimator.RunConfig`, with a TPUConfig."""

    _replaceable: ClassVar[tuple[str, ...]] = (*PlainRunConfig._replaceable, "tpu_config")

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        """Takes what `tf.estimator.RunConfig` does, and a TPUConfig.

        Args:
          tpu_config: What is about TPUs.
          evaluation_master: The target of sessions that evaluate; `master` if None.
          master: The target of sessions.
          cluster: None, as there is no TPU to be found.
          **kwargs: Of `tf.estimator.RunConfig`.

        Raises:
          NotImplementedError: A cluster of TPUs is given.
        """
        super().__init__(**kwargs)
        if cluster is not None:
            raise NotImplementedError("There are no TPUs here: leave `cluster` None.")
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = None
        if master is not None:
            self._master = master
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif not self._evaluation_master and self.task_type != "evaluator":
            self._evaluation_master = self._master

    @property
    def tpu_config(self) -> TPUConfig:
        """What is about TPUs."""
        return self._tpu_config

    @property
    def cluster(self) -> None:
        """None: there is no TPU."""
        return None
