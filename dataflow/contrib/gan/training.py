"""Steps of training of both nets, and how they take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.contrib.gan.tuples import CycleGANModel, GANTrainOps, GANTrainSteps
from dataflow.contrib.slim.learning import train_step
from dataflow.contrib.training.loop import train
from dataflow.contrib.training.train_op import create_train_op
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.hooks.session_run_hook import SessionRunContext, SessionRunHook
from dataflow.training.sync_replicas import SyncReplicasOptimizer
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable

ONE_EACH: Final = GANTrainSteps(1, 1)
"""A step of each net in turn."""

Hooks = Callable[[GANTrainOps], list[SessionRunHook]]


def gan_train_ops(
    model: Any,
    loss: Any,
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    check_for_unused_update_ops: bool = True,
    is_chief: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """A step of each net.

    Args:
      model: A model of this module.
      loss: Its losses.
      generator_optimizer: Trains the generator.
      discriminator_optimizer: Trains the discriminator.
      check_for_unused_update_ops: Whether updates that belong to neither are an error.
      is_chief: Whether this task is the chief, of optimizers that synchronise replicas.
      **kwargs: Of `tf.contrib.training.create_train_op`.

    Raises:
      ValueError: There are updates that belong to neither net.
    """
    if isinstance(model, CycleGANModel):
        parts = []
        for name, of, its_loss in (
            ("x2y", model.model_x2y, loss.loss_x2y),
            ("y2x", model.model_y2x, loss.loss_y2x),
        ):
            with scopes.name_scope(f"cyclegan_{name}_train"):
                parts.append(
                    gan_train_ops(
                        of,
                        its_loss,
                        generator_optimizer,
                        discriminator_optimizer,
                        check_for_unused_update_ops,
                        is_chief,
                        **kwargs,
                    )
                )
        return GANTrainOps(
            tuple(part.generator_train_op for part in parts),
            tuple(part.discriminator_train_op for part in parts),
            get_or_create_global_step().assign_add(1),
        )
    step = get_or_create_global_step()
    counted = step.assign_add(1)
    updates = _updates(
        kwargs.pop("update_ops", None),
        (model.generator_scope.name, model.discriminator_scope.name),
        check_for_unused_update_ops,
    )
    hooks: list[SessionRunHook] = []
    made = []
    for which, optimizer, total, variables, its_updates in (
        (
            "generator",
            generator_optimizer,
            loss.generator_loss,
            model.generator_variables,
            updates[0],
        ),
        (
            "discriminator",
            discriminator_optimizer,
            loss.discriminator_loss,
            model.discriminator_variables,
            updates[1],
        ),
    ):
        own_step = None
        if isinstance(optimizer, SyncReplicasOptimizer):
            # It needs a step to count; the graph's own counts once for both.
            own_step = get_variable(
                f"dummy_global_step_{which}",
                shape=[],
                dtype=step.dtype.base_dtype,
                initializer=Zeros(),
                trainable=False,
                collections=[GraphKeys.GLOBAL_VARIABLES],
                use_resource=False,
            )
            its_updates = [*its_updates, own_step.assign(step)]
            hooks.append(optimizer.make_session_run_hook(is_chief))
        with scopes.name_scope(f"{which}_train"):
            made.append(
                create_train_op(
                    total,
                    optimizer,
                    global_step=own_step,
                    update_ops=its_updates,
                    variables_to_train=variables,
                    **kwargs,
                )
            )
    return GANTrainOps(made[0], made[1], counted, hooks)


def _updates(
    given: Sequence[Any] | None, nets: tuple[str, str], check: bool
) -> tuple[list[Any], list[Any]]:
    """The updates of each net."""
    every = scopes.get_collection(GraphKeys.UPDATE_OPS) if given is None else list(given)
    own = [scopes.get_collection(GraphKeys.UPDATE_OPS, net) for net in nets]
    unused = [each for each in every if each not in own[0] and each not in own[1]]
    if check and unused:
        raise ValueError(f"There are unused update ops: {unused}")
    generator, discriminator = ([each for each in mine if each in every] for mine in own)
    return generator, discriminator


class RunTrainOpsHook(SessionRunHook):
    """Trains for some steps before each step of the session."""

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        """Takes what a step runs.

        Args:
          train_ops: One operation or tensor, or a list of them.
          train_steps: How many steps.
        """
        self._train_ops = train_ops if isinstance(train_ops, list | tuple) else [train_ops]
        self._train_steps = train_steps

    def before_run(self, run_context: SessionRunContext) -> None:
        """Runs the steps."""
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


def get_sequential_train_hooks(train_steps: GANTrainSteps = ONE_EACH) -> Hooks:
    """A function that makes hooks of steps: those of the generator first, then the others."""

    def get_hooks(train_ops: GANTrainOps) -> list[SessionRunHook]:
        return [
            RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
            RunTrainOpsHook(
                train_ops.discriminator_train_op, train_steps.discriminator_train_steps
            ),
            *train_ops.train_hooks,
        ]

    return get_hooks


def get_joint_train_hooks(train_steps: GANTrainSteps = ONE_EACH) -> Hooks:
    """A function that makes hooks of steps: both nets at once, then what one has more."""
    both = min(train_steps)

    def get_hooks(train_ops: GANTrainOps) -> list[SessionRunHook]:
        generator, discriminator = train_ops.generator_train_op, train_ops.discriminator_train_op
        return [
            RunTrainOpsHook([generator, discriminator], both),
            RunTrainOpsHook(generator, train_steps.generator_train_steps - both),
            RunTrainOpsHook(discriminator, train_steps.discriminator_train_steps - both),
            *train_ops.train_hooks,
        ]

    return get_hooks


IN_TURN: Final = get_sequential_train_hooks()


def gan_train(
    train_ops: GANTrainOps,
    logdir: str | None,
    get_hooks_fn: Hooks = IN_TURN,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: int | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
) -> Any:
    """Trains both nets in turn until a hook or an end of data stops it.

    Args:
      train_ops: What `gan_train_ops` gave.
      logdir: Where checkpoints and summaries go.
      get_hooks_fn: Makes the hooks that train.
      master: The session's target; see `tf.contrib.training.train`, as for all that follow.
      is_chief: Whether this task makes the variables and writes to `logdir`.
      scaffold: The scaffold.
      hooks: Hooks that run before those that train.
      chief_only_hooks: Hooks of the chief.
      save_checkpoint_secs: Seconds between checkpoints.
      save_summaries_steps: Steps between summaries.
      config: The session's.

    Returns:
      How many steps there were in the end.

    Raises:
      ValueError: If there is something to save, and no folder to do so.
    """
    return train(
        train_ops.global_step_inc_op,
        logdir,
        master,
        is_chief,
        scaffold,
        [*(hooks or ()), *get_hooks_fn(train_ops)],
        chief_only_hooks,
        save_checkpoint_secs,
        save_summaries_steps,
        config,
    )


def get_sequential_train_steps(
    train_steps: GANTrainSteps = ONE_EACH,
) -> Callable[[Any, GANTrainOps, Any, Mapping[str, Any]], tuple[Any, Any]]:
    """A `train_step_fn` of `tf.contrib.slim.learning.train`: both nets in turn."""

    def sequential_train_steps(
        sess: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: Mapping[str, Any]
    ) -> tuple[Any, Any]:
        kwargs = dict(train_step_kwargs)
        stops = kwargs.pop("should_stop", None)
        total = 0.0
        for train_op, count in zip(train_ops[:2], train_steps, strict=True):
            for _ in range(count):
                total += train_step(sess, train_op, global_step, kwargs)[0]
        sess.run(train_ops.global_step_inc_op)
        return total, False if stops is None else sess.run(stops)

    return sequential_train_steps
