"""The CLI on the demo knowledge base, in processes of its own: what people and scripts rely on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

QUERY = "how does retry backoff work"


def run(*args: str, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end."""
    return subprocess.run(
        [sys.executable, "-m", "kbtui", *args],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environ},
    )


def out(*args: str, cwd: Path | None = None, **environ: str) -> str:
    """Run the CLI and return its standard output; it must end well and say nothing else."""
    done = run(*args, cwd=cwd, **environ)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def data(*args: str) -> dict[str, Any]:
    """Return the JSON of a command."""
    value: dict[str, Any] = json.loads(out(*args, "--json"))
    return value


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two documents that link to each other, indexed by words; tests only read it."""
    corpus = tmp_path_factory.mktemp("small")
    (corpus / "guides").mkdir()
    (corpus / "guides" / "retries.md").write_text(
        f"# Retries\n\n{'How retries work. ' * 20}\n\n"
        f"## Backoff\n\n{'The backoff doubles. ' * 20}See [claims](claims.md).\n"
    )
    (corpus / "guides" / "claims.md").write_text("# Claims\n\nA claim is a lease on a job.\n")
    assert run("index", str(corpus), "--lexical").returncode == 0
    return corpus


def test_a_query_for_people_fits_eighty_columns(demo_store: Path) -> None:
    """Tier, score, cost and fate of every hit, and what was cut, in words."""
    text = out("query", QUERY, "--store", str(demo_store))
    assert re.search(r"^ *1  \w+ +\w+ +-?\d\.\d{3} ", text, re.MULTILINE)
    assert "cut by limit 5" in text
    for line in text.splitlines():
        assert len(line) <= 80 or line.startswith("    "), line


def test_the_same_question_twice_is_the_same_bytes(demo_store: Path) -> None:
    """On every face and in any locale: no colour, no width, no time is in it."""
    for shown in ((), ("--json", "--context", "--candidates")):
        args = ("query", QUERY, *shown, "--store", str(demo_store))
        assert out(*args) == out(*args, LC_ALL="C", TERM="dumb", COLUMNS="200", NO_COLOR="1")


def test_explain_adds_up_to_the_score(demo_store: Path) -> None:
    """The text shows every term with its sign."""
    text = out("query", QUERY, "--explain", "--store", str(demo_store))
    assert re.search(r"^    [+-]\d\.\d{4}  score +their sum$", text, re.MULTILINE)


def test_the_context_is_printed_and_nothing_else(demo_store: Path) -> None:
    """`context` is the context of the JSON, byte for byte."""
    answer = data("query", QUERY, "--context", "--store", str(demo_store))
    assert out("context", QUERY, "--store", str(demo_store)) == answer["context"]
    assert data("context", QUERY, "--store", str(demo_store))["context"] == answer["context"]


def test_settings_come_from_file_variable_and_flag_alike(demo_store: Path, tmp_path: Path) -> None:
    """One number, four ways to give it, the same bytes."""
    (tmp_path / "kbtui.toml").write_text("limit = 2\n")
    store = ("--store", str(demo_store))
    by_file = out("query", QUERY, *store, "--json", cwd=tmp_path)
    by_config = out("query", QUERY, *store, "--json", "--config", str(tmp_path / "kbtui.toml"))
    by_variable = out("query", QUERY, *store, "--json", KBTUI_LIMIT="2")
    by_flag = out("query", QUERY, *store, "--json", "--limit", "2")
    assert by_file == by_config == by_variable == by_flag
    assert json.loads(by_flag)["count"] == 2


def test_none_lifts_a_bound(demo_store: Path) -> None:
    """Without any bound nothing is cut but by the limit."""
    bounds = ("--max-bytes", "none", "--max-tokens", "none", "--per-document", "none")
    answer = data("query", QUERY, *bounds, "--set", "budget.document_tokens=none", "--store", str(demo_store))
    assert set(answer["budget"].values()) == {None}
    assert {row["fate"] for row in answer["results"]} == {"whole"}
    assert "_truncated_by_budget" not in answer


def test_no_hits_exits_1_and_says_so(small: Path) -> None:
    """An answered question without a hit is no error, and no success either."""
    args = ("query", "zzyzx", "--path", "nowhere/*", "--store", str(small / ".kbtui"))
    done = run(*args)
    assert done.returncode == 1
    assert done.stdout.startswith("No document answers: zzyzx")
    assert json.loads(run(*args, "--json").stdout)["results"] == []


def test_an_unknown_type_lists_the_known_ones(small: Path) -> None:
    """With counts, exit code 2."""
    done = run("query", "backoff", "--type", "tickte", "--store", str(small / ".kbtui"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "guide" in done.stderr


@pytest.mark.parametrize("face", ["query", "context"])
def test_a_blank_question_exits_2(small: Path, face: str) -> None:
    """A mistake is never an empty answer."""
    done = run(face, "  ", "--store", str(small / ".kbtui"))
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("args", [("query", "x"), ("status",), ("read", "x"), ("neighbours", "x")])
def test_a_missing_store_exits_3_with_the_command_that_makes_one(tmp_path: Path, args: tuple[str, ...]) -> None:
    """With --json too: standard output stays empty."""
    done = run(*args, "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert "kbtui index" in done.stderr


def test_a_store_is_found_from_inside_its_folder(small: Path) -> None:
    """No --store is needed at or below the corpus."""
    expected = out("query", "backoff", "--json", "--store", str(small / ".kbtui"))
    assert out("query", "backoff", "--json", cwd=small / "guides") == expected
    assert out("--store", str(small / ".kbtui"), "query", "backoff", "--json") == expected


def test_a_partial_answer_says_so_everywhere(small: Path) -> None:
    """By words alone: in the text, in the JSON, and beside the context on standard error."""
    store = ("--store", str(small / ".kbtui"))
    assert "warning: " in run("query", "backoff", *store).stdout
    assert data("query", "backoff", *store)["degraded"] is True
    done = run("context", "backoff", *store)
    assert "warning: " in done.stderr
    assert "warning: " not in done.stdout
    assert run("context", "backoff", *store, "--quiet").stderr == ""


def test_read_prints_a_document_a_section_or_a_span(small: Path) -> None:
    """The text itself, and with --json where it is from."""
    store, doc_id = ("--store", str(small / ".kbtui")), "guides/retries.md"
    whole = (small / doc_id).read_text()
    assert out("read", doc_id, *store) == whole
    section = out("read", doc_id, "--section", "backoff", *store)
    assert section.startswith("## Backoff")
    assert section in whole
    extract = data("read", doc_id, "--section", "Backoff", *store)
    assert whole.encode()[extract["span"]["start"] : extract["span"]["end"]].decode() == extract["text"] == section
    assert extract["lines"]["first"] == whole[: whole.index("## Backoff")].count("\n") + 1
    assert out("read", doc_id, "--span", "0:5", *store).startswith("# Retries")
    missing = run("read", "guides/none.md", *store)
    assert (missing.returncode, missing.stdout) == (2, "")


def test_neighbours_name_kind_and_direction(small: Path) -> None:
    """A link leads there and back."""
    store = ("--store", str(small / ".kbtui"))
    assert "-link-> guides/claims.md  Claims" in out("neighbours", "guides/retries.md", *store)
    (near,) = data("neighbours", "guides/claims.md", *store)["neighbours"]
    assert (near["id"], near["kind"], near["direction"]) == ("guides/retries.md", "link", "in")


def test_status_counts_what_is_there(small: Path) -> None:
    """Documents by type and tier, and how much is embedded."""
    status = data("status", "--store", str(small / ".kbtui"))
    assert status["documents"] == 2
    assert status["embedded"] == 0
    assert [(row["type"], row["tier"], row["documents"]) for row in status["types"]] == [("guide", "primary", 2)]
    assert "2" in out("status", "--store", str(small / ".kbtui"))


def test_indexing_again_goes_on_with_the_corpus_of_the_store(tmp_path: Path) -> None:
    """`index --store S` without a folder never takes the current one for the corpus."""
    corpus, elsewhere = tmp_path / "kb", tmp_path / "elsewhere"
    corpus.mkdir()
    elsewhere.mkdir()
    (corpus / "a.md").write_text("# A\n\nSome words.\n")
    (elsewhere / "b.md").write_text("# B\n\nOther words.\n")
    store = ("--store", str(tmp_path / "store"))
    assert run("index", str(corpus), "--lexical", *store).returncode == 0
    report = json.loads(run("index", "--lexical", "--json", *store, cwd=elsewhere).stdout)
    assert (report["documents"], report["added"], report["removed"]) == (1, 0, 0)


def test_index_reports_what_it_did(tmp_path: Path) -> None:
    """Counts and skipped files; nothing on standard error where nobody looks; --quiet says nothing."""
    (tmp_path / "a.md").write_text("# A\n\nSome words.\n")
    (tmp_path / "b.md").write_bytes(b"\x00\x01\x02binary")
    done = run("index", "--lexical", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 document (1 added, 0 changed, 0 removed)")
    assert "1 file skipped" in done.stdout
    assert run("index", "--lexical", "--quiet", cwd=tmp_path).stdout == ""


def test_a_closed_pipe_is_no_error(demo_store: Path) -> None:
    """`kbtui context … | head -1` ends quietly."""
    context = f'"{sys.executable}" -m kbtui context "{QUERY}" --store "{demo_store}"'
    command = context + ' | head -c 1; echo "${PIPESTATUS[0]}" >&2'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "0"


def test_the_demo_prints_a_store_that_commands_can_be_tried_on(tmp_path: Path, demo_store: Path) -> None:
    """`demo --index-only` prints the path of the store and nothing else."""
    store = tmp_path / "demo"
    shutil.copytree(demo_store, store)
    assert out("demo", "--index-only", "--store", str(store)) == f"{store}\n"
    assert data("status", "--store", str(store))["documents"] >= 60


def test_module_and_entry_point_are_the_same() -> None:
    """`python -m kbtui` needs no installed script."""
    from kbtui import __version__

    assert out("--version") == f"kbtui {__version__}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_result_that_cannot_be_written_is_no_defect(demo_store: Path) -> None:
    """A full disk behind standard output is one line and a code of its own, never a traceback."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kbtui", "status", "--store", str(demo_store)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 74
    assert done.stderr.startswith("error: the result cannot be written")
    assert "Traceback" not in done.stderr


def test_a_closed_standard_error_changes_no_exit_code(demo_store: Path) -> None:
    """What was wrong with the request is still told by the code."""
    command = f'exec "{sys.executable}" -m kbtui query foo --limit 0 --store "{demo_store}" 2>&-'
    assert subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True).returncode == 2


def test_bytes_that_are_no_text_are_a_question_like_any_other(demo_store: Path) -> None:
    """A question in another encoding is answered, and an id of such bytes is simply not known."""
    for args, code in ((("query", b"retry \xff backoff"), 0), (("read", b"\xff\xfe"), 2)):
        done = subprocess.run(
            [sys.executable, "-m", "kbtui", *args, "--store", str(demo_store)], capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr


def test_a_setting_of_a_type_that_is_not_there_is_said(demo_store: Path) -> None:
    """A slip of the pen in `penalty.pull` is a setting without effect; the answer says so."""
    done = run("query", QUERY, "--store", str(demo_store), "--set", "penalty.pul=-1")
    assert done.returncode == 0
    assert "penalty.pul changes nothing" in done.stdout + done.stderr
