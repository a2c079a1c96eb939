"""tf.contrib.signal: what tf.signal had before it was called that."""

from dataflow.library.signal.framing import frame as frame
from dataflow.library.signal.framing import overlap_and_add as overlap_and_add
from dataflow.library.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from dataflow.library.signal.mel import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from dataflow.library.signal.spectra import inverse_stft as inverse_stft
from dataflow.library.signal.spectra import stft as stft
from dataflow.library.signal.windows import hamming_window as hamming_window
from dataflow.library.signal.windows import hann_window as hann_window
from dataflow.library.signal.windows import inverse_stft_window_fn as inverse_stft_window_fn

frames = frame
