"""How many: expected counts and shares of collections, with intervals."""
