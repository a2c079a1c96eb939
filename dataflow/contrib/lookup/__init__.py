"""tf.contrib.lookup: lookup tables under their former names."""

from dataflow.contrib.lookup.mappings import index_table_from_tensor as index_table_from_tensor
from dataflow.contrib.lookup.mappings import index_to_string as index_to_string
from dataflow.contrib.lookup.mappings import (
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)
from dataflow.contrib.lookup.mappings import string_to_index as string_to_index
from dataflow.contrib.lookup.mappings import (
    string_to_index_table_from_file as string_to_index_table_from_file,
)
from dataflow.contrib.lookup.mappings import (
    string_to_index_table_from_tensor as string_to_index_table_from_tensor,
)
from dataflow.contrib.lookup.tables import HashTable as HashTable
from dataflow.library.lookup.buckets import IdTableWithHashBuckets as IdTableWithHashBuckets
from dataflow.library.lookup.hashing import FastHashSpec as FastHashSpec
from dataflow.library.lookup.hashing import HasherSpec as HasherSpec
from dataflow.library.lookup.hashing import StrongHashSpec as StrongHashSpec
from dataflow.library.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from dataflow.library.lookup.initializers import TableInitializerBase as TableInitializerBase
from dataflow.library.lookup.initializers import (
    TextFileIdTableInitializer as TextFileIdTableInitializer,
)
from dataflow.library.lookup.initializers import TextFileIndex as TextFileIndex
from dataflow.library.lookup.initializers import TextFileInitializer as TextFileInitializer
from dataflow.library.lookup.initializers import (
    TextFileStringTableInitializer as TextFileStringTableInitializer,
)
from dataflow.library.lookup.mutable import DenseHashTable as DenseHashTable
from dataflow.library.lookup.mutable import MutableHashTable as MutableHashTable
from dataflow.library.lookup.tables import LookupInterface as LookupInterface
from dataflow.library.lookup.vocabularies import index_table_from_file as index_table_from_file
from dataflow.library.lookup.vocabularies import (
    index_to_string_table_from_file as index_to_string_table_from_file,
)

MutableDenseHashTable = DenseHashTable
