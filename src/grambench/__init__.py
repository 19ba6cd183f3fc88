"""A benchmark of online kernel selection and multiple-kernel learning: published numbers beside reproduced ones."""
