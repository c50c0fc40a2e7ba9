"""What all image encoders share, and the narrow one: a residual network without normalisation layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from gym_batchnav.rl.config import PolicyConfig

Size = tuple[int, int]
"""Height and width, or a stride along each."""


class SqueezeExcite(nn.Module):
    """Gates each channel by the mean of all channels (Hu et al. 2018)."""

    def __init__(self, planes: int, ratio: int) -> None:
        super().__init__()
        self.reduce = nn.Linear(planes, max(planes // ratio, 1))
        self.expand = nn.Linear(self.reduce.out_features, planes)

    def forward(self, x: Tensor) -> Tensor:
        """Maps (B, C, H, W) to the same shape."""
        gate = torch.sigmoid(self.expand(functional.relu(self.reduce(x.mean(dim=(2, 3))))))
        return x * gate[:, :, None, None]


def make_gate(planes: int, ratio: int) -> nn.Module:
    """A ``SqueezeExcite``, or nothing where the ratio is 0."""
    return SqueezeExcite(planes, ratio) if ratio else nn.Identity()


class ImageEncoder(nn.Module):
    """Prepared images (B, h, w, c), in floats of order 1, to features (B, hidden) at or above 0.

    Args:
        config: of the network.
        in_channels: c, as ``image_channels`` counts them.
        size: (h, w), after ``space_to_depth``.
    """

    def __init__(self, config: PolicyConfig, in_channels: int, size: Size) -> None:
        super().__init__()
        self.config = config
        self.sizes = config.sizes
        self.in_channels = in_channels
        self.image_size = size
        self.project: nn.Module

    def convolve(self, x: Tensor) -> Tensor:
        """Maps images (B, c, h, w) to the last map (B, planes, h', w')."""
        raise NotImplementedError

    def forward(self, images: Tensor) -> Tensor:
        """Maps (B, h, w, c) float to (B, hidden)."""
        x = images.permute(0, 3, 1, 2)
        if not self.config.channels_last:
            x = x.contiguous()
        return functional.relu(self.project(self.convolve(x).flatten(1)))

    def linear(self, inputs: int, *, bias: bool = True) -> nn.Linear:
        """The layer from the flattened last map to the feature."""
        layer = nn.Linear(inputs, self.sizes.hidden, bias=bias)
        nn.init.orthogonal_(layer.weight, 2**0.5)
        if bias:
            nn.init.zeros_(layer.bias)
        return layer

    def set_format(self) -> None:
        """Brings the weights into the memory format that is configured; last in ``__init__``."""
        if self.config.channels_last:
            self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def divide(size: Size, by: int) -> Size:
    """Height and width divided, rounded up."""
    return -(-size[0] // by), -(-size[1] // by)


def plan_strides(size: Size, strides: tuple[int, ...]) -> tuple[list[Size], Size]:
    """Strides by axis of the stages over a map of ``size``, and the size of the last map.

    Along an axis of one cell the stride is 1, which gives the same map: torch's bfloat16 convolution on CPUs
    leaves parts of the weights' gradient unset where it strides over a width of 1 (torch 2.13).
    """
    steps = []
    for stride in strides:
        height, width = size
        steps.append((stride if height > 1 else 1, stride if width > 1 else 1))
        size = divide(size, stride)
    return steps, size


def he_init(layer: nn.Conv2d) -> nn.Conv2d:
    """Weights as He et al. 2015 for ReLU, so that the mean square of the output is that of the input."""
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a short cut; the branch starts at zero (Fixup, Zhang et al. 2019)."""

    def __init__(self, inputs: int, planes: int, stride: Size, squeeze_excite: int) -> None:
        super().__init__()
        self.stride = stride
        self.first = nn.Conv2d(inputs, planes, 3, stride, 1)
        self.second = nn.Conv2d(planes, planes, 3, 1, 1)
        nn.init.kaiming_normal_(self.first.weight, nonlinearity="relu")
        nn.init.zeros_(self.second.weight)
        self.gate = make_gate(planes, squeeze_excite)
        self.project = nn.Conv2d(inputs, planes, 1) if inputs != planes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Maps (B, inputs, H, W) to (B, planes, ceil(H / stride), ceil(W / stride))."""
        short = functional.avg_pool2d(x, self.stride, ceil_mode=True) if max(self.stride) > 1 else x
        branch = self.gate(self.second(functional.relu(self.first(x), inplace=True)))
        return functional.relu(branch + self.project(short), inplace=True)


class NarrowEncoder(ImageEncoder):
    """A small residual network for CPUs: one 3x3 convolution and one ``ResidualBlock`` a stage."""

    def __init__(self, config: PolicyConfig, in_channels: int, size: Size) -> None:
        super().__init__(config, in_channels, size)
        sizes = self.sizes
        (step, *steps), (height, width) = plan_strides(size, (sizes.stem_stride, *sizes.strides))
        self.stem = nn.Conv2d(in_channels, sizes.stem_planes, 3, step, 1)
        nn.init.kaiming_normal_(self.stem.weight, nonlinearity="relu")
        widths = (sizes.stem_planes, *sizes.planes)
        self.stages = nn.Sequential(
            *(
                ResidualBlock(inputs, outputs, stride, sizes.squeeze_excite)
                for inputs, outputs, stride in zip(widths, sizes.planes, steps, strict=False)
            )
        )
        planes = sizes.planes[-1]
        self.compression: nn.Conv2d | None = None
        if sizes.compression:
            planes = max(round(sizes.compression / (height * width)), 1)
            self.compression = he_init(nn.Conv2d(sizes.planes[-1], planes, 3, 1, 1))
        self.project = self.linear(planes * height * width)
        self.set_format()

    def convolve(self, x: Tensor) -> Tensor:
        """See ``ImageEncoder.convolve``."""
        x = self.stages(functional.relu(self.stem(x), inplace=True))
        return x if self.compression is None else functional.relu(self.compression(x), inplace=True)
