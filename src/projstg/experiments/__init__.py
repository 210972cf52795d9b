"""The laboratory: what is compared, on which problems, and what came out."""
