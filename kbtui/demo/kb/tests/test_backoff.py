"""How long failed loads rest: bounds, spreading, and what restarts and carriers cannot change."""

import random
from collections import Counter

import pytest

from hopbarrow.backoff import AttemptRule, after_failure, bounds, delay_after, rest_after
from hopbarrow.waybill import Load, LoadState

RULE = AttemptRule()


@pytest.mark.parametrize(
    ("attempt", "seconds"),
    [(1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 64), (7, 128), (8, 256), (9, 512), (10, 900), (11, 900), (5000, 900)],
)
def test_the_delay_doubles_up_to_the_ceiling(attempt, seconds):
    assert delay_after(RULE, attempt) == seconds


def test_attempts_are_counted_from_one():
    with pytest.raises(ValueError, match="counted from 1"):
        delay_after(RULE, 0)


def test_a_wait_lies_between_half_the_delay_and_the_delay():
    rng = random.Random(7)
    for attempt in range(1, 12):
        for _ in range(500):
            rest = rest_after(RULE, attempt, rng)
            assert max(1.0, rest.delay / 2) <= rest.seconds <= rest.delay


def test_no_wait_is_shorter_than_the_floor():
    """Issue #127: with full jitter alone one load in ten thousand burned four attempts in a second."""
    rule = AttemptRule(jitter=1.0, floor=1.0)
    rng = random.Random(11)
    assert min(rest_after(rule, 1, rng).seconds for _ in range(10_000)) >= 1.0


def test_the_published_bounds_are_the_ones_that_hold():
    shortest, longest = bounds(RULE)
    assert longest == 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 512 + 900 + 900
    assert shortest == longest / 2


def test_loads_that_failed_together_do_not_come_back_together():
    """Issue #118: forty thousand loads in step. No second may see more than a tenth of them."""
    rng = random.Random(3)
    due = Counter(int(rest_after(RULE, 6, rng).seconds) for _ in range(40_000))
    assert max(due.values()) < 40_000 / 10


def test_retry_after_lengthens_and_never_shortens():
    rng = random.Random(5)
    assert rest_after(RULE, 1, rng, retry_after=120).seconds == 120
    assert rest_after(RULE, 9, rng, retry_after=1).seconds >= 256


def test_the_last_attempt_goes_to_the_siding():
    load = Load("ld_1", "mail", b"", state=LoadState.LEASED, attempt=12)
    assert after_failure(RULE, load, 100.0, random.Random(1)).state is LoadState.SIDED


def test_no_limit_never_goes_to_the_siding():
    load = Load("ld_1", "mail", b"", state=LoadState.LEASED, attempt=4000)
    moved = after_failure(AttemptRule(max=0), load, 100.0, random.Random(1))
    assert moved.state is LoadState.RESTING
    assert 100 + 450 <= moved.due <= 100 + 900
