"""The report: one static page that works offline and can be mailed, with styles and figures inside it."""
