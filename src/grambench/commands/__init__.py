"""The commands of `grambench`, one file each, and what several of them need (`project`)."""
