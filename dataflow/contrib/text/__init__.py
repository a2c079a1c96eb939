"""tf.contrib.text: pairs of words that stand near each other."""

from dataflow.contrib.text.skip_grams import skip_gram_sample as skip_gram_sample
from dataflow.contrib.text.vocabularies import (
    skip_gram_sample_with_text_vocab as skip_gram_sample_with_text_vocab,
)
