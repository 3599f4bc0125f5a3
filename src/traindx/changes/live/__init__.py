"""How a change takes hold of a program: in torch, in Keras, in its loops, loaders and losses."""
