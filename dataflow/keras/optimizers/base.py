"""Optimizer of tf.keras: numbers that may change, a count of steps, states of variables."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.keras import backend as K
from dataflow.keras import initializers, ops
from dataflow.keras.optimizers.schedules import LearningRateSchedule, serialize
from dataflow.library.layers.tracked import paired
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization

_FURTHER = ("clipnorm", "clipvalue", "lr", "decay")


class Optimizer:
    """The base of optimizers: subclasses say in `_self_apply` how one variable is updated.

    Args:
      name: Name scope of what it makes.
      **kwargs: `clipnorm` and `clipvalue`, bounds of gradients; `lr`, the learning rate; `decay`,
        which divides it by `1 + decay * iterations`.

    Raises:
      TypeError: There is no such argument.
      ValueError: A number is negative.
    """

    _self_slots: tuple[str, ...] = ()
    _use_locking = False

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._hyper: dict[str, Any] = {}
        for key, value in kwargs.items():
            if key not in _FURTHER:
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if isinstance(value, (int, float)) and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        self._name = name
        self._states: dict[tuple[int, str], Any] = {}
        self._weights: list[Any] = []
        self._iterations: Any = None
        self._made = False
        self._named_weights: dict[str, Any] = {}
        self._initial_decay = kwargs.get("decay", 0.0)
        for key in ("clipnorm", "clipvalue"):
            if key in kwargs:
                setattr(self, key, kwargs[key])

    def _set_hyper(self, name: str, value: Any) -> None:
        before = self._hyper.get(name)
        is_rule = isinstance(value, LearningRateSchedule)
        if hasattr(before, "initializer") and not hasattr(value, "op") and not is_rule:
            K.set_value(before, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        value = value() if callable(value) else value
        return value if dtype is None else ops.cast(value, dtype)

    def __getattr__(self, name: str) -> Any:
        hyper = vars(self).get("_hyper", {})
        if name == "lr":
            name = "learning_rate"
        if name in hyper:
            return self._get_hyper(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        key = "learning_rate" if name == "lr" else name
        if key in vars(self).get("_hyper", {}):
            self._set_hyper(key, value)
        else:
            object.__setattr__(self, name, value)

    @property
    def iterations(self) -> Any:
        """The variable that counts the steps."""
        if self._iterations is None:
            self._iterations = self._add_weight("iter", 0, dtypes.int64)
            self._weights.insert(0, self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer "
                "weights have been created"
            )
        object.__setattr__(self, "_iterations", variable)
        self._weights.insert(0, variable)

    def _add_weight(self, name: str, value: Any, dtype: Any, resource: bool = True) -> Any:
        made = ops.Variable(value, name=name, trainable=False, dtype=dtype, use_resource=resource)
        K.track_variable(made)
        return made

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = "zeros",
        trainable: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Any:
        """A variable of the optimizer's own.

        Args:
          name: Its name.
          shape: Its shape.
          dtype: Element type; float32 if None.
          initializer: What gives the initial value, or a name.
          trainable: Whether it is among the trained variables; by default it is unless it is
            synchronized when it is read.
          synchronization: See `tf.Variable`.
          aggregation: See `tf.Variable`.

        Raises:
          ValueError: `trainable` does not go with ON_READ.
        """
        on_read = synchronization == VariableSynchronization.ON_READ
        if on_read and trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                "non-trainable variables. You have specified trainable=True and "
                "synchronization=VariableSynchronization.ON_READ."
            )
        kind = dtypes.as_dtype(dtype or dtypes.float32)
        make, sizes = initializers.get(initializer), ops.TensorShape(shape).as_list()
        made = ops.Variable(
            lambda: make(sizes, dtype=kind),
            name=name,
            trainable=not on_read if trainable is None else trainable,
            dtype=kind,
            use_resource=True,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        K.track_variable(made)
        self._named_weights[name] = made
        return made

    def _checkpoint_children(self) -> dict[str, Any]:
        """The count of steps, the numbers that may change, and variables of the optimizer's own."""
        return {
            **({} if self._iterations is None else {"iter": self._iterations}),
            **{n: each for n, each in sorted(self._hyper.items()) if hasattr(each, "initializer")},
            **self._named_weights,
        }

    def _create_hypers(self) -> None:
        if self._made:
            return
        self._made = True
        for name, value in sorted(self._hyper.items()):
            if not hasattr(value, "op") and not callable(value):
                self._hyper[name] = self._add_weight(name, float(value), dtypes.float32)

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """The state of that name of a variable; made the first time."""
        key = (id(var), slot_name)
        if key not in self._states:
            shape, dtype = var.shape.as_list(), var.dtype.base_dtype
            make = initializers.get(initializer) if isinstance(initializer, str) else initializer
            value = (lambda: make(shape, dtype=dtype)) if callable(make) else make
            made = self._add_weight(
                f"{var.op.name}/{slot_name}", value, dtype, hasattr(var, "handle")
            )
            self._states[key] = made
            self._weights.append(made)
        return self._states[key]

    def get_slot_names(self) -> list[str]:
        """The names of the states that there are, in the order in which they were made."""
        return list(dict.fromkeys(name for _, name in self._states))

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The state of that name of a variable."""
        return self._states[id(var), slot_name]

    def _create_slots(self, var_list: list[Any]) -> None:
        for name in self._self_slots:
            for var in var_list:
                self.add_slot(var, name)

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The derivatives of a loss, within bounds.

        Raises:
          ValueError: One is None.
        """
        params = list(params)
        with ops.name_scope(f"{self._name}/gradients"):
            grads = ops.gradients(loss, params)
            for grad, param in zip(grads, params, strict=True):
                if grad is None:
                    raise ValueError(
                        f"Variable {param} has `None` for gradient. Please make sure that all of "
                        "your ops have a gradient defined (i.e. are differentiable). Common ops "
                        "without gradient: K.argmax, K.round, K.eval."
                    )
            return [self._self_clipped(each) for each in grads]

    def _self_clipped(self, grad: Any) -> Any:
        if getattr(self, "clipnorm", None) is not None:
            grad = ops.clip_by_norm(grad, self.clipnorm)
        if getattr(self, "clipvalue", None) is not None:
            grad = ops.clip_by_value(grad, -self.clipvalue, self.clipvalue)
        return grad

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """The operations of a step."""
        params = list(params)
        grads = self.get_gradients(loss, params)
        return [self.apply_gradients(zip(grads, params, strict=True))]

    def minimize(
        self, loss: Any, var_list: Any, grad_loss: Any = None, name: str | None = None
    ) -> Any:
        """The operation of a step towards a smaller loss: a tensor, or a function that gives it."""
        return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss), name=name)

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> list[Any]:
        """The derivatives of a loss, within bounds, each with its variable."""
        loss = loss() if callable(loss) else loss
        params = list(var_list() if callable(var_list) else var_list)
        grads = ops.gradients(loss, params, grad_loss)
        clipped = [None if each is None else self._self_clipped(each) for each in grads]
        return list(zip(clipped, params, strict=True))

    def _with_loss_scale(self, loss_scale: Any) -> Any:
        """The optimizer in one that multiplies the loss."""
        from dataflow.keras.optimizers.loss_scaling import LossScaleOptimizer

        return LossScaleOptimizer(self, loss_scale)

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """The operation that updates variables by their gradients and counts the step.

        Raises:
          NotImplementedError: What is to be updated is no variable.
          ValueError: There are variables, and a gradient for none of them.
        """
        given = list(grads_and_vars)
        for _, var in given:
            if isinstance(var, ops.Tensor):
                raise NotImplementedError("Trying to update a Tensor ", var)
        pairs = [(grad, var) for grad, var in given if grad is not None]
        names = [var.name for grad, var in given if grad is None]
        if given and not pairs:
            raise ValueError(f"No gradients provided for any variable: {names}.")
        if names:
            warnings.warn(
                f"Gradients do not exist for variables {names} when minimizing the loss.",
                stacklevel=2,
            )
        with ops.name_scope(name or self._name):
            with ops.init_scope():
                _ = self.iterations
                self._create_hypers()
                self._create_slots([var for _, var in pairs])
            self._prepare([var for _, var in pairs])
            made = []
            for grad, var in pairs:
                with ops.name_scope(f"update_{var.op.name}"):
                    made.append(self._self_step(grad, var))
            with ops.control_dependencies(made):
                return ops.assign_add(self.iterations, 1).op

    def _self_step(self, grad: Any, var: Any) -> Any:
        if isinstance(grad, IndexedSlices):
            summed = _summed(grad)
            update = self._resource_apply_sparse(summed.values, var, summed.indices)
        else:
            update = self._resource_apply_dense(grad, var)
        if var.constraint is None:
            return getattr(update, "op", update)
        with ops.control_dependencies([update]):
            return ops.assign(var, var.constraint(var.read_value())).op

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        """The update by a gradient; a program's own optimizers say what it is."""
        return self._self_apply(grad, var, self._decayed_lr(var.dtype.base_dtype))

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> Any:
        """The update by the gradient of some rows, each of them once."""
        rows: Any = IndexedSlices(grad, indices, ops.shape(var))
        if not self._self_takes_rows(var):
            rows = ops.convert_to_tensor(rows)
        return self._self_apply(rows, var, self._decayed_lr(var.dtype.base_dtype))

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        with ops.control_dependencies([ops.scatter_add(x, i, v)]):
            return x.read_value()

    def _self_takes_rows(self, var: Any) -> bool:
        """Whether `_self_apply` takes the gradient of some rows only."""
        return False

    def _prepare(self, var_list: list[Any]) -> None:
        """What is computed once a step."""

    def _decayed_lr(self, var_dtype: Any) -> Any:
        """The learning rate of the step."""
        rate = self._get_hyper("learning_rate")
        if isinstance(rate, LearningRateSchedule):
            rate = rate(ops.cast(self.iterations, var_dtype))
        rate = ops.cast(rate, var_dtype)
        if self._initial_decay > 0.0:
            decay = ops.cast(self._get_hyper("decay"), var_dtype)
            rate = rate / (1.0 + decay * ops.cast(self.iterations, var_dtype))
        return rate

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        """The operation that updates a variable."""
        raise NotImplementedError

    def _self_run(
        self, kind: str, var: Any, slots: tuple[str, ...], *values: Any, **attrs: Any
    ) -> Any:
        """An update by one operation of a variable, its states and numbers; of rows, if told so."""
        given: list[Any] = []
        for each in values:
            if isinstance(each, IndexedSlices):
                kind = f"Sparse{kind}"
                given += [each.values, each.indices]
            else:
                given.append(each)
        states = [var, *(self.get_slot(var, name) for name in slots)]
        if hasattr(var, "handle"):
            return single(f"Resource{kind}", *[each.handle for each in states], *given, **attrs)
        return single(kind, *[each._ref() for each in states], *given, **attrs)

    @property
    def weights(self) -> list[Any]:
        """The count of steps and the states of variables."""
        return self._weights

    def variables(self) -> list[Any]:
        """The same."""
        return self._weights

    def get_weights(self) -> list[Any]:
        """Their values."""
        return K.batch_get_value(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Gives them values.

        Raises:
          ValueError: Their number or a shape is another.
        """
        K.batch_set_value(paired("optimizer", self._name, self.weights, weights))

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        config: dict[str, Any] = {"name": self._name}
        # A class of a program's own tells its arguments itself.
        known = next(each for each in type(self).__mro__ if each.__module__.startswith("dataflow."))
        of_known = inspect.signature(known.__init__).parameters  # type: ignore[misc]
        for key in () if known is Optimizer else (*of_known, "decay"):
            if key in self._hyper:
                config[key] = self._serialize_hyperparameter(key)
            elif key not in ("self", "kwargs", "name") and hasattr(self, key):
                config[key] = getattr(self, key)
        for key in ("clipnorm", "clipvalue"):
            if hasattr(self, key):
                config[key] = getattr(self, key)
        return config

    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        value = self._hyper[hyperparameter_name]
        if isinstance(value, LearningRateSchedule):
            return serialize(value)
        value = value() if callable(value) else value
        return float(K.get_value(value)) if hasattr(value, "op") else value

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer of what `get_config` gave."""
        from dataflow.keras.optimizers.schedules import deserialize

        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = deserialize(config["learning_rate"], custom_objects)
        return cls(**config)


def _summed(grad: IndexedSlices) -> IndexedSlices:
    """The same with each row once."""
    from dataflow.ops.array.unique import unique
    from dataflow.ops.reductions.segment import unsorted_segment_sum

    rows, places = unique(grad.indices)
    total = unsorted_segment_sum(grad.values, places, ops.shape(rows)[0])
    return IndexedSlices(total, rows, grad.dense_shape)
