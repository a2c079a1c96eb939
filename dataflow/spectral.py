"""tf.spectral: the former name of what is in tf.signal of Fourier and cosine transforms."""

from dataflow.library.signal.cosine import dct as dct
from dataflow.library.signal.cosine import idct as idct
from dataflow.library.signal.fourier import irfft as irfft
from dataflow.library.signal.fourier import irfft2d as irfft2d
from dataflow.library.signal.fourier import irfft3d as irfft3d
from dataflow.library.signal.fourier import rfft as rfft
from dataflow.library.signal.fourier import rfft2d as rfft2d
from dataflow.library.signal.fourier import rfft3d as rfft3d
from dataflow.ops.signal.fourier import fft as fft
from dataflow.ops.signal.fourier import fft2d as fft2d
from dataflow.ops.signal.fourier import fft3d as fft3d
from dataflow.ops.signal.fourier import ifft as ifft
from dataflow.ops.signal.fourier import ifft2d as ifft2d
from dataflow.ops.signal.fourier import ifft3d as ifft3d
