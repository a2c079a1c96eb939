"""Files and their readers, as `tf` names them."""

from dataflow.library.readers.reader_base import ReaderBase as ReaderBase
from dataflow.library.readers.readers import FixedLengthRecordReader as FixedLengthRecordReader
from dataflow.library.readers.readers import IdentityReader as IdentityReader
from dataflow.library.readers.readers import TextLineReader as TextLineReader
from dataflow.library.readers.readers import TFRecordReader as TFRecordReader
from dataflow.library.readers.readers import WholeFileReader as WholeFileReader
from dataflow.ops.readers.files import matching_files as matching_files
from dataflow.ops.readers.files import read_file as read_file
from dataflow.ops.readers.files import write_file as write_file
