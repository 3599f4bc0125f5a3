"""What `traindx skill` can do, a module each, written like a command."""
