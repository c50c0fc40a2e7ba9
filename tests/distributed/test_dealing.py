"""Checkpoints of several ranks, taken apart for as many or for others."""

from __future__ import annotations

import torch

from gym_batchnav.rl import load_checkpoint
from gym_batchnav.rl.distributed import Launch, World, join_world
from gym_batchnav.rl.distributed.dealing import RANKS, deal_out, gather_content
from gym_batchnav.rl.running.checkpoint import save_checkpoint


def content_of(rank):
    """A rank's content; the numbers say whose they are."""
    return {
        "policy": {"weight": torch.full((2,), 7.0)},
        "num_envs": 3,
        "rng": {"act": torch.tensor([1, 2]), "learn": torch.tensor([rank]), "global": {"rank": rank}},
        "metrics": {
            "values": {"success": [10.0 * rank + k for k in range(4)]},
            "episodes": 5 + rank,
            "returns": [rank],
            "lengths": [rank],
        },
        "collector": {"state": torch.full((1,), float(rank))},
        "env_state": {"rank": rank},
    }


def write(launch, path):
    with join_world("cpu", launch=launch) as world:
        whole = gather_content(world, content_of(world.rank))
        if world.is_main:
            save_checkpoint(path, whole)
        return len(whole.get(RANKS, ()))


def read(launch, path):
    with join_world("cpu", launch=launch) as world:
        dealt = deal_out(world, load_checkpoint(path) if world.is_main else None)
        assert dealt is not None
        weight = dealt.pop("policy")["weight"].tolist()
        assert weight == [7.0, 7.0]
        dealt["rng"] = {key: v.tolist() if torch.is_tensor(v) else v for key, v in dealt["rng"].items()}
        if dealt["collector"] is not None:
            dealt["collector"] = dealt["collector"]["state"].tolist()
        return dealt


def nothing(launch):
    with join_world("cpu", launch=launch) as world:
        return deal_out(world, None)


def test_every_rank_gets_its_own_back(ranks, tmp_path):
    path = tmp_path / "a.pt"
    assert ranks(3, write, path) == [2, 0, 0]
    for rank, dealt in enumerate(ranks(3, read, path)):
        assert dealt["env_state"] == {"rank": rank}
        assert dealt["collector"] == [rank]
        assert dealt["metrics"]["episodes"] == 5 + rank
        assert dealt["rng"] == {"act": [1, 2], "learn": [rank], "global": {"rank": rank}}
        assert (dealt[RANKS], dealt["num_envs"]) == (3, 3)


def test_two_ranks_share_what_three_had(ranks, tmp_path):
    path = tmp_path / "a.pt"
    ranks(3, write, path)
    first, second = ranks(2, read, path)
    # Episodes of rank 0, 1, 2 in a row, dealt out in turn; 5 + 6 + 7 have ended.
    assert first["metrics"]["values"]["success"] == [0, 2, 10, 12, 20, 22]
    assert second["metrics"]["values"]["success"] == [1, 3, 11, 13, 21, 23]
    assert (first["metrics"]["episodes"], second["metrics"]["episodes"]) == (18, 0)
    for dealt in (first, second):
        assert (dealt["env_state"], dealt["collector"], dealt[RANKS]) == (None, None, 3)
        assert dealt["rng"]["act"] == [1, 2]
    assert first["rng"]["global"] == {"rank": 0}
    assert second["rng"]["global"] is None


def test_one_process_reads_what_ranks_wrote_and_they_read_its(ranks, tmp_path):
    path = tmp_path / "a.pt"
    ranks(2, write, path)
    alone = deal_out(World(), load_checkpoint(path))
    assert alone[RANKS] == 2
    assert alone["metrics"]["values"]["success"] == [0, 1, 2, 3, 10, 11, 12, 13]
    assert write(Launch(), path) == 0
    assert RANKS not in load_checkpoint(path)
    dealt = ranks(2, read, path)
    assert [d[RANKS] for d in dealt] == [1, 1]
    assert dealt[1]["metrics"]["values"]["success"] == [1, 3]


def test_nothing_to_go_on_from(ranks):
    assert ranks(2, nothing) == [None, None]
