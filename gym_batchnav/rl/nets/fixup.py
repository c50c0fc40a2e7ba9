"""SE-ResNet9 with Fixup, the image encoder of BPS (Shacklett et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from gym_batchnav.rl.config import PolicyConfig
from gym_batchnav.rl.nets.encoder import (
    ImageEncoder,
    Size,
    he_init,
    make_gate,
    plan_strides,
)

_BRANCH_LAYERS = 2


class FixupBlock(nn.Module):
    """Two 3x3 convolutions beside a short cut, without normalisation (Zhang et al. 2019, "Fixup").

    At the start the branch is zero: the last convolution's weights are, and the first ones are those of He
    et al. times L^(-1 / (2 m - 2)), where L blocks have m = 2 layers in their branch (Zhang et al., section
    3). A scalar bias stands before each convolution and before the ReLU, a scalar factor and bias end the
    branch. Where the size changes, the short cut is a 3x3 mean and a 1x1 convolution.

    Args:
        inputs: channels.
        planes: channels of the output.
        stride: of the first convolution, along height and width.
        squeeze_excite: reduction ratio of the gate on the branch; 0 for none.
        blocks: L, of the whole network.
    """

    def __init__(self, inputs: int, planes: int, stride: Size, squeeze_excite: int, blocks: int) -> None:
        super().__init__()
        self.stride = stride
        # Scalars without an axis, since those leave the type that autocast chose for the map.
        self.bias_in = nn.Parameter(torch.zeros(()))
        self.bias_first = nn.Parameter(torch.zeros(()))
        self.bias_middle = nn.Parameter(torch.zeros(()))
        self.bias_out = nn.Parameter(torch.zeros(()))
        self.scale = nn.Parameter(torch.ones(()))
        self.first = he_init(nn.Conv2d(inputs, planes, 3, stride, 1, bias=False))
        self.second = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        with torch.no_grad():
            self.first.weight.mul_(blocks ** (-1 / (2 * _BRANCH_LAYERS - 2)))
            self.second.weight.zero_()
        self.gate = make_gate(planes, squeeze_excite)
        self.project: nn.Conv2d | None = None
        if max(stride) > 1 or inputs != planes:
            self.project = he_init(nn.Conv2d(inputs, planes, 1, bias=False))

    def branch(self, x: Tensor) -> Tensor:
        """What is added to the short cut; ``x`` with ``bias_in``."""
        x = functional.relu(self.first(x) + self.bias_first, inplace=True)
        x = self.second(x + self.bias_middle) * self.scale + self.bias_out
        gated: Tensor = self.gate(x)
        return gated

    def forward(self, x: Tensor) -> Tensor:
        """Maps (B, inputs, H, W) to (B, planes, ceil(H / stride), ceil(W / stride))."""
        shifted = x + self.bias_in
        short = x
        if self.project is not None:
            mean = functional.avg_pool2d(shifted, 3, self.stride, 1) if max(self.stride) > 1 else shifted
            short = self.project(mean)
        return functional.relu(self.branch(shifted) + short, inplace=True)


class FixupEncoder(ImageEncoder):
    """A 1x1 convolution of folded pixels, a ``FixupBlock`` a stage, a 3x3 compression, a linear layer.

    The compressed map has about ``compression`` values: its channels are rounded to a multiple of half of
    the stem's planes, as in the released BPS, whose linear layer has a LayerNorm in place of a bias.
    """

    def __init__(self, config: PolicyConfig, in_channels: int, size: Size) -> None:
        super().__init__(config, in_channels, size)
        sizes = self.sizes
        (step, *steps), (height, width) = plan_strides(size, (sizes.stem_stride, *sizes.strides))
        self.stem = he_init(nn.Conv2d(in_channels, sizes.stem_planes, 1, step, bias=False))
        widths = (sizes.stem_planes, *sizes.planes)
        self.stages = nn.Sequential(
            *(
                FixupBlock(inputs, outputs, stride, sizes.squeeze_excite, len(sizes.planes))
                for inputs, outputs, stride in zip(widths, sizes.planes, steps, strict=False)
            )
        )
        planes = sizes.planes[-1]
        self.compression: nn.Conv2d | None = None
        if sizes.compression:
            planes = compressed_planes(sizes.compression, height * width, sizes.groups)
            self.compression = he_init(nn.Conv2d(sizes.planes[-1], planes, 3, 1, 1))
        self.project = nn.Sequential(
            self.linear(planes * height * width, bias=False), nn.LayerNorm(sizes.hidden)
        )
        self.set_format()

    def convolve(self, x: Tensor) -> Tensor:
        """See ``ImageEncoder.convolve``."""
        x = self.stages(functional.relu(self.stem(x), inplace=True))
        return x if self.compression is None else functional.relu(self.compression(x), inplace=True)


def compressed_planes(values: int, cells: int, multiple: int) -> int:
    """Channels with which ``cells`` hold about ``values``, a multiple of ``multiple`` where that is not 0."""
    planes = values / cells
    return round(planes / multiple) * multiple or max(round(planes), 1)
