"""Values to text for people and JSON for programs: pure, and the same bytes for the same value everywhere."""

from kbtui.render.as_json import answer_json, answer_value, context_json
from kbtui.render.as_text import answer_text, notices_text
from kbtui.render.comparison import (
    comparison_json,
    comparison_line,
    comparison_text,
    comparison_value,
    comparisons_json,
    difference_line,
    settings_between,
    settings_text,
    totals_text,
)
from kbtui.render.configuration import (
    config_json,
    config_text,
    edit_json,
    edit_text,
    places_json,
    places_text,
    problems_aside,
    problems_json,
    problems_text,
    schema_json,
)
from kbtui.render.json_parts import line_json
from kbtui.render.layout import one_line
from kbtui.render.library_json import build_json, extract_json, neighbours_json, status_json
from kbtui.render.library_text import build_text, neighbours_text, status_text
from kbtui.render.log import (
    log_json,
    log_text,
    record_line_json,
    record_text,
    replay_json,
    replay_text,
    replays_json,
    replays_text,
)
from kbtui.render.search import lines_json, lines_text

__all__ = [
    "answer_json",
    "answer_text",
    "answer_value",
    "build_json",
    "build_text",
    "comparison_json",
    "comparison_line",
    "comparison_text",
    "comparison_value",
    "comparisons_json",
    "config_json",
    "config_text",
    "context_json",
    "difference_line",
    "edit_json",
    "edit_text",
    "extract_json",
    "line_json",
    "lines_json",
    "lines_text",
    "log_json",
    "log_text",
    "neighbours_json",
    "neighbours_text",
    "notices_text",
    "one_line",
    "places_json",
    "places_text",
    "problems_aside",
    "problems_json",
    "problems_text",
    "record_line_json",
    "record_text",
    "replay_json",
    "replay_text",
    "replays_json",
    "replays_text",
    "schema_json",
    "settings_between",
    "settings_text",
    "status_json",
    "status_text",
    "totals_text",
]
