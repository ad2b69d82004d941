"""The implementation of `./learn`: one file per task, in a folder for each kind of task."""
