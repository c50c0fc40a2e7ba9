"""Networks: from observations to action probabilities and a value."""
