"""Calls of modules, watched only while the recorder looks: a hook costs microseconds at every call."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Protocol

import torch
from torch import nn
from torch.nn.modules.module import (
    _global_forward_hooks_with_kwargs,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils.hooks import RemovableHandle

from traindx.facts import COMPILED
from traindx.instruments.patching import Patches, unseen
from traindx.recording.recorder import Recorder


class Listener(Protocol):
    """Tells the recorder of the calls of some modules in its own way."""

    def begins(self, module: nn.Module, args: tuple[object, ...]) -> None:
        """A module is called."""

    def returned(
        self, module: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        """A module gave its output."""


class Modules:
    """Hooks on all modules, kept in torch's own registry: none is ever put on a module of the program."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._handles: list[RemovableHandle] = []
        self._compiled = False
        self._left: dict[type[nn.Module], Listener] = {}

    def leave(self, kind: type[nn.Module], listener: Listener) -> None:
        """Leave the calls of a class of modules to another instrument."""
        self._left[kind] = listener

    def install(self, patches: Patches) -> None:
        """Begin to watch, and stay away from compiled models."""
        patches.replace(torch, "compile", self._compiling)
        patches.on_undo(self._remove)
        self.follow()

    def follow(self) -> None:
        """Put up the hooks or take them down, as the recorder wishes."""
        wanted = self._recorder.wants_modules and not self._compiled
        if wanted and not self._handles:
            self._handles = [
                register_module_forward_pre_hook(self._begins),
                register_module_forward_hook(self._returned, with_kwargs=True),
            ]
        elif not wanted and self._handles:
            self._remove()

    def _remove(self) -> None:
        for handle in self._handles:
            handle.remove()
            # torch forgets to forget these.
            _global_forward_hooks_with_kwargs.pop(handle.id, None)
        self._handles = []

    def _begins(self, module: nn.Module, args: tuple[object, ...]) -> None:
        if torch.compiler.is_compiling():
            return
        listener = self._listener_of(module)
        if listener is None:
            self._recorder.forward_begins(module, torch.is_grad_enabled())
        else:
            listener.begins(module, args)

    def _returned(
        self, module: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object], output: object
    ) -> None:
        if torch.compiler.is_compiling():
            return
        listener = self._listener_of(module)
        if listener is None:
            self._recorder.module_returned(module, args, kwargs, output)
        else:
            listener.returned(module, args, kwargs, output)

    def _listener_of(self, module: nn.Module) -> Listener | None:
        return next((one for kind, one in self._left.items() if isinstance(module, kind)), None)

    def _compiling(self, original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def compiling(*args: object, **kwargs: object) -> object:
            # Hooks on all modules would make a compiled one warn, and see nothing inside it.
            self._compiled = True
            self.follow()
            self._recorder.state(COMPILED, True)
            model = args[0] if args else kwargs.get("model")
            if isinstance(model, nn.Module):
                self._recorder.names_model(model)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                unseen(error)
                raise

        return compiling
