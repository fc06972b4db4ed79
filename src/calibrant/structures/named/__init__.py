"""Named corpora: where they are published and how to find them on this machine."""
