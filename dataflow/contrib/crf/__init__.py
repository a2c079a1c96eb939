"""tf.contrib.crf: linear-chain conditional random fields."""

from dataflow.contrib.crf.decoding import CrfDecodeBackwardRnnCell as CrfDecodeBackwardRnnCell
from dataflow.contrib.crf.decoding import CrfDecodeForwardRnnCell as CrfDecodeForwardRnnCell
from dataflow.contrib.crf.decoding import crf_decode as crf_decode
from dataflow.contrib.crf.decoding import viterbi_decode as viterbi_decode
from dataflow.contrib.crf.scores import CrfForwardRnnCell as CrfForwardRnnCell
from dataflow.contrib.crf.scores import crf_binary_score as crf_binary_score
from dataflow.contrib.crf.scores import crf_log_likelihood as crf_log_likelihood
from dataflow.contrib.crf.scores import crf_log_norm as crf_log_norm
from dataflow.contrib.crf.scores import crf_multitag_sequence_score as crf_multitag_sequence_score
from dataflow.contrib.crf.scores import crf_sequence_score as crf_sequence_score
from dataflow.contrib.crf.scores import crf_unary_score as crf_unary_score
