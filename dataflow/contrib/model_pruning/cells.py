"""Recurrent cells whose kernels are masked."""

from __future__ import annotations

from typing import ClassVar

from dataflow.contrib.model_pruning.masked import Masked
from dataflow.library.rnn.lstm import BasicLSTMCell, LSTMCell


class MaskedBasicLSTMCell(Masked, BasicLSTMCell):
    """`tf.nn.rnn_cell.BasicLSTMCell` with a mask."""

    _kernel_name: ClassVar[str] = "_kernel"


class MaskedLSTMCell(Masked, LSTMCell):
    """`tf.nn.rnn_cell.LSTMCell` with a mask."""

    _kernel_name: ClassVar[str] = "_kernel"
