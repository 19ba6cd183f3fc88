"""What runs leave behind, and what is made of it: records, one study's results, statistics, verdicts, comparisons."""
