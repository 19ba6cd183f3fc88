"""Every YAML file as a checked model: config.yaml, a study, a data set. Nothing here reads data."""
