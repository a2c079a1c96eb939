"""Training of a copy of the model in each worker, which meet now and then in a common one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import dataflow.ops.array.fill as array_fill
from dataflow.contrib.opt.wrappers import Wrapper
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.queues.accumulators import ConditionalAccumulator
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import equal
from dataflow.ops.math.division import floormod
from dataflow.ops.reductions.statistics import l2_loss
from dataflow.ops.reductions.sum import add_n
from dataflow.saving.saver import Saver
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.optimizer import Optimizer
from dataflow.values import dtypes
from dataflow.variables.scope import get_variable
from dataflow.variables.variable import Variable, trainable_variables

GLOBAL: Final = "global_center_variable"
"""Begins the names of the common model's variables."""


class _CustomGetter:
    """Makes a trainable variable local to the worker, and others of its shape beside it."""

    _own: ClassVar[tuple[str, ...]] = ()
    """Begins the names of what the worker has beside it."""

    def __init__(self, worker_device: Any) -> None:
        """Takes the device of the worker."""
        self._worker_device = worker_device
        self._maps: dict[str, dict[Any, Any]] = {key: {} for key in (GLOBAL, *self._own)}

    def __call__(
        self, getter: Any, name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Makes a variable; see the argument `custom_getter` of `tf.variable_scope`."""
        if not trainable:
            local = GraphKeys.LOCAL_VARIABLES in (collections or ())
            with scopes.device(self._worker_device if local else None):
                return getter(name, *args, trainable=False, collections=collections, **kwargs)
        local_only = [GraphKeys.LOCAL_VARIABLES]
        with scopes.device(self._worker_device):
            found = getter(name, *args, trainable=True, collections=local_only, **kwargs)
        if kwargs.get("reuse") is True:
            return found
        for prefix, made in self._maps.items():
            is_common = prefix == GLOBAL
            with scopes.device(None if is_common else self._worker_device):
                other = self._beside(getter, f"{prefix}/{name}", found, is_common, args, kwargs)
            if kwargs.get("partitioner") is None:
                made[found] = other
            else:
                made.update(zip(found, other, strict=True))
        return found

    def _beside(
        self, getter: Any, name: str, found: Any, is_common: bool, args: Any, kwargs: Any
    ) -> Any:
        key = GraphKeys.GLOBAL_VARIABLES if is_common else GraphKeys.LOCAL_VARIABLES
        return getter(name, *args, trainable=False, collections=[key], **kwargs)


class ModelAverageCustomGetter(_CustomGetter):
    """Makes the variables of a worker, and the averages of all workers'."""

    def _beside(
        self, getter: Any, name: str, found: Any, is_common: bool, args: Any, kwargs: Any
    ) -> Any:
        start = found.initialized_value()
        keys = [GraphKeys.GLOBAL_VARIABLES]
        return Variable(start, trainable=False, collections=keys, name=name)


class ElasticAverageCustomGetter(_CustomGetter):
    """Makes the variables of a worker, the common ones, and what the worker last saw of those."""

    _own = ("local_center_variable",)


class AGNCustomGetter(_CustomGetter):
    """Makes the variables of a worker, the common ones, and sums of the worker's gradients."""

    _own = ("grad_variable",)


class _Hook(SessionRunHook):
    """Gives a worker's variables their values, once there is a session."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._start: Any = None

    def begin(self) -> None:
        """Makes the operation."""
        self._start = self._make()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs it."""
        session.run(self._start)


class _Periodic(Wrapper):
    """Trains a worker's variables, and does something else after each period."""

    def __init__(
        self, opt: Optimizer, getter: _CustomGetter, period: int, use_locking: bool, name: str
    ) -> None:
        super().__init__(opt, use_locking, name)
        self._maps, self._period = getter._maps, period
        self._local_step = get_variable(
            initializer=0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            name="local_step",
        )

    def _of(self, prefix: str, variables: Sequence[Any]) -> list[Any]:
        return [self._maps[prefix][each] for each in variables]

    def _trained(self, pairs: Sequence[Any]) -> Any:
        """Trains a worker's variables; what the optimizer makes for that is local, too."""
        known = {id(each) for each in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        step = self._optimizer.apply_gradients(pairs)
        everywhere = scopes.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
        made = [each for each in everywhere if id(each) not in known]
        everywhere[:] = [each for each in everywhere if id(each) in known]
        for each in made:
            scopes.add_to_collection(GraphKeys.LOCAL_VARIABLES, each)
        return step

    def _now_and_then(self, before: Sequence[Any], update: Callable[[], Any]) -> Any:
        with scopes.control_dependencies(before):
            counted: Any = self._local_step.assign_add(1, name="local_step_update")
        with scopes.control_dependencies([counted]):
            due = equal(floormod(self._local_step.read_value(), self._period), 0)
            return cond(due, update, no_op).op

    def _begun(self, *others: str) -> Any:
        """Gives a worker's variables, and what lies beside them, the common values."""
        variables = trainable_variables()
        if not variables or any(each not in self._maps[GLOBAL] for each in variables):
            raise ValueError("The model's variables must be made with the custom getter.")
        common = self._of(GLOBAL, variables)
        updates = []
        for targets in (variables, *(self._of(prefix, variables) for prefix in others)):
            updates += [t.assign(g.read_value()) for t, g in zip(targets, common, strict=True)]
        return group(*updates)


class ModelAverageOptimizer(_Periodic):
    """Averages the variables of all workers after each period.

    McMahan et al., Communication-efficient learning of deep networks from decentralized data, 2016.
    """

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: Trains a worker's variables.
          num_worker: How many workers there are.
          is_chief: Whether this is the one that takes averages.
          ma_custom_getter: What made the variables.
          interval_steps: After how many steps averages are taken.
          use_locking: Not used.
          name: Name of the scope of the operations.
        """
        super().__init__(opt, ma_custom_getter, interval_steps, use_locking, name)
        self._num_worker, self._is_chief = num_worker, is_chief

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`; the global step counts periods.

        Raises:
          ValueError: There are no variables, or no global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        variables = [v for g, v in pairs if g is not None]
        common = self._of(GLOBAL, variables)
        with scopes.colocate_with(global_step):
            tokens = FIFOQueue(-1, [dtypes.bool], shapes=[[]], shared_name="sync_queue")
        sums = []
        for v, g in zip(variables, common, strict=True):
            with scopes.device(g.device):
                shared = f"{g.name}/var_accum"
                sums.append(ConditionalAccumulator(v.dtype.base_dtype, v.shape, shared))

        def averaged() -> Any:
            added = [
                each.apply_grad(v.read_value(), local_step=global_step)
                for each, v in zip(sums, variables, strict=True)
            ]
            with scopes.control_dependencies(added):
                if self._is_chief:
                    updates = [
                        g.assign(each.take_grad(self._num_worker))
                        for each, g in zip(sums, common, strict=True)
                    ]
                    with scopes.control_dependencies([*updates, global_step.assign_add(1)]):
                        others = array_fill.fill([self._num_worker - 1], False)
                        met = tokens.enqueue_many(others)
                else:
                    met = tokens.dequeue()
            with scopes.control_dependencies([met]):
                return self._local_vars_update(variables)

        step = self._optimizer.apply_gradients(pairs)
        return self._now_and_then([step], averaged)

    def _local_vars_update(self, var_list: Sequence[Any]) -> Any:
        if not var_list:
            raise ValueError("The list of local_variables should not be empty")
        common = self._of(GLOBAL, var_list)
        pairs = zip(var_list, common, strict=True)
        return group(*(v.assign(g.read_value()) for v, g in pairs))

    def get_init_op(self) -> Any:
        """Gives a worker's variables the averages."""
        return self._local_vars_update(trainable_variables())

    def make_session_run_hook(self) -> SessionRunHook:
        """A hook that does so."""
        return _Hook(self.get_init_op)


class ElasticAverageOptimizer(_Periodic):
    """Draws the variables of a worker and the common ones to each other.

    Zhang, Choromanska, LeCun, Deep learning with elastic averaging SGD, 2015.
    """

    BETA = 0.9

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: Any = None,
        rho: Any = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: Trains a worker's variables.
          num_worker: How many workers there are.
          ea_custom_getter: What made the variables.
          communication_period: After how many steps they are drawn to each other.
          moving_rate: How far; `0.9 / (communication_period * num_worker)` if None.
          rho: How much distances from the common model cost; `moving_rate / learning_rate` if None.
          use_locking: Not used.
          synchronous: Whether workers wait for each other before they begin.
          name: Name of the scope of the operations.
        """
        super().__init__(opt, ea_custom_getter, communication_period, use_locking, name)
        self._num_worker, self._synchronous = num_worker, synchronous
        if moving_rate is None:
            moving_rate = self.BETA / communication_period / num_worker
        self._moving_rate = moving_rate
        self._rho = moving_rate / opt._learning_rate if rho is None else rho  # type: ignore[attr-defined]

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """See `Optimizer`; distances from the common model are added to the loss."""
        var_list = var_list or trainable_variables()
        centers = self._of("local_center_variable", var_list)
        apart = [l2_loss(v - center) for v, center in zip(var_list, centers, strict=True)]
        return self._optimizer.compute_gradients(
            loss + self._rho * add_n(apart),
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`; the global step counts periods."""
        pairs = list(grads_and_vars)
        variables = [v for g, v in pairs if g is not None]
        common, seen = (self._of(key, variables) for key in (GLOBAL, "local_center_variable"))

        def drawn() -> Any:
            looked = [own.assign(g.read_value()) for own, g in zip(seen, common, strict=True)]
            with scopes.control_dependencies(looked):
                steps = [
                    self._moving_rate * (v.read_value() - own.read_value())
                    for v, own in zip(variables, seen, strict=True)
                ]
            updates = [v.assign_sub(step) for v, step in zip(variables, steps, strict=True)]
            updates += [g.assign_add(step) for g, step in zip(common, steps, strict=True)]
            if global_step is not None:
                updates.append(global_step.assign_add(1))
            return group(*updates)

        return self._now_and_then([self._trained(pairs)], drawn)

    def get_init_op(self, task_index: int) -> Any:
        """Gives a worker's variables the common values; waits for the other workers if asked to."""
        start = self._begun("local_center_variable")
        if not self._synchronous:
            return start
        queues = [
            FIFOQueue(
                self._num_worker,
                [dtypes.bool],
                shapes=[[]],
                shared_name=f"variable_init_sync_queue{worker}",
            )
            for worker in range(self._num_worker)
        ]
        with scopes.control_dependencies([start]):
            told = [q.enqueue(False) for worker, q in enumerate(queues) if worker != task_index]
        return group(*told, queues[task_index].dequeue_many(self._num_worker - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """A hook that does so."""
        return _Hook(lambda: self.get_init_op(task_index))

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A Saver that saves the common variables under the names of a worker's.

        Args:
          var_list: Variables, or a dictionary of them by name; all trainable ones if None.
          name: Name of the Saver.
          **kwargs: Of the Saver.

        Raises:
          RuntimeError: The custom getter has made no variables.
        """
        common = self._maps[GLOBAL]
        if not common:
            raise RuntimeError(
                "global_center_variable is empty, please make sure this is called after model "
                "created and ElasticAverageCustomGetter is used when declaring you model"
            )
        given = trainable_variables() if var_list is None else var_list
        named = given if isinstance(given, Mapping) else {each.op.name: each for each in given}
        swapped = {key: common.get(each, each) for key, each in named.items()}
        return Saver(swapped, name=name, **kwargs)


class AGNOptimizer(_Periodic):
    """Gives the common model a worker's gradients of a period, and the worker its values.

    Accumulated gradient normalization: Hermans, Spanakis, Moeckel, 2017.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        """Wraps an optimizer.

        Args:
          optimizer: Trains a worker's variables, and the common ones.
          num_worker: Not used.
          custom_getter: What made the variables.
          communication_period: How many steps a period has.
          use_locking: Not used.
          name: Name of the scope of the operations.
        """
        super().__init__(optimizer, custom_getter, communication_period, use_locking, name)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`; the global step counts periods."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        variables = [v for _, v in pairs]
        common, sums = (self._of(key, variables) for key in (GLOBAL, "grad_variable"))
        added = [total.assign_add(g) for total, (g, _) in zip(sums, pairs, strict=True)]

        def exchanged() -> Any:
            means = [total.read_value() / self._period for total in sums]
            step = self._optimizer.apply_gradients(list(zip(means, common, strict=True)))
            with scopes.control_dependencies([step]):
                updates = [v.assign(g.read_value()) for v, g in zip(variables, common, strict=True)]
                updates += [total.assign(array_fill.zeros_like(total)) for total in sums]
                if global_step is not None:
                    updates.append(global_step.assign_add(1))
            return group(*updates)

        return self._now_and_then([self._trained(pairs), *added], exchanged)

    def get_init_op(self, task_index: int) -> Any:
        """Gives a worker's variables the common values, and no gradients."""
        start = self._begun()
        sums = self._of("grad_variable", trainable_variables())
        return group(start, *(total.assign(array_fill.zeros_like(total)) for total in sums))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """A hook that does so."""
        return _Hook(lambda: self.get_init_op(task_index))
