"""tf.contrib.learn.preprocessing: words as numbers."""

from dataflow.contrib.learn.categories import ByteProcessor as ByteProcessor
from dataflow.contrib.learn.categories import CategoricalProcessor as CategoricalProcessor
from dataflow.contrib.learn.vocabulary import CategoricalVocabulary as CategoricalVocabulary
from dataflow.contrib.learn.vocabulary import VocabularyProcessor as VocabularyProcessor
from dataflow.contrib.learn.vocabulary import tokenizer as tokenizer
