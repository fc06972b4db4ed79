"""What comes in, validated once: arrays, parameters and files."""
