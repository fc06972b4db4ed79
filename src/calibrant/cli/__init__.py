"""The command line: a command per verb. Results go to stdout, all else to stderr."""
