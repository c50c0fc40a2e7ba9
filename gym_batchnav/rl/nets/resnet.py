"""ResNet18 and ResNet50 with group normalisation, the image encoders of DD-PPO (Wijmans et al. 2019)."""

from __future__ import annotations

import math

from torch import Tensor, nn
from torch.nn import functional

from gym_batchnav.rl.config import PolicyConfig
from gym_batchnav.rl.nets.encoder import ImageEncoder, Size, divide, he_init, make_gate, plan_strides

_BLOCKS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}
_EXPANSION = {"resnet18": 1, "resnet50": 4}
_ONE = (1, 1)


def conv_norm(inputs: int, planes: int, kernel: int, stride: Size, groups: int) -> list[nn.Module]:
    """A convolution without bias, and its group normalisation."""
    conv = he_init(nn.Conv2d(inputs, planes, kernel, stride, kernel // 2, bias=False))
    return [conv, nn.GroupNorm(groups, planes)]


class NormBlock(nn.Module):
    """A residual block (He et al. 2016) with group normalisation.

    The branch is two 3x3 convolutions, or, where ``expansion`` is above 1, a 1x1, a 3x3 and a 1x1 one. It
    starts at zero: its last normalisation has the factor 0 (Goyal et al. 2017, section 5.1).

    Args:
        inputs: channels.
        planes: channels inside; the output has ``expansion`` times as many.
        stride: of the first 3x3 convolution, along height and width.
        groups: of the normalisations.
        expansion: 1, or 4 as usual.
        squeeze_excite: reduction ratio of the gate on the branch; 0 for none.
    """

    def __init__(
        self, inputs: int, planes: int, stride: Size, groups: int, expansion: int, squeeze_excite: int
    ) -> None:
        super().__init__()
        outputs = planes * expansion
        relu = nn.ReLU(inplace=True)
        if expansion == 1:
            layers = [*conv_norm(inputs, planes, 3, stride, groups), relu]
            layers += conv_norm(planes, planes, 3, _ONE, groups)
        else:
            layers = [*conv_norm(inputs, planes, 1, _ONE, groups), relu]
            layers += [*conv_norm(planes, planes, 3, stride, groups), relu]
            layers += conv_norm(planes, outputs, 1, _ONE, groups)
        nn.init.zeros_(layers[-1].get_parameter("weight"))
        self.branch = nn.Sequential(*layers, make_gate(outputs, squeeze_excite))
        self.project: nn.Module = nn.Identity()
        if max(stride) > 1 or inputs != outputs:
            self.project = nn.Sequential(*conv_norm(inputs, outputs, 1, stride, groups))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (B, inputs, H, W) to (B, planes * expansion, ceil(H / stride), ceil(W / stride))."""
        return functional.relu(self.branch(x) + self.project(x), inplace=True)


class ResNetEncoder(ImageEncoder):
    """ResNet18 or ResNet50 over images of half the size, a 3x3 compression, a linear layer.

    As in DD-PPO: the image is halved by 2x2 means, the stem is a 7x7 convolution of stride 2 and a 3x3
    maximum of stride 2, the last map is compressed to about ``compression`` values.
    """

    def __init__(self, config: PolicyConfig, in_channels: int, size: Size) -> None:
        super().__init__(config, in_channels, size)
        sizes = self.sizes
        groups = math.gcd(sizes.groups, sizes.stem_planes, *sizes.planes)
        # The 7x7 convolution, the maximum, and the stages.
        (step, _, *steps), (height, width) = plan_strides(divide(size, 2), (2, 2, *sizes.strides))
        self.stem = nn.Sequential(
            *conv_norm(in_channels, sizes.stem_planes, 7, step, groups),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        self.stages = nn.Sequential(*self._stages(groups, steps))
        planes = sizes.planes[-1] * _EXPANSION[config.encoder]
        self.compression: nn.Module = nn.Identity()
        if sizes.compression:
            compressed = max(round(sizes.compression / (height * width)), 1)
            layers = conv_norm(planes, compressed, 3, _ONE, 1)
            self.compression = nn.Sequential(*layers, nn.ReLU(inplace=True))
            planes = compressed
        self.project = self.linear(planes * height * width)
        self.set_format()

    def _stages(self, groups: int, steps: list[Size]) -> list[nn.Sequential]:
        sizes, expansion = self.sizes, _EXPANSION[self.config.encoder]
        inputs = sizes.stem_planes
        stages = []
        for planes, stride, count in zip(sizes.planes, steps, _BLOCKS[self.config.encoder], strict=True):
            blocks = []
            for index in range(count):
                step = stride if index == 0 else _ONE
                blocks.append(NormBlock(inputs, planes, step, groups, expansion, sizes.squeeze_excite))
                inputs = planes * expansion
            stages.append(nn.Sequential(*blocks))
        return stages

    def convolve(self, x: Tensor) -> Tensor:
        """See ``ImageEncoder.convolve``."""
        halved = functional.avg_pool2d(x, 2, ceil_mode=True)
        result: Tensor = self.compression(self.stages(self.stem(halved)))
        return result
