"""Feature columns: how features of many kinds become the numbers that a net takes."""
