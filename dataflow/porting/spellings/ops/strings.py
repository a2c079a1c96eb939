"""Names of `tensorflow.python.ops.string_ops` and `ragged_string_ops` for versions of a split."""

import dataflow.ops.text.splitting as _splitting
import dataflow.strings as _strings

strings_split_v1 = _strings.split
string_split_v2 = _splitting.split
