"""Where torch computes, and on how many threads."""

import pytest
import torch

from pate.errors import ConfigError
from pate.learning.device import one_thread, torch_device


@pytest.mark.parametrize(
    ("asked", "there", "used"),
    [("auto", True, "cuda"), ("auto", False, "cpu"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_a_graphics_card_is_used_where_there_is_one(asked, there, used, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert torch_device(asked) == used


def test_one_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="torch sees no CUDA device here"):
        torch_device("cuda")


def test_threads_are_given_back_whatever_happens():
    before = torch.get_num_threads()
    seen = []

    @one_thread()
    def fails():
        seen.append(torch.get_num_threads())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert seen == [1]
    assert torch.get_num_threads() == before
