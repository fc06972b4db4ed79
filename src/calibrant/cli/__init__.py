"""The command line: one command per verb. Results go to stdout, everything else to stderr."""
