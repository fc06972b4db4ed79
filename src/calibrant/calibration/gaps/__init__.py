"""What scores and intervals are computed from: gaps between predictions and frequencies."""
