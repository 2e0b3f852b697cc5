"""Leases: granted, renewed, ended, expired, restored."""

import pytest

from hopbarrow.leases import LeaseGone, LeaseId, LeaseTable


def test_a_lease_that_is_not_renewed_expires_once():
    table = LeaseTable(epoch=1)
    table.grant("ld_1", "mail-1", now=0)
    assert [lease.load_id for lease in table.expired(60)] == ["ld_1"]
    assert list(table.expired(61)) == []


def test_a_renewed_lease_does_not_expire_at_its_old_time():
    table = LeaseTable(epoch=1)
    lease = table.grant("ld_1", "mail-1", now=0)
    table.renew(lease.id, now=59)
    assert list(table.expired(60)) == []
    assert len(list(table.expired(119))) == 1


def test_a_report_under_an_expired_lease_is_refused_even_before_the_sweep():
    table = LeaseTable(epoch=1)
    lease = table.grant("ld_1", "mail-1", now=0)
    with pytest.raises(LeaseGone):
        table.end(lease.id, now=60)


def test_renewals_end_at_the_total_limit():
    table = LeaseTable(epoch=1, duration=60, max_total=100)
    lease = table.grant("ld_1", "mail-1", now=0)
    assert table.renew(lease.id, now=50).expires == 100
    with pytest.raises(LeaseGone, match="expired"):
        table.renew(lease.id, now=100)


def test_a_lease_from_before_a_promotion_may_finish_and_not_be_renewed():
    old = LeaseTable(epoch=1).grant("ld_1", "mail-1", now=0)
    table = LeaseTable(epoch=2)
    table.restore([old], now=500)
    with pytest.raises(LeaseGone, match="promotion"):
        table.renew(old.id, now=510)
    assert table.end(old.id, now=520).load_id == "ld_1"


def test_restored_leases_get_their_full_duration():
    table = LeaseTable(epoch=1)
    lease = table.grant("ld_1", "mail-1", now=0)
    again = LeaseTable(epoch=1)
    again.restore([lease], now=1000)
    assert list(again.expired(1059)) == []
    assert again.grant("ld_2", "mail-1", now=1001).id > lease.id


def test_ids_grow_with_epoch_first():
    assert LeaseId(2, 1) > LeaseId(1, 999)
    assert LeaseId.parse(str(LeaseId(3, 42))) == LeaseId(3, 42)
    with pytest.raises(ValueError, match="before 1.1"):
        LeaseId.parse("42")
