"""What every floor may use: errors, files that are whole or not there, where results lie, where they came from."""
