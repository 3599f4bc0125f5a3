"""What is looked at inside a program that is rehearsed, and cannot be recorded: one question each.

An observer changes nothing. It is begun before the program has made anything, and leaves a JSON file of its
own name beside the recording.
"""
