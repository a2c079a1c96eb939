"""WALSMatrixFactorization: an estimator of a sparse matrix's factors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from dataflow.contrib.factorization.wals_model import WALSModel
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.control_flow.cond import cond
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.fill import fill, ones_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import logical_not
from dataflow.ops.math.unary import sqrt
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.ops.state.reference import assign, assign_add
from dataflow.ops.state.scatter import scatter_update
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook
from dataflow.values import dtypes, logging
from dataflow.variables.variable import Variable


class _SweepHook(SessionRunHook):
    """Runs the step of the sweep that is on, and begins the next one."""

    def __init__(
        self,
        is_row_sweep: Any,
        is_done: Any,
        init_op: Any,
        prepare: dict[bool, list[Any]],
        steps: dict[bool, Any],
        switch: Any,
        count_step: Any,
    ) -> None:
        self._is_row_sweep, self._is_done = is_row_sweep, is_done
        self._init_op, self._prepare = init_op, prepare
        self._steps, self._switch, self._count_step = steps, switch, count_step
        self._is_initialized = False

    def before_run(self, run_context: Any) -> SessionRunArgs:
        session = run_context.session
        is_done = session.run(self._is_done)
        if not self._is_initialized:
            logging.info("SweepHook running init op.")
            session.run(self._init_op)
        if is_done:
            logging.info("SweepHook starting the next sweep.")
            session.run(self._switch)
        is_row_sweep = bool(session.run(self._is_row_sweep))
        if is_done or not self._is_initialized:
            kind = "row" if is_row_sweep else "col"
            logging.info("SweepHook running prep ops for the %s sweep.", kind)
            for each in self._prepare[is_row_sweep]:
                session.run(each)
        self._is_initialized = True
        session.run(self._count_step)
        return SessionRunArgs([self._steps[is_row_sweep]])


class _StopAtSweepHook(SessionRunHook):
    """Ends training after so many sweeps."""

    def __init__(self, completed: Any, last_sweep: int) -> None:
        self._completed = completed
        self._last_sweep = last_sweep

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._completed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results >= self._last_sweep:
            run_context.request_stop()


class WALSMatrixFactorization(Estimator):
    """Factors of a sparse matrix, by sweeps over its rows and columns; see `WALSModel`.

    An input function gives, in a dictionary, rows as `INPUT_ROWS` and columns, transposed, as
    `INPUT_COLS`, both SparseTensors with the numbers that they have in the matrix. For evaluation
    and prediction `PROJECT_ROW` says which of both counts, and `PROJECTION_WEIGHTS` may give
    weights.
    """

    INPUT_ROWS: ClassVar[str] = "input_rows"
    INPUT_COLS: ClassVar[str] = "input_cols"
    PROJECT_ROW: ClassVar[str] = "project_row"
    PROJECTION_WEIGHTS: ClassVar[str] = "projection_weights"
    PROJECTION_RESULT: ClassVar[str] = "projection"
    COMPLETED_SWEEPS: ClassVar[str] = "completed_sweeps"
    LOSS: ClassVar[str] = "WALS_loss"
    RWSE: ClassVar[str] = "WALS_RWSE"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: float | None = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: int | None = None,
        model_dir: Any = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator; see `WALSModel` for what is not named here.

        Args:
          num_rows: Rows of the matrix.
          num_cols: Its columns.
          embedding_dimension: Columns of the factors.
          unobserved_weight: See there.
          regularization_coeff: See there.
          row_init: See there.
          col_init: See there.
          num_row_shards: See there.
          num_col_shards: See there.
          row_weights: See there.
          col_weights: See there.
          use_factors_weights_cache_for_training: See there.
          use_gramian_cache_for_training: See there.
          max_sweeps: After how many sweeps training ends; one is over all rows or all columns.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.

        Raises:
          ValueError: There are several workers.
        """

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            trains = mode == ModeKeys.TRAIN
            model = WALSModel(
                num_rows,
                num_cols,
                embedding_dimension,
                unobserved_weight,
                regularization_coeff,
                row_init,
                col_init,
                num_row_shards,
                num_col_shards,
                row_weights,
                col_weights,
                trains and use_factors_weights_cache_for_training,
                trains and use_gramian_cache_for_training,
            )
            rows, cols = features[self.INPUT_ROWS], features[self.INPUT_COLS]
            if trains:
                return _training(model, rows, cols, num_rows, num_cols, max_sweeps)
            if mode == ModeKeys.INFER:
                weights = features.get(self.PROJECTION_WEIGHTS)
                found = cond(
                    features[self.PROJECT_ROW],
                    lambda: model.project_row_factors(rows, False, weights),
                    lambda: model.project_col_factors(cols, True, weights),
                )
                return ModelFnOps(mode, {self.PROJECTION_RESULT: found})
            loss = cond(
                features[self.PROJECT_ROW],
                lambda: _loss(model.update_row_factors(rows)),
                lambda: _loss(model.update_col_factors(cols, True)),
            )
            return ModelFnOps(mode, {}, loss)

        super().__init__(model_fn, model_dir, config)
        self._parts = num_row_shards, num_col_shards
        if self.config.num_worker_replicas > 1:
            raise ValueError("WALSMatrixFactorization must be run on a single worker replica.")

    def get_row_factors(self) -> list[Any]:
        """The parts of the rows' factors."""
        count = self._parts[0]
        return [self.get_variable_value(f"row_factors_shard_{i}") for i in range(count)]

    def get_col_factors(self) -> list[Any]:
        """The parts of the columns' factors."""
        count = self._parts[1]
        return [self.get_variable_value(f"col_factors_shard_{i}") for i in range(count)]

    def get_projections(self, input_fn: Any) -> Iterator[Any]:
        """Gives factors of rows or columns that the matrix need not have."""
        return (found[self.PROJECTION_RESULT] for found in self.predict(input_fn=input_fn))


def _training(
    model: WALSModel, rows: Any, cols: Any, num_rows: int, num_cols: int, max_sweeps: int | None
) -> ModelFnOps:
    is_row_sweep, is_done = _state(True, "is_row_sweep"), _state(False, "is_sweep_done")
    completed = _state(0, WALSMatrixFactorization.COMPLETED_SWEEPS)
    loss_held = _state(0.0, WALSMatrixFactorization.LOSS)
    error_held = _state(0.0, WALSMatrixFactorization.RWSE)
    scalar("loss", loss_held)
    scalar("root_weighted_squared_error", error_held)
    scalar("completed_sweeps", completed)

    def of_axis(
        lines: Any, count: int, update: Callable[..., Any], transposed: bool, name: str
    ) -> Any:
        seen = _state(fill([count], False), f"processed_{name}")
        _, step, loss, penalty, weights = update(lines, transposed)
        told = [
            assign(loss_held, loss + penalty),
            assign(error_held, sqrt(loss / weights)),
        ]
        numbers = lines.indices[:, 0]
        with control_dependencies([step, *told]):
            marked = scatter_update(
                seen,
                numbers,
                ones_like(numbers, dtype=dtypes.bool),
                name=f"update_processed_{name}_indices",
            )
        all_seen = reduce_all(marked)
        counted = assign_add(completed, cast(all_seen, dtypes.int32))
        made = group(assign(is_done, all_seen), counted, name=f"{name}_sweep_train_op")
        return seen.initializer, made

    clear_rows, row_step = of_axis(rows, num_rows, model.update_row_factors, False, "rows")
    clear_cols, col_step = of_axis(cols, num_cols, model.update_col_factors, True, "cols")
    switch = group(
        assign(is_row_sweep, logical_not(is_row_sweep)),
        clear_rows,
        clear_cols,
        name="sweep_switch_op",
    )
    hooks: list[SessionRunHook] = [
        _SweepHook(
            is_row_sweep,
            is_done,
            model.worker_init,
            {
                True: [model.row_update_prep_gramian_op, model.initialize_row_update_op],
                False: [model.col_update_prep_gramian_op, model.initialize_col_update_op],
            },
            {True: row_step, False: col_step},
            switch,
            assign_add(get_global_step(), 1, name="global_step_incr").op,
        )
    ]
    if max_sweeps is not None:
        hooks.append(_StopAtSweepHook(completed, max_sweeps))
    return ModelFnOps(ModeKeys.TRAIN, {}, loss_held, no_op(), training_hooks=hooks)


def _state(initial: Any, name: str) -> Any:
    return Variable(initial, trainable=False, name=name, collections=[GraphKeys.GLOBAL_VARIABLES])


def _loss(found: tuple[Any, ...]) -> Any:
    return found[2] + found[3]
