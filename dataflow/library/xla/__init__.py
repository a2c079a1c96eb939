"""What programs say to XLA: there is none here, so that nodes are marked and run like any other."""
