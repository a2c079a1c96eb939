"""tf.contrib.learn.preprocessing: words as numbers."""

from dataflow.contrib.learn.vocabulary import CategoricalVocabulary as CategoricalVocabulary
from dataflow.contrib.learn.vocabulary import VocabularyProcessor as VocabularyProcessor
from dataflow.contrib.learn.vocabulary import tokenizer as tokenizer
