"""warm_start: the variables of a model begin with the values that another one was trained to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection
from dataflow.saving.init_from_checkpoint import init_from_checkpoint
from dataflow.saving.object_names import keys_of_objects
from dataflow.saving.saveables import by_name
from dataflow.saving.vocabularies import begin_with_vocabulary
from dataflow.values import logging
from dataflow.variables.base import BaseVariable


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, Any] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Has variables initialised with values of a checkpoint, when their initializers run.

    Args:
      ckpt_to_initialize_from: The checkpoint's prefix, or a folder, of which it is the newest.
      vars_to_warm_start: Which variables: a pattern for names of trainable ones, a list of
        patterns for names of global ones, or a list of variables; None for none.
      var_name_to_vocab_info: A `VocabInfo` for each variable whose rows or columns belong to other
        words than in the checkpoint.
      var_name_to_prev_var_name: Names in the checkpoint, of variables that have others there.

    Raises:
      ValueError: A variable is not in the checkpoint, a name is that of no variable, or a
        vocabulary does not fit its variable.
      NotFoundError: There is no file of a vocabulary.
    """
    logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    groups = _grouped(vars_to_warm_start)
    renamed = dict(var_name_to_prev_var_name or _renamed(ckpt_to_initialize_from, groups))
    vocabularies = dict(var_name_to_vocab_info or {})
    for name, info in vocabularies.items():
        if name in groups:
            begin_with_vocabulary(
                groups[name], info, ckpt_to_initialize_from, renamed.get(name) or name
            )
    if vars_to_warm_start:
        wanted: dict[str, list[Any]] = {}
        for name, parts in groups.items():
            if name in vocabularies:
                continue
            variable = parts[0] if len(parts) == 1 else parts
            wanted.setdefault(renamed.get(name) or name, []).append(variable)
        # Several variables may begin with one value.
        for turn in range(max(map(len, wanted.values()), default=0)):
            init_from_checkpoint(
                ckpt_to_initialize_from,
                {name: each[turn] for name, each in wanted.items() if turn < len(each)},
            )
        logging.info("Warm-started %d variables.", len(groups))
    unused = {name for name in renamed if name not in groups}
    if unused:
        raise ValueError(
            "You provided the following variables in var_name_to_prev_var_name that were not "
            f"used: {unused}.  Perhaps you misspelled them?  Here is the list of viable variable "
            f"names: {groups.keys()}"
        )
    unused = {name for name in vocabularies if name not in groups}
    if unused:
        raise ValueError(
            "You provided the following variables in var_name_to_vocab_info that were not used: "
            f"{unused}.  Perhaps you misspelled them?  Here is the list of viable variable names: "
            f"{groups.keys()}"
        )


def _grouped(wanted: Any) -> dict[str, list[Any]]:
    """Variables, and all parts of those that have parts, by the names they are saved under."""
    if wanted is None or isinstance(wanted, str):
        found = get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    elif not isinstance(wanted, list):
        raise ValueError(
            f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}"
        )
    elif all(isinstance(each, str) for each in wanted):
        found = [
            variable
            for pattern in wanted
            for variable in get_collection(GraphKeys.GLOBAL_VARIABLES, pattern)
        ]
    elif all(isinstance(each, BaseVariable) for each in wanted):
        found = wanted
    else:
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given "
            f"types are {[type(each) for each in wanted]}"
        )
    groups: dict[str, list[Any]] = {}
    for variable in found:
        (name,) = by_name([variable])
        # Patterns in a list also find names that begin with them.
        if any(variable is other for other in groups.get(name, ())):
            raise ValueError(f"At least two variables have the same name: {name}")
        groups.setdefault(name, []).append(variable)
    return groups


def _renamed(checkpoint: Any, names: Mapping[str, Any]) -> dict[str, str]:
    """The keys of variables in a checkpoint of `tf.train.Checkpoint`; nothing of a Saver's."""
    keys = keys_of_objects(checkpoint)
    if keys is None:
        return {}
    missing = set(names) - keys.keys()
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the "
            "checkpoint did not contain values for all variables. The following variables were "
            f"missing: {missing}"
        )
    return {name: keys[name] for name in names}
