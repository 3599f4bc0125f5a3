"""Where the time of a step went."""

from dataclasses import dataclass


@dataclass(slots=True)
class StepTimes:
    """Seconds since the step before ended, by what they were spent on."""

    mark: float
    """When the step before ended."""
    began: float
    """When recording began."""
    waited: float = 0.0
    forward: float = 0.0
    backward: float = 0.0
    update: float = 0.0
    ready: float = 0.0
    """When the data of the batch at hand was there; 0 without a data loader."""
    asked: float = 0.0
    """When the pass that runs now began."""

    def fetched(self, now: float, seconds: float) -> None:
        """A data loader gave a batch."""
        self.waited += seconds
        self.ready = now

    def backward_begins(self, now: float) -> None:
        """The forward pass is over."""
        if self.ready:
            self.forward += now - max(self.ready, self.asked)
        self.asked = now

    def backward_ends(self, now: float) -> None:
        """The backward pass is over."""
        self.backward += now - self.asked
        self.asked = now

    def update_begins(self, now: float) -> None:
        """The optimizer begins."""
        self.asked = now

    def left_out(self, now: float) -> None:
        """What happened until now was not training."""
        self.mark = now
        self.waited = 0.0

    def finish(self, now: float, ours: float = 0.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Wall, step, backward and update time; data, forward and other time where a loader tells them."""
        self.update += now - self.asked
        # What recording took is no time of the program's.
        step = max(now - self.mark - ours, 0.0)
        plain = (now - self.began, step, self.backward, self.update)
        known = self.waited + self.forward + self.backward + self.update
        loader = (self.waited, self.forward, max(step - known, 0.0)) if self.ready else ()
        self.mark = self.asked = now
        self.waited = self.forward = self.backward = self.update = self.ready = 0.0
        return plain, loader
