"""How observations and actions pass between the environment's thread and the policy's device."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor


class Lane:
    """On a CPU, and where environment and policy take turns, everything is ready when its call returns."""

    def fork(self) -> None:
        """What the lane does next comes after all that was queued on the current stream."""

    def join(self) -> None:
        """What is queued on the current stream next comes after all that the lane does."""

    def acting(self) -> AbstractContextManager[Any]:
        """Work in this context is the policy's."""
        return nullcontext()

    def stepping(self) -> AbstractContextManager[Any]:
        """Work in this context, on the environment's thread, is the environment's."""
        return nullcontext()

    def hand(self, actions: Tensor, *, as_tensor: bool) -> Callable[[], Tensor]:
        """Gives actions away, while acting.

        Args:
            actions: (N,) int64 on the policy's device; not to be overwritten before the step has ended.
            as_tensor: whether the environment takes them on the device; else they are brought to the CPU.

        Returns:
            Gives them, once they are there; to be called while stepping.
        """
        return lambda: actions

    def stepped(self) -> None:
        """All that the step gave is queued; called while stepping."""

    def receive(self) -> None:
        """What is queued next, while acting, comes after all that the last step gave."""

    def bring(self, name: str, value: Tensor) -> Tensor:
        """Brings a value to the policy's device, while acting.

        Args:
            name: values of one name have one shape and type.
            value: on any device.

        Returns:
            The value, or a copy that is good for what is queued until the next call with this name.
        """
        return value


class CudaLane(Lane):
    """Two streams: environment and policy wait for each other there, and the host waits for neither.

    What a step gave is written into the rollout by the policy's stream, whose actions the next step waits
    for; so no memory of the environment is used again before it was read, as long as the tensors of a step
    are kept until the next one.

    Args:
        device: of the policy.
        cuda: what stands for ``torch.cuda``.
    """

    def __init__(self, device: torch.device, cuda: Any = torch.cuda) -> None:
        self._device, self._cuda = device, cuda
        self._acts, self._steps = cuda.Stream(device), cuda.Stream(device)
        self._stepped: Any = None
        self._actions: Tensor | None = None
        self._staged: dict[str, tuple[Tensor, Any]] = {}

    def fork(self) -> None:
        """The policy's stream waits for the current one."""
        self._acts.wait_stream(self._cuda.current_stream(self._device))

    def join(self) -> None:
        """The current stream waits for the policy's."""
        self._cuda.current_stream(self._device).wait_stream(self._acts)

    def acting(self) -> AbstractContextManager[Any]:
        """The policy's stream is current."""
        context: AbstractContextManager[Any] = self._cuda.stream(self._acts)
        return context

    def stepping(self) -> AbstractContextManager[Any]:
        """The environment's stream is current."""
        context: AbstractContextManager[Any] = self._cuda.stream(self._steps)
        return context

    def hand(self, actions: Tensor, *, as_tensor: bool) -> Callable[[], Tensor]:
        """On the device, the environment's stream waits for them; else its thread does, for a pinned copy."""
        if as_tensor:
            given = self._acts.record_event()

            def take() -> Tensor:
                self._steps.wait_event(given)
                return actions

            return take
        if self._actions is None:
            self._actions = torch.empty_like(actions, device="cpu", pin_memory=self._pinned)
        host = self._actions
        host.copy_(actions, non_blocking=True)
        copied = self._acts.record_event()

        def wait() -> Tensor:
            copied.synchronize()
            return host

        return wait

    def stepped(self) -> None:
        """An event on the environment's stream."""
        self._stepped = self._steps.record_event()

    def receive(self) -> None:
        """The policy's stream waits for the step."""
        if self._stepped is not None:
            self._acts.wait_event(self._stepped)

    def bring(self, name: str, value: Tensor) -> Tensor:
        """Host memory goes by a pinned buffer, which is used again once its last copy has ended."""
        if value.device.type != "cpu":
            return value
        if name in self._staged:
            buffer, copied = self._staged[name]
            copied.synchronize()
        else:
            buffer = torch.empty_like(value, device="cpu", pin_memory=self._pinned)
        buffer.copy_(value)
        there = buffer.to(self._device, non_blocking=True)
        self._staged[name] = buffer, self._acts.record_event()
        return there

    @property
    def _pinned(self) -> bool:
        # Elsewhere there is nothing to pin for.
        return self._device.type == "cuda"


def make_lane(device: torch.device, *, beside: bool) -> Lane:
    """The lane of a policy's device for environments that are stepped beside it or in turn with it."""
    return CudaLane(device) if beside and device.type == "cuda" else Lane()
