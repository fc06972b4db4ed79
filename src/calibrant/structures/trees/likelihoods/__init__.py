"""The likelihood of gold trees as a function of temperatures."""
