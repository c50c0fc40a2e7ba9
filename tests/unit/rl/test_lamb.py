from __future__ import annotations

import copy
import math

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PPOConfig
from gym_batchnav.rl.learning.lamb import Lamb
from gym_batchnav.rl.learning.optimizers import make_optimizer


def weight(values):
    return nn.Parameter(torch.tensor(values))


def take(optimizer, parameters, grads):
    for parameter, grad in zip(parameters, grads, strict=True):
        parameter.grad = torch.as_tensor(grad).clone()
    optimizer.step()


def test_two_steps_by_hand():
    # betas (.5, .75), eps 0, decay .5, lr .3; w = (4, 0, 8, 8), |w| = 12, which counts as 10.
    # Step 1: g = (-1, 1, -1, 1): m / bias = g, v / bias = 1, so u = g + .5 w = (1, 1, 3, 5), |u| = 6.
    #   trust = 10 / 6, lr * trust = .5: w = (3.5, -.5, 6.5, 5.5)
    # Step 2: g = (1, -1, 1, -1): m = .5 * .5 * (-1, 1, -1, 1) + .5 * g = .25 g, over 1 - .25: g / 3
    #   v = .75 * .25 + .25 = .4375, over 1 - .5625: 1. u = g / 3 + .5 w = (25, -7, 43, 29) / 12
    #   |u| = sqrt(3364) / 12 = 29 / 6; |w| = sqrt(85) = 9.21954446; lr * trust = .3 * 9.21954446 * 6 / 29
    #   = .57224759: w = (3.5 - 1.19218248, -.5 + .33381109, 6.5 - 2.05055386, 5.5 - 1.38293168)
    w = weight([[4.0, 0.0], [8.0, 8.0]])
    optimizer = Lamb([w], lr=0.3, betas=(0.5, 0.75), eps=0.0, weight_decay=0.5)
    take(optimizer, [w], [[[-1.0, 1.0], [-1.0, 1.0]]])
    torch.testing.assert_close(w.detach(), torch.tensor([[3.5, -0.5], [6.5, 5.5]]), rtol=0, atol=2e-6)
    take(optimizer, [w], [[[1.0, -1.0], [1.0, -1.0]]])
    expected = torch.tensor([[2.30781752, -0.16618891], [4.44944614, 4.11706832]])
    torch.testing.assert_close(w.detach(), expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    ("start", "eps", "expected"),
    [
        # A first step is g / (|g| + eps) in each entry, here with g = (1, 1), so |u| = sqrt(2) / (1 + eps).
        ([3.0, 4.0], 0.0, 5 / math.sqrt(2)),  # |w| = 5
        ([30.0, 40.0], 0.0, 10 / math.sqrt(2)),  # |w| = 50 counts as 10
        ([0.003, 0.004], 0.0, 0.01),  # .005 / 1.41 is below .01
        ([3.0, 4.0], 999.0, 100.0),  # 5 / .00141 = 3535 is above 100
        ([0.0, 0.0], 0.0, 1.0),  # no weight to scale by
    ],
)
def test_trust_ratio(start, eps, expected):
    w = weight(start)
    take(Lamb([w], lr=1e-3, eps=eps, weight_decay=0.0), [w], [[1.0, 1.0]])
    moved = torch.tensor(start) - w.detach()
    # float32 leaves an error of 4e-6 in weights of 40.
    torch.testing.assert_close(moved, torch.full((2,), 1e-3 * expected / (1 + eps)), rtol=2e-3, atol=4e-6)


def test_a_step_of_zero_leaves_the_weight():
    w = weight([3.0, 4.0])
    take(Lamb([w], lr=1.0, weight_decay=0.0), [w], [[0.0, 0.0]])
    assert w.tolist() == [3.0, 4.0]


class PlainLamb:
    """The formula entry by entry, in Python floats."""

    def __init__(self, lr, betas, eps, decay, adapt):
        self.lr, self.betas, self.eps, self.decay, self.adapt = lr, betas, eps, decay, adapt
        self.t, self.m, self.v = 0, {}, {}

    def step(self, w, g):
        self.t += 1
        b1, b2 = self.betas
        u = []
        for i in range(len(w)):
            self.m[i] = b1 * self.m.get(i, 0.0) + (1 - b1) * g[i]
            self.v[i] = b2 * self.v.get(i, 0.0) + (1 - b2) * g[i] ** 2
            m, v = self.m[i] / (1 - b1**self.t), self.v[i] / (1 - b2**self.t)
            u.append(m / (math.sqrt(v) + self.eps) + self.decay * w[i])
        length, step = math.sqrt(sum(x * x for x in w)), math.sqrt(sum(x * x for x in u))
        trust = 1.0
        if self.adapt and length > 0 and step > 0:
            trust = min(max(min(length, 10.0) / step, 0.01), 100.0)
        return [x - self.lr * trust * y for x, y in zip(w, u, strict=True)]


def test_twenty_steps_equal_plain_python_in_both_kinds_of_group():
    torch.manual_seed(0)
    shapes = [(3, 5), (2, 3, 2, 2), (4,), (), (6, 1)]
    sizes = [1.0, 30.0, 0.5, 1e-3, 0.0]
    options = [(1e-2, True), (1e-2, True), (0.0, False), (0.0, False), (1e-2, True)]
    params = [nn.Parameter(torch.randn(shape) * size) for shape, size in zip(shapes, sizes, strict=True)]
    groups = [
        {"params": [p], "weight_decay": d, "adapt": a} for p, (d, a) in zip(params, options, strict=True)
    ]
    optimizer = Lamb(groups, lr=0.02, betas=(0.9, 0.99), eps=1e-5)
    plain = [PlainLamb(0.02, (0.9, 0.99), 1e-5, decay, adapt) for decay, adapt in options]
    values = [p.detach().flatten().tolist() for p in params]
    for _ in range(20):
        grads = [torch.randn(p.shape) * 0.1 for p in params]
        take(optimizer, params, grads)
        for k, grad in enumerate(grads):
            values[k] = plain[k].step(values[k], grad.flatten().tolist())
        for p, value in zip(params, values, strict=True):
            torch.testing.assert_close(p.detach().flatten(), torch.tensor(value), rtol=1e-4, atol=1e-5)


def test_without_the_trust_ratio_it_is_adamw():
    torch.manual_seed(0)
    ours = nn.Parameter(torch.randn(4, 3))
    theirs = nn.Parameter(ours.detach().clone())
    lamb = Lamb([ours], lr=1e-2, weight_decay=0.1, adapt=False)
    adam = torch.optim.AdamW([theirs], lr=1e-2, eps=1e-5, weight_decay=0.1)
    for _ in range(10):
        grad = torch.randn(4, 3)
        take(lamb, [ours], [grad])
        take(adam, [theirs], [grad])
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_parameters_without_gradient_stay_and_count_no_steps():
    used, unused = weight([[1.0, 2.0]]), weight([[3.0, 4.0]])
    optimizer = Lamb([used, unused], lr=0.1)
    used.grad = torch.ones(1, 2)
    optimizer.step()
    assert unused.tolist() == [[3.0, 4.0]]
    assert unused not in optimizer.state
    # Its first step later is a first step: u = 1 + decay * w, whatever the other has counted.
    unused.grad = torch.ones(1, 2)
    optimizer.step()
    assert [float(optimizer.state[p]["step"]) for p in (used, unused)] == [2.0, 1.0]


def test_groups_of_a_network():
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.GroupNorm(1, 2))
    network.scale = nn.Parameter(torch.ones(()))  # as Fixup has them
    optimizer = make_optimizer(network, PPOConfig(optimizer="lamb", weight_decay=0.3, learning_rate=0.7))
    assert isinstance(optimizer, Lamb)
    matrices, vectors = optimizer.param_groups
    assert [tuple(p.shape) for p in matrices["params"]] == [(2, 1, 3, 3)]
    assert sorted(tuple(p.shape) for p in vectors["params"]) == [(), (2,), (2,), (2,)]
    assert (matrices["adapt"], matrices["weight_decay"], matrices["lr"]) == (True, 0.3, 0.7)
    assert (vectors["adapt"], vectors["weight_decay"]) == (False, 0.0)
    assert isinstance(make_optimizer(network, PPOConfig()), torch.optim.AdamW)


def test_state_round_trip_goes_on_bitwise():
    torch.manual_seed(0)
    first = [nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(5))]
    grads = [[torch.randn(4, 3), torch.randn(5)] for _ in range(4)]
    optimizer = Lamb(first, lr=0.1)
    for g in grads[:2]:
        take(optimizer, first, g)
    second = [nn.Parameter(p.detach().clone()) for p in first]
    other = Lamb(second, lr=5.0, weight_decay=0.9)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for g in grads[2:]:
        take(optimizer, first, g)
        take(other, second, g)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_a_state_loaded_for_another_device_moves_there():
    here = weight([[1.0, 2.0]])
    optimizer = Lamb([here])
    take(optimizer, [here], [[[1.0, 1.0]]])
    there = nn.Parameter(torch.empty(1, 2, device="meta"))
    other = Lamb([there])
    other.load_state_dict(optimizer.state_dict())
    assert {value.device.type for value in other.state[there].values()} == {"meta"}
    there.grad = torch.empty(1, 2, device="meta")
    other.step()


def test_grad_scaler_unscales_and_skips_what_overflows():
    torch.manual_seed(0)
    plain = nn.Parameter(torch.randn(3, 2))
    scaled = nn.Parameter(plain.detach().clone())
    ours, reference = Lamb([scaled], lr=0.1), Lamb([plain], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=10**6)
    for x in (float("inf"), 1.0, 3.0, float("nan"), -2.0):
        loss = (scaled * x).square().sum()
        scaled.grad = None
        scaler.scale(loss).backward()
        scaler.step(ours)
        scaler.update()
        if math.isfinite(x):
            take(reference, [plain], [2 * x * x * plain.detach()])
    torch.testing.assert_close(scaled, plain, rtol=1e-5, atol=1e-6)
    assert float(ours.state[scaled]["step"]) == 3.0
    assert scaler.get_scale() == 256.0  # halved twice


class NoHostRead(TorchDispatchMode):
    """Fails where a tensor's value would be read by the host."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        assert name not in ("_local_scalar_dense", "nonzero", "masked_select", "equal", "is_nonzero"), name
        return func(*args, **kwargs or {})


@pytest.mark.parametrize("found_inf", [None, 0.0, 1.0])
def test_a_step_reads_nothing_back(found_inf):
    params = [nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(2))]
    optimizer = make_optimizer(nn.ParameterList(params), PPOConfig(optimizer="lamb", weight_decay=0.1))
    if found_inf is not None:
        optimizer.found_inf = torch.tensor(found_inf)
    with NoHostRead():
        for _ in range(2):
            take(optimizer, params, [torch.randn(3, 2), torch.randn(2)])
    with pytest.raises(AssertionError, match="_local_scalar_dense"), NoHostRead():
        params[0].sum().item()


@pytest.mark.parametrize(
    ("options", "words"),
    [({"lr": -1.0}, "lr is -1.0"), ({"betas": (0.9, 1.0)}, "betas"), ({"trust_bounds": (2.0, 1.0)}, "trust")],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        Lamb([weight([1.0])], **options)
