"""Starting the user's command so that it is recorded: the words, the folder, the child, and how it ended.

`injected/` is put before the folders in which the program's Python looks for modules; no file is changed.
"""
