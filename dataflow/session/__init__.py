"""Sessions: feeds and fetches resolved, steps run; the back end is known to `back_end` alone."""
