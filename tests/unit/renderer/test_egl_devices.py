"""Matching CUDA devices to EGL devices over faked enumerations."""

from __future__ import annotations

import pytest

from batchnav_renderer import EGLError
from batchnav_renderer.gl.devices import DeviceInfo, choose_device, device_table

# EGL's order is not CUDA's, and Mesa's software device stands in between.
MACHINE = (
    DeviceInfo(index=0, cuda_ordinal=2, uuid="GPU-cccccccc-0000-0000-0000-000000000002"),
    DeviceInfo(index=1, cuda_ordinal=0, uuid="GPU-aaaaaaaa-0000-0000-0000-000000000000"),
    DeviceInfo(index=2, software=True),
    DeviceInfo(
        index=3, cuda_ordinal=1, uuid="GPU-bbbbbbbb-0000-0000-0000-000000000001", drm="/dev/dri/card1"
    ),
)


@pytest.mark.parametrize(
    ("device", "visible", "index"),
    [
        ("cuda:0", None, 1),
        ("cuda:1", None, 3),
        ("cuda:2", None, 0),
        ("cuda", None, 1),
        (None, None, 1),
        ("cuda:0", "2", 0),
        ("cuda:1", "2,0", 1),
        ("cuda:0", " 1 , 2", 3),
        (None, "1", 3),
        ("cuda:0", "GPU-bbbbbbbb-0000-0000-0000-000000000001", 3),
        ("cuda:1", "0,GPU-cc", 0),
        (None, "GPU-cccc", 0),
    ],
)
def test_the_right_device(device, visible, index):
    chosen = choose_device(device, MACHINE, visible)
    assert chosen is not None
    assert chosen.index == index


@pytest.mark.parametrize(
    ("device", "devices", "visible"),
    [
        ("cpu", MACHINE, None),
        (None, MACHINE[2:3], None),
        (None, (), None),
        (None, MACHINE, ""),
        (None, MACHINE, "-1"),
    ],
)
def test_software_is_none(device, devices, visible):
    assert choose_device(device, devices, visible) is None


@pytest.mark.parametrize(
    ("device", "devices", "visible"),
    [
        ("cuda:3", MACHINE, None),
        ("cuda:0", MACHINE[2:3], None),
        ("cuda:0", (), None),
        ("cuda:1", MACHINE, "2"),
        ("cuda:0", MACHINE, ""),
        ("cuda:0", MACHINE, "-1"),
        ("cuda:0", MACHINE, "7"),
        ("cuda:0", MACHINE, "GPU-dd"),
        ("cuda:0", MACHINE, "MIG-GPU-cc/1/2"),
    ],
)
def test_no_match_shows_the_devices_and_a_fix(device, devices, visible):
    with pytest.raises(EGLError) as caught:
        choose_device(device, devices, visible)
    message = str(caught.value)
    assert device_table(devices) in message
    assert "CUDA_VISIBLE_DEVICES" in message
    assert "Fix" in message or "lower number" in message


@pytest.mark.parametrize("name", ["MIG-GPU-cccccccc/1/2", "MIG-cccccccc-0000-0000-0000-000000000002"])
def test_slices_are_named(name):
    with pytest.raises(EGLError, match=r"'cuda:0' is a MIG slice(.|\n)*take a whole GPU"):
        choose_device("cuda:0", MACHINE, name)
    assert choose_device(None, MACHINE, name) is None


def test_a_uuid_beats_every_ordinal():
    """Whatever the order of CUDA's devices is: EGL's third is the one with this UUID."""
    uuid = MACHINE[3].uuid
    for device, visible in ((None, None), ("cuda:0", None), ("cuda:0", "2"), ("cuda:5", "MIG-x")):
        assert choose_device(device, MACHINE, visible, uuid) is MACHINE[3]
    assert choose_device("cuda:0", MACHINE, None, "GPU-of another machine") is MACHINE[1]
    assert choose_device("cpu", MACHINE, None, uuid) is None
    assert choose_device(None, MACHINE, "", uuid) is None


def test_the_table():
    lines = device_table(MACHINE).splitlines()
    assert "EGL device 0: CUDA device 2" in lines[0]
    assert "software" in lines[2]
    assert "/dev/dri/card1" in lines[3]
    assert "no device" in device_table(())
