"""What `lockin` does with a report, and in a repository that wants to use it."""
