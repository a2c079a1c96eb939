"""tensorflow.python.ops.rnn: what decoders of programs borrow from loops over time."""

import dataflow.contrib.seq2seq.decoder as _decoder

_transpose_batch_time = _decoder.swap_batch_and_time
