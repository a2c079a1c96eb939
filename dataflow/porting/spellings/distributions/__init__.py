"""What tests of distributions and random numbers are made of."""
