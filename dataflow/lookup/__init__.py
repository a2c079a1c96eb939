"""tf.lookup: lookup tables."""

from dataflow.library.lookup.buckets import StaticVocabularyTable as StaticVocabularyTable
from dataflow.library.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from dataflow.library.lookup.initializers import TextFileIndex as TextFileIndex
from dataflow.library.lookup.initializers import TextFileInitializer as TextFileInitializer
from dataflow.library.lookup.tables import StaticHashTable as StaticHashTable
from dataflow.lookup import experimental as experimental
