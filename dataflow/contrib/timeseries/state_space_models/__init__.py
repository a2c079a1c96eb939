"""State space models of time series: a hidden state that moves linearly, and what is seen of it."""
