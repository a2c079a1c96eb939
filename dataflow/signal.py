"""tf.signal: Fourier transforms, windows, frames."""

from dataflow.library.signal.cosine import dct as dct
from dataflow.library.signal.cosine import idct as idct
from dataflow.library.signal.fourier import fftshift as fftshift
from dataflow.library.signal.fourier import ifftshift as ifftshift
from dataflow.library.signal.fourier import irfft as irfft
from dataflow.library.signal.fourier import irfft2d as irfft2d
from dataflow.library.signal.fourier import irfft3d as irfft3d
from dataflow.library.signal.fourier import rfft as rfft
from dataflow.library.signal.fourier import rfft2d as rfft2d
from dataflow.library.signal.fourier import rfft3d as rfft3d
from dataflow.library.signal.framing import frame as frame
from dataflow.library.signal.framing import overlap_and_add as overlap_and_add
from dataflow.library.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from dataflow.library.signal.mel import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from dataflow.library.signal.spectra import inverse_mdct as inverse_mdct
from dataflow.library.signal.spectra import inverse_stft as inverse_stft
from dataflow.library.signal.spectra import mdct as mdct
from dataflow.library.signal.spectra import stft as stft
from dataflow.library.signal.windows import hamming_window as hamming_window
from dataflow.library.signal.windows import hann_window as hann_window
from dataflow.library.signal.windows import inverse_stft_window_fn as inverse_stft_window_fn
from dataflow.library.signal.windows import (
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
)
from dataflow.library.signal.windows import kaiser_window as kaiser_window
from dataflow.library.signal.windows import vorbis_window as vorbis_window
from dataflow.ops.signal.fourier import fft as fft
from dataflow.ops.signal.fourier import fft2d as fft2d
from dataflow.ops.signal.fourier import fft3d as fft3d
from dataflow.ops.signal.fourier import ifft as ifft
from dataflow.ops.signal.fourier import ifft2d as ifft2d
from dataflow.ops.signal.fourier import ifft3d as ifft3d
