"""What verbs return: values with intervals, verdicts, tables, and names that parse back."""
