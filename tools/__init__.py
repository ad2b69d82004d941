"""What `./learn` is made of: one file for each thing it does."""
