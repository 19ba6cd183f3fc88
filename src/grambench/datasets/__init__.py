"""Data sets: where they come from (sources), how files are read (readers), what comes out (prepare, store)."""
