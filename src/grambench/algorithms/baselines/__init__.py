"""What a user would take instead of learning a kernel, on the features themselves, one file each."""
