"""How halves wait for each other on a GPU: the order of what is queued, with a stand-in for torch.cuda."""

from __future__ import annotations

from contextlib import contextmanager

import torch

from gym_batchnav.rl.collecting.lanes import CudaLane, Lane, make_lane


class FakeCuda:
    """Writes down what is asked of streams and events, and by which stream."""

    def __init__(self) -> None:
        self.log: list[tuple] = []
        self.streams: list[FakeStream] = []
        self.current = FakeStream(self, "learner")

    def Stream(self, device):
        self.streams.append(FakeStream(self, ("policy", "environment")[len(self.streams)]))
        return self.streams[-1]

    def current_stream(self, device):
        return self.current

    @contextmanager
    def stream(self, stream):
        before, self.current = self.current, stream
        yield
        self.current = before


class FakeStream:
    def __init__(self, cuda, name):
        self.cuda, self.name, self.events = cuda, name, 0

    def wait_stream(self, other):
        self.cuda.log.append((self.name, "waits for stream", other.name))

    def record_event(self):
        self.events += 1
        event = FakeEvent(self.cuda, f"{self.name} {self.events}")
        self.cuda.log.append((self.name, "records", event.name))
        return event

    def wait_event(self, event):
        self.cuda.log.append((self.name, "waits for", event.name))


class FakeEvent:
    def __init__(self, cuda, name):
        self.cuda, self.name = cuda, name

    def synchronize(self):
        self.cuda.log.append(("host", "waits for", self.name))


def lane() -> tuple[CudaLane, FakeCuda]:
    cuda = FakeCuda()
    return CudaLane(torch.device("cpu"), cuda), cuda


def test_tensors_stay_on_the_device_and_no_host_waits():
    made, cuda = lane()
    made.fork()
    actions = torch.tensor([1, 2])
    with made.acting():
        assert cuda.current.name == "policy"
        take = made.hand(actions, as_tensor=True)
    with made.stepping():
        assert cuda.current.name == "environment"
        assert take() is actions
        made.stepped()
    with made.acting():
        made.receive()
    made.join()
    assert cuda.log == [
        ("policy", "waits for stream", "learner"),  # the weights are those after the update
        ("policy", "records", "policy 1"),  # actions are ready, earlier observations read
        ("environment", "waits for", "policy 1"),
        ("environment", "records", "environment 1"),  # observations are drawn
        ("policy", "waits for", "environment 1"),
        ("learner", "waits for stream", "policy"),  # the rollout is whole
    ]


def test_an_environment_of_arrays_gets_actions_that_have_arrived():
    made, cuda = lane()
    actions = torch.tensor([1, 2])
    take = made.hand(actions, as_tensor=False)
    assert cuda.log == [("policy", "records", "policy 1")]
    got = take()
    assert cuda.log[1:] == [("host", "waits for", "policy 1")]
    assert got.tolist() == [1, 2]
    assert got.data_ptr() != actions.data_ptr()
    # One pinned buffer for all steps: it is only written when the step before is over.
    assert made.hand(actions + 1, as_tensor=False)().data_ptr() == got.data_ptr()


def test_a_pinned_buffer_is_written_again_after_its_last_copy():
    made, cuda = lane()
    first = made.bring("rewards", torch.tensor([1.0, 2.0])).clone()
    other = made.bring("starts", torch.tensor([True, False])).clone()
    assert cuda.log == [("policy", "records", "policy 1"), ("policy", "records", "policy 2")]
    second = made.bring("rewards", torch.tensor([3.0, 4.0]))
    assert cuda.log[2:] == [("host", "waits for", "policy 1"), ("policy", "records", "policy 3")]
    assert (first.tolist(), other.tolist(), second.tolist()) == ([1, 2], [True, False], [3, 4])


def test_what_is_on_the_device_is_brought_as_it_is():
    made, cuda = lane()
    value = torch.empty(3, device="meta")
    assert made.bring("depth", value) is value
    assert cuda.log == []


def test_nothing_is_received_before_the_first_step():
    made, cuda = lane()
    made.receive()
    assert cuda.log == []


def test_a_plain_lane_does_nothing():
    made = make_lane(torch.device("cpu"), beside=True)
    assert type(made) is Lane
    assert type(make_lane(torch.device("cuda"), beside=False)) is Lane
    made.fork()
    made.join()
    made.stepped()
    made.receive()
    value = torch.ones(2)
    with made.acting(), made.stepping():
        assert made.bring("value", value) is value
        assert made.hand(value, as_tensor=False)() is value
