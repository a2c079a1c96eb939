"""tf.strings: operations on strings."""

import dataflow.ops.text.characters as _characters
import dataflow.ops.text.joining as _joining
import dataflow.ops.text.numbers as _numbers
import dataflow.ops.text.printing as _printing
from dataflow.library.ragged.strings import bytes_split as bytes_split
from dataflow.library.ragged.strings import ngrams as ngrams
from dataflow.library.ragged.strings import split as split
from dataflow.library.ragged.unicode import unicode_decode as unicode_decode
from dataflow.library.ragged.unicode import (
    unicode_decode_with_offsets as unicode_decode_with_offsets,
)
from dataflow.library.ragged.unicode import unicode_encode as unicode_encode
from dataflow.library.ragged.unicode import unicode_split as unicode_split
from dataflow.library.ragged.unicode import (
    unicode_split_with_offsets as unicode_split_with_offsets,
)
from dataflow.ops.text.characters import substr as substr
from dataflow.ops.text.encodings import unicode_transcode as unicode_transcode
from dataflow.ops.text.joining import reduce_join as reduce_join
from dataflow.ops.text.numbers import as_string as as_string
from dataflow.ops.text.patterns import regex_full_match as regex_full_match
from dataflow.ops.text.patterns import regex_replace as regex_replace
from dataflow.ops.text.scripts import unicode_script as unicode_script
from dataflow.ops.text.segments import unsorted_segment_join as unsorted_segment_join

format = _printing.string_format
join = _joining.string_join
length = _characters.string_length
lower = _characters.string_lower
strip = _characters.string_strip
to_hash_bucket = _numbers.string_to_hash_bucket
to_hash_bucket_fast = _numbers.string_to_hash_bucket_fast
to_hash_bucket_strong = _numbers.string_to_hash_bucket_strong
to_number = _numbers.string_to_number
upper = _characters.string_upper
