"""What `./learn` is made of: a file for each thing it does, in the folder of its kind."""
