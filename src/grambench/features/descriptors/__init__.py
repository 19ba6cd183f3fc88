"""Image descriptors, one file each; see `grambench.features` for what a file defines."""
