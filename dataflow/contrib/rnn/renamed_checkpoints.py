"""Checkpoints of cells that were saved before TensorFlow 1.2, under the names of today."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from dataflow.graph.graph import Graph
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.reading import load_checkpoint
from dataflow.saving.saver import Saver
from dataflow.session.session import Session
from dataflow.values import logging
from dataflow.variables.variable import Variable, global_variables_initializer

_WEIGHTS_AND_BIASES: Final = (
    "basic_rnn_cell",
    "gru_cell",
    "gru_cell/gates",
    "gru_cell/candidate",
    "basic_lstm_cell",
    "lstm_cell",
    "lstm_cell/projection",
    "output_projection_wrapper",
    "input_projection_wrapper",
    "lstm_block_wrapper",
    "layer_norm_basic_lstm_cell",
    "ugrnn_cell",
    "intersection_rnn_cell",
    "intersection_rnn_cell/in_projection",
    "phased_lstm_cell/mask_gates",
    "phased_lstm_cell/new_input",
    "phased_lstm_cell/output_gate",
    "attention_cell_wrapper",
    "attention_cell_wrapper/attn_output_projection",
    "attention_cell_wrapper/attention",
    "attention_decoder",
    "attention_decoder/Attention_0",
    "attention_decoder/AttnOutputProjection",
)
"""Scopes whose weights are kernels now, and whose biases are one bias."""
_OTHERS: Final = {
    "nas_rnn/weights": "nas_rnn/kernel",
    "nas_rnn/recurrent_weights": "nas_rnn/recurrent_kernel",
    "attention_decoder/Attention_0/Linear/Bias": "attention_decoder/Attention_0/bias",
    "attention_decoder/Attention_0/Linear/Matrix": "attention_decoder/Attention_0/kernel",
    "attention_decoder/AttnOutputProjection/Linear/Bias": (
        "attention_decoder/AttnOutputProjection/bias"
    ),
    "attention_decoder/AttnOutputProjection/Linear/Matrix": (
        "attention_decoder/AttnOutputProjection/kernel"
    ),
    "attention_decoder/LSTMCell/B": "attention_decoder/lstm_cell/bias",
    "attention_decoder/LSTMCell/W_0": "attention_decoder/lstm_cell/kernel",
    "attention_decoder/Linear/Bias": "attention_decoder/bias",
    "attention_decoder/Linear/Matrix": "attention_decoder/kernel",
}


RNN_NAME_REPLACEMENTS: Final = OrderedDict(
    [
        (f"{scope}/{before}", f"{scope}/{after}")
        for scope in _WEIGHTS_AND_BIASES
        for before, after in (("weights", "kernel"), ("biases", "bias"))
    ]
    + list(_OTHERS.items())
)
"""Parts of names -> what they are now; of several the first one counts."""


def _renamed(name: str) -> str:
    for before, after in RNN_NAME_REPLACEMENTS.items():
        if before in name:
            renamed = name.replace(before, after)
            logging.info("Converted: %s --> %s", name, renamed)
            return renamed
    return name


def convert_names(
    checkpoint_from_path: Any, checkpoint_to_path: Any, write_v1_checkpoint: bool = False
) -> tuple[dict[str, Variable], dict[str, str]]:
    """Writes a checkpoint with the variables of another one, those of cells by their new names.

    Args:
      checkpoint_from_path: Begins the names of the files that are read.
      checkpoint_to_path: Begins those of the files that are written.
      write_v1_checkpoint: Whether in the format of one file.

    Returns:
      The variables by their new names, and the new names by the old ones that differ.

    Raises:
      NotFoundError: There is no such checkpoint.
      ValueError: Two variables get the same name.
    """
    with Graph().as_default():
        logging.info("Reading checkpoint_from_path %s", checkpoint_from_path)
        reader = load_checkpoint(checkpoint_from_path)
        variables: dict[str, Variable] = {}
        changed: dict[str, str] = {}
        for name in reader.get_variable_to_shape_map():
            renamed = _renamed(name)
            if renamed in variables:
                raise ValueError(
                    f"{checkpoint_from_path} has two variables that would be called {renamed!r}: "
                    f"{name!r} and {variables[renamed].op.name!r}."
                )
            variables[renamed] = Variable(reader.get_tensor(name), name=name)
            if renamed != name:
                changed[name] = renamed
        version = SaverDef.V1 if write_v1_checkpoint else SaverDef.V2
        saver = Saver(variables, write_version=version)
        with Session() as session:
            session.run(global_variables_initializer())
            logging.info("Writing checkpoint_to_path %s", checkpoint_to_path)
            saver.save(session, checkpoint_to_path)
    logging.info("Converted %d variable name(s).", len(changed))
    return variables, changed
