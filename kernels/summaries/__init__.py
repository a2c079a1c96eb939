"""What summaries are made of: histograms, PNG and WAV files, and the messages that hold them."""
