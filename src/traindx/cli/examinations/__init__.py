"""What `traindx examine` can examine: one module per exam, like the modules of commands."""
