"""Labels of sequences: CTC losses and decoders, edit distances; imports up to `linalg`."""
