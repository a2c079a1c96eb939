"""The values behind tensor arrays, tensor lists and optionals; knows no loop that fills them."""
