"""traindx as a server of the Model Context Protocol: tools that an agent calls.

Every tool is a module of `tools`; what they give back is typed in the modules beside this one. The server
reads, judges and tries like the command line does, and knows nothing of training itself.
"""
