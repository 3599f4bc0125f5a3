"""What turns the calls of torch and Keras into events of the recorder; every patch can be undone."""
