"""Groups of dependent pairs: sums by group, how many they are worth, limits of means over them."""
