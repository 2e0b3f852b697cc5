"""The ledger: what was synced comes back, whatever happens to its end."""

import pytest

from hopbarrow.ledger import Ledger, LedgerDamaged


def written(folder, count, **options):
    ledger = Ledger(folder, epoch=1, **options)
    for number in range(count):
        ledger.append("pushed", float(number), load=f"ld_{number}")
        ledger.sync()
    ledger.close()
    return sorted(folder.glob("*.seg"))


def recovered(folder):
    ledger = Ledger(folder, epoch=1)
    records = list(ledger.recover())
    ledger.close()
    return records


def test_everything_synced_comes_back_in_order(tmp_path):
    written(tmp_path, 20)
    assert [record.data["load"] for record in recovered(tmp_path)] == [f"ld_{n}" for n in range(20)]


def test_an_end_torn_at_any_byte_loses_only_the_torn_record(tmp_path):
    [segment] = written(tmp_path, 3)
    whole = segment.read_bytes()
    sizes = set()
    for cut in range(len(whole)):
        segment.write_bytes(whole[:cut])
        sizes.add(len(recovered(tmp_path)))
    assert sizes == {0, 1, 2}


def test_a_flipped_bit_in_a_closed_segment_stops_the_yard(tmp_path):
    first, *_ = written(tmp_path, 6, segment_bytes=100)
    data = bytearray(first.read_bytes())
    data[-5] ^= 0x40
    first.write_bytes(bytes(data))
    with pytest.raises(LedgerDamaged, match="restore it from the standby"):
        recovered(tmp_path)


def test_serials_go_on_after_recovery(tmp_path):
    written(tmp_path, 4)
    ledger = Ledger(tmp_path, epoch=1)
    list(ledger.recover())
    assert ledger.append("done", 9.0, load="ld_0") == 5
    ledger.close()


def test_nothing_is_on_disk_before_sync(tmp_path):
    ledger = Ledger(tmp_path, epoch=1)
    ledger.append("pushed", 0.0, load="ld_0")
    assert recovered(tmp_path) == []
