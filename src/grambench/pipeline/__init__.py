"""What the workflow calls: the plan, what a file depends on, supervised runs, and one step a rule."""
