"""Parameters of the models of a program that its optimizers do not hold."""

from torch.optim import Optimizer

from traindx.changes.live.program import Program, parameters_of


def give_missing(program: Program, optimizer: Optimizer) -> int:
    """Give what nobody holds to an optimizer; how many tensors that were."""
    for one in parameters_of(optimizer):
        program.held[id(one)] = optimizer
    missing = [
        one
        for model in program.models
        for one in model.parameters()
        if one.requires_grad and id(one) not in program.held
    ]
    unique = list({id(one): one for one in missing}.values())
    if unique:
        # Not as a group of their own: schedulers that are there already know how many groups there are.
        optimizer.param_groups[0]["params"].extend(unique)
        program.held.update((id(one), optimizer) for one in unique)
    return len(unique)
