"""Ops on signals: Fourier transforms, sound in files and as spectrograms."""
