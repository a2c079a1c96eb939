"""What a kernel is: registration, resources, and the words of its errors; knows no kernel."""
