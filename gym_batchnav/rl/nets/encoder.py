"""The image encoder: a narrow residual network without normalisation layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from gym_batchnav.rl.config import PolicyConfig


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


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a short cut; the branch starts at zero (Fixup, Zhang et al. 2019)."""

    def __init__(self, inputs: int, planes: int, stride: int, squeeze_excite: int) -> None:
        super().__init__()
        self.stride = stride
        self.first = nn.Conv2d(inputs, planes, 3, stride, 1)
        self.second = nn.Conv2d(planes, planes, 3, 1, 1)
        nn.init.kaiming_normal_(self.first.weight, nonlinearity="relu")
        nn.init.zeros_(self.second.weight)
        self.gate = SqueezeExcite(planes, squeeze_excite) if squeeze_excite else nn.Identity()
        self.project = nn.Conv2d(inputs, planes, 1) if inputs != planes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Maps (B, inputs, H, W) to (B, planes, ceil(H / stride), ceil(W / stride))."""
        short = functional.avg_pool2d(x, self.stride, ceil_mode=True) if self.stride > 1 else x
        branch = self.gate(self.second(functional.relu(self.first(x), inplace=True)))
        return functional.relu(branch + self.project(short), inplace=True)


class ImageEncoder(nn.Module):
    """Prepared images (B, h, w, c), in floats of order 1, to features (B, hidden) at or above 0."""

    def __init__(self, config: PolicyConfig, height: int, width: int, channels: int) -> None:
        super().__init__()
        self.channels_last = config.channels_last
        self.stem = nn.Conv2d(channels, config.stem_planes, 3, config.stem_stride, 1)
        nn.init.kaiming_normal_(self.stem.weight, nonlinearity="relu")
        stages: list[nn.Module] = []
        planes = config.stem_planes
        for outputs, stride in zip(config.planes, config.strides, strict=True):
            stages.append(ResidualBlock(planes, outputs, stride, config.squeeze_excite))
            planes = outputs
        self.stages = nn.Sequential(*stages)
        with torch.no_grad():
            flat = self._convolve(torch.zeros(1, height, width, channels)).shape[1]
        self.project = nn.Linear(flat, config.hidden)
        nn.init.orthogonal_(self.project.weight, 2**0.5)
        nn.init.zeros_(self.project.bias)
        if self.channels_last:
            self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _convolve(self, images: Tensor) -> Tensor:
        x = images.permute(0, 3, 1, 2)
        if not self.channels_last:
            x = x.contiguous()
        features: Tensor = self.stages(functional.relu(self.stem(x), inplace=True))
        return features.flatten(1)

    def forward(self, images: Tensor) -> Tensor:
        """Maps (B, h, w, c) float to (B, hidden)."""
        return functional.relu(self.project(self._convolve(images)))
