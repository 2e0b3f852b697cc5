"""Lanes: weights divide, nothing starves, order keys hold back only their own."""

from collections import Counter

import pytest

from hopbarrow.lanes import Lane, LaneFull, UnknownLane, Yard
from hopbarrow.waybill import Load, LoadState, Waybill


def load(number, lane="mail", due=0.0, key=""):
    return Load(f"ld_{number}", lane, b"", Waybill(order_key=key), due=due)


def filled(name, weight, count):
    lane = Lane(name, weight=weight)
    for number in range(count):
        lane.add(load(number, name))
    return lane


def test_slots_are_divided_by_weight():
    yard = Yard([filled("urgent", 8, 500), filled("bulk", 1, 500)])
    got = Counter(item.lane for item in yard.share(["urgent", "bulk"], 90, now=1))
    assert got == {"urgent": 80, "bulk": 10}


def test_an_empty_lane_leaves_everything_to_the_other():
    yard = Yard([Lane("urgent", weight=8), filled("bulk", 1, 500)])
    assert len(yard.share(["urgent", "bulk"], 90, now=1)) == 90


def test_the_smallest_weight_is_served_within_the_sum_of_weights():
    """Issue #131: the lowest priority had not moved for nine days."""
    yard = Yard([filled("a", 50, 2000), filled("b", 1, 5)])
    served = [item.lane for _ in range(51) for item in yard.share(["a", "b"], 1, now=1)]
    assert "b" in served


def test_loads_of_one_order_key_are_handed_out_one_at_a_time():
    lane = Lane("sync", ordered=True)
    for number in range(3):
        lane.add(load(number, "sync", key="customer-7"))
    lane.add(load(9, "sync", key="customer-8"))
    first, other = lane.take(1), lane.take(1)
    assert {first.id, other.id} == {"ld_0", "ld_9"}
    assert lane.take(1) is None
    lane.leave(first)
    assert lane.take(1).id == "ld_1"


def test_a_resting_load_holds_back_its_key_and_no_other():
    lane = Lane("sync", ordered=True)
    lane.add(load(0, "sync", key="customer-7"))
    lane.add(load(1, "sync", key="customer-7"))
    head = lane.take(1)
    resting = head.moved(LoadState.LEASED).moved(LoadState.RESTING, due=50.0)
    lane.rest(resting)
    assert lane.take(10) is None
    assert lane.blocked_keys == 1
    assert lane.take(50).id == "ld_0"


def test_a_full_lane_refuses_and_keeps_what_it_has():
    lane = Lane("mail", depth_max=2)
    lane.add(load(1))
    lane.add(load(2))
    with pytest.raises(LaneFull):
        lane.add(load(3))
    assert lane.depth == 2


def test_hurry_spreads_resting_loads():
    lane = Lane("mail")
    for number in range(10):
        lane.add(load(number, due=5000.0))
    assert lane.hurry(now=100, over=50) == 10
    assert sum(lane.take(124) is not None for _ in range(10)) == 5


def test_a_typo_names_the_nearest_lane():
    with pytest.raises(UnknownLane, match="did you mean 'thumbnails'"):
        Yard([Lane("thumbnails")]).lane("thumbnail")
