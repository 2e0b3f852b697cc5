"""`kbtui why` and `--include` on the demo: what is said is so when it is asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kbtui import cli

QUESTION = "how does retry backoff work"
GUIDE = "guides/failed-loads.md"
UNPENALISED = ("--set", "penalty.pull=0", "--set", "penalty.ticket=0")


class Kbtui:
    """The command line on one store, in this process."""

    def __init__(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._store, self._capsys = store, capsys

    def run(self, *args: str) -> tuple[int, str, str]:
        """Return exit code, standard output and standard error."""
        code = cli.main([*args, "--store", str(self._store)])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def json(self, *args: str, code: int = 0) -> dict[str, Any]:
        """Return the JSON of a command that leaves with this code."""
        left, out, err = self.run(*args, "--json")
        assert (left, err) == (code, "")
        value: dict[str, Any] = json.loads(out)
        return value


@pytest.fixture
def kbtui(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> Kbtui:
    return Kbtui(demo_store, capsys)


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["id"] for row in answer["results"]]


def test_the_readmes_missing_guide_comes_back_by_the_change_it_names(kbtui: Kbtui) -> None:
    """Outranked once penalties are off; each change, typed as a flag, puts it where it says, for what it says."""
    why = kbtui.json("why", GUIDE, "--query", QUESTION, *UNPENALISED)
    before = kbtui.json("query", QUESTION, *UNPENALISED)
    assert (why["stage"], why["row"]["fate"]) == ("rank", "outranked")
    assert GUIDE not in ids(before)
    assert why["changes"]
    assert why["gap"]["id"] in ids(before)
    for change in why["changes"]:
        flag = f"{change['setting']}={change['after']}"
        after = kbtui.json("query", QUESTION, *UNPENALISED, "--set", flag)
        assert {row["id"]: row["rank"] for row in after["results"]}[GUIDE] == change["rank"]
        assert set(ids(before)) - set(ids(after)) == set(change["out"])


def test_the_question_may_follow_the_id(kbtui: Kbtui) -> None:
    """Two forms, the same bytes; neither or both is a usage error."""
    named = kbtui.run("why", GUIDE, "--query", QUESTION)
    assert named == kbtui.run("why", GUIDE, *QUESTION.split())
    assert "It is in the answer: rank 1" in named[1]
    for args in ((GUIDE,), (GUIDE, "words", "--query", QUESTION)):
        code, out, err = kbtui.run("why", *args)
        assert (code, out) == (2, "")
        assert "one question" in err


def test_an_alias_names_the_document_and_the_filter_is_named(kbtui: Kbtui) -> None:
    """A superseded decision is kept out, with the flag that lets it in; with that flag it is not."""
    why = kbtui.json("why", "adr-0003", "--query", QUESTION)
    assert (why["id"], why["stage"]) == ("decisions/adr-0003-fixed-ack-timeout.md", "filter")
    assert "--inactive" in why["remedy"]
    assert kbtui.json("why", "adr-0003", "--query", QUESTION, "--inactive")["stage"] != "filter"


def test_a_name_of_nothing_is_exit_code_1(kbtui: Kbtui) -> None:
    """It is an answer, not an error: the document is in no index."""
    why = kbtui.json("why", "guides/none.md", "--query", QUESTION, code=1)
    assert why["stage"] == "index"
    assert "changes" not in why


def test_a_skipped_file_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is there, it was left out, and the reason is that of `kbtui status`."""
    corpus = tmp_path / "kb"
    corpus.mkdir()
    (corpus / "a.md").write_text("# State\nthe state provider\n")
    (corpus / "b.md").write_bytes(b"\x00\x01\x02 binary")
    assert cli.main(["index", str(corpus), "--store", str(tmp_path / "store"), "--lexical", "--quiet"]) == 0
    capsys.readouterr()
    small = Kbtui(tmp_path / "store", capsys)
    why = small.json("why", "b.md", "--query", "state provider")
    assert why["stage"] == "index"
    assert why["reason"].startswith("skipped: ")


def test_an_included_document_is_in_the_answer_and_in_the_context(kbtui: Kbtui) -> None:
    """By an alias, in the last place, marked as a what-if in JSON, text and beside the context."""
    plain = kbtui.json("query", QUESTION)
    answer = kbtui.json("query", QUESTION, "--include", "adr-0012", "--context")
    last = answer["results"][-1]
    assert answer["query"]["include"] == [last["id"]]
    assert (last["id"], last["origin"]) == ("decisions/adr-0012-scoped-keys.md", "included")
    assert ids(answer)[:-1] == ids(plain)[:-1]
    assert last["id"] in answer["context"]
    assert [notice["code"] for notice in answer["notices"]] == ["what_if"]
    code, out, _ = kbtui.run("query", QUESTION, "--include", "adr-0012")
    assert code == 0
    assert "included by hand: a what-if" in out
    code, context, aside = kbtui.run("context", QUESTION, "--include", "adr-0012")
    assert (code, context) == (0, answer["context"])
    assert "what-if" in aside


def test_included_in_a_line_of_queries(kbtui: Kbtui, tmp_path: Path) -> None:
    """The same answer as with the flag; a name of nothing and an excluded document are errors in their place."""
    file = tmp_path / "lines.jsonl"
    lines = [{"text": QUESTION, "include": names} for names in (["adr-0012"], ["nowhere"], ["adr-0003"])]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    code, out, _ = kbtui.run("query", "--queries", str(file))
    answer, unknown, excluded = (json.loads(line) for line in out.splitlines())
    assert code == 2
    assert answer == kbtui.json("query", QUESTION, "--include", "adr-0012")
    assert "no document 'nowhere'" in unknown["error"]["message"]
    assert "cannot be included: superseded" in excluded["error"]["message"]
