"""Arms as tasks of Ray.

`runner` is our side, and never imports ray. `driver` is a process of its own that speaks to the cluster: Ray
ends the process that lost its cluster, and a treatment has to outlive that. `task` is what a node does.
"""
