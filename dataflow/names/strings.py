"""Operations on strings, as `tf` names them."""

from dataflow.library.ragged.strings import string_split as string_split
from dataflow.ops.text.characters import decode_base64 as decode_base64
from dataflow.ops.text.characters import encode_base64 as encode_base64
from dataflow.ops.text.characters import string_strip as string_strip
from dataflow.ops.text.characters import substr as substr
from dataflow.ops.text.joining import reduce_join as reduce_join
from dataflow.ops.text.joining import string_join as string_join
from dataflow.ops.text.numbers import as_string as as_string
from dataflow.ops.text.numbers import string_to_hash_bucket as string_to_hash_bucket
from dataflow.ops.text.numbers import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from dataflow.ops.text.numbers import string_to_hash_bucket_strong as string_to_hash_bucket_strong
from dataflow.ops.text.numbers import string_to_number as string_to_number
from dataflow.ops.text.patterns import regex_replace as regex_replace
