"""Device and master actors from inside: steps, threads, lanes, the watch over them."""
