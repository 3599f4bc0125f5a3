"""The shelf of changes for programs that use Keras: one thing that is changed in each file."""
