"""The optimizers of tf.keras: how each updates a variable by its gradient."""

from __future__ import annotations

from typing import Any

from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.keras import ops
from dataflow.keras.optimizers.base import Optimizer


def _adopt(optimizer: Optimizer, kwargs: dict[str, Any], **hypers: Any) -> None:
    """Takes the numbers that may change, in the order in which they are told."""
    optimizer._hyper["learning_rate"] = kwargs.get("lr", hypers.pop("learning_rate"))
    optimizer._hyper["decay"] = optimizer._initial_decay
    optimizer._hyper.update(hypers)


def _moves(momentum: Any) -> bool:
    """Whether there is momentum: a number over 0, or what may become one."""
    if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
        raise ValueError(f"`momentum` must be between [0, 1], not {momentum}.")
    return bool(hasattr(momentum, "op") or callable(momentum) or momentum > 0)


def _add_accumulators(optimizer: Any, var_list: list[Any]) -> None:
    """A slot for each variable, full of the optimizer's initial value."""
    for var in var_list:
        start = ops.fill(var.shape.as_list(), optimizer.initial_accumulator_value)
        optimizer.add_slot(var, "accumulator", ops.cast(start, var.dtype.base_dtype))


class SGD(Optimizer):
    """Gradient descent, with momentum if there is some."""

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._moves = _moves(momentum)
        self.nesterov = nesterov
        _adopt(self, kwargs, learning_rate=learning_rate, momentum=momentum)
        self._self_slots = ("momentum",) if self._moves else ()

    def _self_takes_rows(self, var: Any) -> bool:
        return hasattr(var, "handle")

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        if not self._moves:
            if isinstance(grad, IndexedSlices):
                return ops.scatter_add(var, grad.indices, -rate * grad.values)
            return self._self_run("ApplyGradientDescent", var, (), rate, grad)
        momentum = self._get_hyper("momentum", var.dtype.base_dtype)
        if not hasattr(var, "handle"):
            state = self.get_slot(var, "momentum")
            moved = ops.assign(state, momentum * state - rate * grad)
            step = momentum * moved - rate * grad if self.nesterov else moved
            return ops.assign_add(var, step)
        attrs = {"use_nesterov": self.nesterov}
        return self._self_run(
            "ApplyKerasMomentum", var, self._self_slots, rate, grad, momentum, **attrs
        )


class _Moments(Optimizer):
    """Averages of gradients and of their squares."""

    _self_slots: tuple[str, ...] = ("m", "v")

    def _take(self, kwargs: Any, rate: Any, beta_1: Any, beta_2: Any, epsilon: Any) -> None:
        _adopt(self, kwargs, learning_rate=rate, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = 1e-7 if epsilon is None else epsilon

    def _numbers(self, var: Any) -> tuple[Any, Any, Any, Any]:
        """Both betas, and their powers up to this step."""
        dtype = var.dtype.base_dtype
        step = ops.cast(self.iterations + 1, dtype)
        first, second = self._get_hyper("beta_1", dtype), self._get_hyper("beta_2", dtype)
        return first, second, ops.pow(first, step), ops.pow(second, step)


class Adam(_Moments):
    """Adam (Kingma and Ba, 2015); with `amsgrad` over the greatest average (Reddi et al., 2018)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._take(kwargs, learning_rate, beta_1, beta_2, epsilon)
        self.amsgrad = amsgrad
        self._self_slots = ("m", "v", "vhat") if amsgrad else ("m", "v")

    def set_weights(self, weights: Any) -> None:
        """Gives the count of steps and the averages values; those of older files are more."""
        count = (len(self.weights) - 1) // 2
        if not self.amsgrad and len(weights) == 3 * count + 1:
            weights = weights[: len(self.weights)]
        super().set_weights(weights)

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        first, second, first_power, second_power = self._numbers(var)
        kind = "ApplyAdamWithAmsgrad" if self.amsgrad else "ApplyAdam"
        epsilon = ops.cast(self.epsilon, var.dtype.base_dtype)
        return self._self_run(
            kind,
            var,
            self._self_slots,
            first_power,
            second_power,
            rate,
            first,
            second,
            epsilon,
            grad,
        )


class Adamax(_Moments):
    """AdaMax (Kingma and Ba, 2015): over the greatest gradient instead of an average."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._take(kwargs, learning_rate, beta_1, beta_2, epsilon)

    def _self_takes_rows(self, var: Any) -> bool:
        return True

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        first, second, power, _ = self._numbers(var)
        epsilon = ops.cast(self.epsilon, var.dtype.base_dtype)
        if isinstance(grad, IndexedSlices):
            m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
            rows, values = grad.indices, grad.values
            mean = first * ops.gather(m, rows) + (1 - first) * values
            greatest = ops.maximum(second * ops.gather(v, rows), ops.abs(values))
            step = -rate / (1 - power) * (mean / (greatest + epsilon))
            with ops.control_dependencies([mean, greatest]):
                kept = [ops.scatter_update(m, rows, mean), ops.scatter_update(v, rows, greatest)]
            return ops.group(ops.scatter_add(var, rows, step), *kept)
        return self._self_run(
            "ApplyAdaMax", var, self._self_slots, power, rate, first, second, epsilon, grad
        )


class Nadam(_Moments):
    """Adam with the look ahead of Nesterov (Dozat, 2016)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        super().__init__(name, **kwargs)
        self._take(kwargs, learning_rate, beta_1, beta_2, epsilon)
        self._cache: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        if self._cache is None:
            kind = var_list[0].dtype.base_dtype
            self._cache = self._add_weight("momentum_cache", 1.0, kind)
            self._named_weights["momentum_cache"] = self._cache
            self._weights.append(self._cache)
        super()._create_slots(var_list)

    def _decayed_lr(self, var_dtype: Any) -> Any:
        return self._get_hyper("learning_rate", var_dtype)

    def _prepare(self, var_list: list[Any]) -> None:
        dtype = self._cache.dtype.base_dtype
        step = ops.cast(self.iterations, dtype)
        beta = self._get_hyper("beta_1", dtype)
        base = ops.cast(0.96, dtype)

        def momentum(ahead: float) -> Any:
            return beta * (1.0 - 0.5 * ops.pow(base, self._initial_decay * (step + ahead)))

        self._now, self._next = momentum(1.0), momentum(2.0)
        product = ops.identity(self._cache) * self._now
        with ops.control_dependencies([product]):
            self._product = ops.identity(ops.assign(self._cache, product))

    def _self_takes_rows(self, var: Any) -> bool:
        return True

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        first, second, _, second_power = self._numbers(var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows = grad.indices if isinstance(grad, IndexedSlices) else None
        whole = ops.convert_to_tensor(grad)
        m_new = ops.assign(m, first * m + (1 - first) * whole)
        v_new = ops.assign(v, second * v + (1 - second) * ops.square(whole))
        if rows is not None:
            # The averages of all rows grow older, but only those that have a gradient move.
            grad = grad.values
            m_new, v_new = (ops.gather(ops.identity(each), rows) for each in (m_new, v_new))
        ahead = m_new / (1.0 - self._product * self._next)
        step = (1.0 - self._now) * grad / (1.0 - self._product) + self._next * ahead
        spread = ops.sqrt(v_new / (1.0 - second_power)) + self.epsilon
        if rows is not None:
            return ops.scatter_sub(var, rows, rate * step / spread)
        return ops.assign_sub(var, rate * step / spread)


class RMSprop(Optimizer):
    """Gradients over the root of the average of their squares (Tieleman and Hinton, 2012)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._moves = _moves(momentum)
        _adopt(self, kwargs, learning_rate=learning_rate, rho=rho, momentum=momentum)
        self.epsilon = 1e-7 if epsilon is None else epsilon
        self.centered = centered
        self._self_slots = (
            "rms", *(("momentum",) if self._moves else ()), *(("mg",) if centered else ())
        )  # fmt: skip

    def _self_takes_rows(self, var: Any) -> bool:
        return self._moves

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        dtype = var.dtype.base_dtype
        rho, epsilon = self._get_hyper("rho", dtype), ops.cast(self.epsilon, dtype)
        if self._moves:
            momentum = self._get_hyper("momentum", dtype)
            kind, slots = "ApplyRMSProp", self._self_slots[:2]
            if self.centered:
                kind, slots = "ApplyCenteredRMSProp", ("mg", "rms", "momentum")
            return self._self_run(kind, var, slots, rate, rho, momentum, epsilon, grad)
        rms = self.get_slot(var, "rms")
        spread = ops.assign(rms, rho * rms + (1 - rho) * ops.square(grad))
        if self.centered:
            mean = self.get_slot(var, "mg")
            spread = spread - ops.square(ops.assign(mean, rho * mean + (1 - rho) * grad))
        return ops.assign_sub(var, rate * grad / (ops.sqrt(spread) + epsilon))


class Adagrad(Optimizer):
    """Gradients over the root of the sum of their squares (Duchi et al., 2011)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value must be non-negative: {initial_accumulator_value}"
            )
        super().__init__(name, **kwargs)
        _adopt(self, kwargs, learning_rate=learning_rate)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = 1e-7 if epsilon is None else epsilon

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer of what `get_config` gave; without a value, accumulators begin at 0."""
        return super().from_config({"initial_accumulator_value": 0.0, **config}, custom_objects)

    def _create_slots(self, var_list: list[Any]) -> None:
        _add_accumulators(self, var_list)

    def _self_takes_rows(self, var: Any) -> bool:
        return True

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        epsilon = ops.cast(self.epsilon, var.dtype.base_dtype)
        return self._self_run("ApplyAdagradV2", var, ("accumulator",), rate, epsilon, grad)


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012)."""

    _self_slots = ("accum_grad", "accum_var")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float | None = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        _adopt(self, kwargs, learning_rate=learning_rate, rho=rho)
        self.epsilon = 1e-7 if epsilon is None else epsilon

    def _self_takes_rows(self, var: Any) -> bool:
        return True

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        dtype = var.dtype.base_dtype
        rho, epsilon = self._get_hyper("rho", dtype), ops.cast(self.epsilon, dtype)
        return self._self_run("ApplyAdadelta", var, self._self_slots, rate, rho, epsilon, grad)


class Ftrl(Optimizer):
    """FTRL-proximal (McMahan et al., 2013)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value {initial_accumulator_value:f} needs to be be positive "
                "or zero"
            )
        if isinstance(learning_rate_power, (int, float)) and learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        _adopt(
            self,
            kwargs,
            learning_rate=learning_rate,
            learning_rate_power=learning_rate_power,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )
        self.initial_accumulator_value = initial_accumulator_value
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        _add_accumulators(self, var_list)
        for var in var_list:
            self.add_slot(var, "linear")

    def _self_takes_rows(self, var: Any) -> bool:
        return True

    def _self_apply(self, grad: Any, var: Any, rate: Any) -> Any:
        dtype = var.dtype.base_dtype
        l1, l2, power = (
            self._get_hyper(name, dtype)
            for name in (
                "l1_regularization_strength",
                "l2_regularization_strength",
                "learning_rate_power",
            )
        )
        slots = ("accumulator", "linear")
        shrinkage = self.l2_shrinkage_regularization_strength
        if shrinkage <= 0.0:
            return self._self_run("ApplyFtrl", var, slots, grad, rate, l1, l2, power)
        shrunk = ops.cast(shrinkage, dtype)
        return self._self_run("ApplyFtrlV2", var, slots, grad, rate, l1, l2, shrunk, power)


_OF_TRAIN = (
    "An optimizer of tf.train has no weights and no configuration that tf.keras could keep; "
    "compile the model with one of tf.keras.optimizers for that."
)


class TFOptimizer(Optimizer):
    """An optimizer of tf.train."""

    def __init__(self, optimizer: Any, iterations: Any = None) -> None:
        super().__init__(type(optimizer).__name__)
        self.optimizer = optimizer
        if iterations is not None:
            self.iterations = iterations

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The derivatives of a loss."""
        return [grad for grad, _ in self.optimizer.compute_gradients(loss, params)]

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """The operation of a step."""
        from dataflow.keras.backend import track_tf_optimizer

        if not params:
            return [ops.assign_add(self.iterations, 1)]
        pairs = self.optimizer.compute_gradients(loss, params)
        made = self.optimizer.apply_gradients(pairs, global_step=self.iterations)
        track_tf_optimizer(self.optimizer)
        return [made]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """The operation that updates variables by their gradients."""
        return self.optimizer.apply_gradients(grads_and_vars, self.iterations, name)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The optimizer, and the count of steps."""
        return {"optimizer": self.optimizer, "global_step": self.iterations}

    @property
    def weights(self) -> list[Any]:
        """Optimizers of tf.train keep theirs for themselves."""
        raise NotImplementedError(_OF_TRAIN)

    def get_config(self) -> dict[str, Any]:
        """Optimizers of tf.train have none."""
        raise NotImplementedError(_OF_TRAIN)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Optimizers of tf.train have none."""
        raise NotImplementedError(_OF_TRAIN)
