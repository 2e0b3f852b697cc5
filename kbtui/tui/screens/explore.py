"""The Explore screen: lays out the panes, and turns keys and messages into changes of the session."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Footer

from kbtui.errors import KbtuiError
from kbtui.model import Row
from kbtui.tui import messages
from kbtui.tui.errands import Errands, Place
from kbtui.tui.ink import Line
from kbtui.tui.screens.desk import Desk
from kbtui.tui.session import Session
from kbtui.tui.widgets.banner import Banner
from kbtui.tui.widgets.budget_meter import BudgetMeter
from kbtui.tui.widgets.budget_view import BudgetView
from kbtui.tui.widgets.context_view import ContextView
from kbtui.tui.widgets.explain import ExplainView
from kbtui.tui.widgets.graph_map import GraphPane
from kbtui.tui.widgets.graph_view import GraphView
from kbtui.tui.widgets.lines import CursorView, Plate
from kbtui.tui.widgets.pane_tabs import PANES, RESULTS, PaneTabs
from kbtui.tui.widgets.pools_view import PoolsView
from kbtui.tui.widgets.query_bar import QueryBar
from kbtui.tui.widgets.read_view import ReadView
from kbtui.tui.widgets.result_list import ResultList
from kbtui.tui.widgets.status_line import StatusLine
from kbtui.tui.widgets.tune_drawer import KnobList, TuneDrawer

DEBOUNCE_S = 0.12
"""How long typing must rest before the question is asked."""
WIDTHS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide"), (165, "-roomy")]
HEIGHTS = [(0, "-flat"), (15, "-tall")]
"""The class that the screen has from this many columns, or rows, on; the style sheet gives each its layout."""
_PANE_NAMES = tuple(pane.name for pane in PANES)


class TooSmall(Plate):
    """What a terminal shows that is too small for the panes."""

    DEFAULT_CSS = "TooSmall { width: 1fr; height: 1fr; }"

    def lines(self, width: int) -> list[Line]:
        """Return a plain line, and what would do."""
        del width
        size = self.app.size
        return [((f"kbtui needs 60x15, this is {size.width}x{size.height}", ""),), (("q quits", "dim"),)]


class ColumnNames(Plate):
    """The names of the list's columns, above it."""

    DEFAULT_CSS = "ColumnNames { height: 1; }"

    def __init__(self, results: ResultList) -> None:
        super().__init__()
        self._results = results

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        del width
        return [self._results.heading()]


class ExploreScreen(Desk):
    """Ask, see what an agent would get and why, and turn the knobs."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "ask", "Query", id="explore.query", tooltip="Change the question"),
        Binding("t", "tune", "Tune", id="explore.tune", tooltip="Turn the numbers, and see the list follow"),
        *(
            Binding(
                pane.letter,
                f"pane('{pane.name}')",
                pane.name.capitalize(),
                show=False,
                id=f"explore.{pane.name}",
                tooltip=f"{pane.summary}; again to go into it",
            )
            for pane in PANES
        ),
        Binding(
            "right_square_bracket",
            "turn_pane(1)",
            "Pane",
            key_display="]",
            id="explore.next_pane",
            tooltip="The next pane",
        ),
        Binding(
            "left_square_bracket",
            "turn_pane(-1)",
            "Last pane",
            show=False,
            id="explore.last_pane",
            tooltip="The pane before",
        ),
        Binding("u", "undo", "Undo", id="explore.undo", tooltip="Take the last change of a number back"),
        Binding("U", "redo", "Redo", show=False, id="explore.redo", tooltip="Make an undone change again"),
        Binding("escape", "back", "Back", show=False, id="explore.back", tooltip="One step back; never out of the app"),
    ]

    def __init__(self, session: Session, place: Place, problems: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.session = session
        self.errands = Errands(self, place)
        self._problems = problems
        self._debounce: Timer | None = None
        self._indexing = False
        self._unopened: KbtuiError | None = None
        self._unbuilt: KbtuiError | None = None
        self._trouble: KbtuiError | None = None
        self._remarks: tuple[str, ...] = ()
        self._source_types: tuple[str, ...] = ()
        self._read_id = ""
        self.query_bar = QueryBar(session.text)
        self.results = ResultList("results")
        self.columns = ColumnNames(self.results)
        self.banner = Banner()
        self.explain = ExplainView(self.errands.fetch)
        self.context = ContextView(self.errands.fetch)
        self.graph = GraphView()
        self.reader = ReadView("read")
        self.pools = PoolsView(self.errands.fetch)
        self.budget = BudgetView(self.errands.fetch)
        self.drawer = TuneDrawer(session.settings)
        self.meter = BudgetMeter()
        self.status = StatusLine()
        self.tabs = PaneTabs(_PANE_NAMES, "tabs")
        self.narrow_tabs = PaneTabs((RESULTS, *_PANE_NAMES), "narrow-tabs")
        self.switcher = ContentSwitcher(
            self.explain,
            self.context,
            GraphPane(self.graph, self.errands.fetch),
            self.reader,
            self.pools,
            self.budget,
            initial="explain",
            id="panes",
        )

    def compose(self) -> ComposeResult:
        """Lay the house out; the style sheet says which rooms a terminal's width shows."""
        yield TooSmall(id="too-small")
        with Vertical(id="house"):
            yield self.query_bar
            yield self.narrow_tabs
            with Container(id="body"):
                left = Vertical(self.banner, self.columns, self.results, id="left")
                left.border_title = "results"
                yield left
                yield Vertical(self.tabs, self.switcher, id="right")
                yield self.drawer
            yield self.meter
            yield self.status
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the numbers in force, and be ready for a question."""
        self.query_bar.show(self.session.settings)
        self.banner.show(None, None, self._problems)
        self.narrow_tabs.open = RESULTS
        self.query_bar.query_field.focus()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Open the library and refresh its index, now that there is something to look at."""
        self._indexing = self.errands.index()
        self.errands.open()

    # --- asking ---------------------------------------------------------------------------------

    def on_query_bar_asked(self, event: QueryBar.Asked) -> None:
        """Take the question in; ask once typing rests, or at once when it was confirmed."""
        self.session.text, self.session.source_types = event.question, event.source_types
        if self._debounce is not None:
            self._debounce.stop()
        if event.now:
            self._ask()
            self.action_to_list()
        else:
            self._debounce = self.set_timer(DEBOUNCE_S, self._ask)

    def _ask(self) -> None:
        if not self.errands.is_open:
            return
        ask = self.session.ask()
        if ask is not None:
            self.errands.ask(ask)
        elif not self.session.text.strip():
            self.session.error = None
            self._show_banner()
        self.status.show(waiting=self.session.waiting)

    def on_answered(self, event: messages.Answered) -> None:
        """Show an outcome that is still wanted, and let the request leave that waited for it."""
        before = self.session.answer
        if self.session.settle(event.number, event.outcome):
            self.status.show(elapsed_ms=event.elapsed_ms)
            self._show_banner()
            answer = self.session.answer
            if answer is not None and answer is not before:
                same = before is not None and before.query == answer.query
                self._show_rows(keep=same)
        ask = self.session.follow()
        if ask is not None:
            self.errands.ask(ask)
        self.status.show(waiting=self.session.waiting)

    def _show_rows(self, *, keep: bool) -> None:
        answer = self.session.answer
        if answer is None:
            return
        self.results.show(answer, keep=keep)
        self.columns.refresh()
        self.meter.show(answer)
        self._show_pane()

    def _show_banner(self) -> None:
        problems = (*self._problems, *self._remarks)
        self.banner.show(self._trouble or self.session.error, self.session.answer, problems)

    def warn(self, problems: tuple[str, ...]) -> None:
        """Say what of the configuration, the keys and the themes cannot be followed now."""
        self._problems = problems
        self._show_banner()

    # --- library and index ----------------------------------------------------------------------

    def on_library_opened(self, event: messages.LibraryOpened) -> None:
        """Ask anew what was asked before, now of this generation."""
        self._source_types = tuple(sorted({kind.source_type for kind in event.status.types}))
        self.status.show(status=event.status)
        self.drawer.show(self.session.settings, self._source_types)
        self._unopened = None
        self._tell_troubles()
        self._ask()

    def on_library_closed(self, event: messages.LibraryClosed) -> None:
        """Say in place why there is nothing to ask, unless an index is on its way."""
        self._unopened = event.error
        self._tell_troubles()

    def on_library_healed(self, event: messages.LibraryHealed) -> None:
        """Take back what was said of a store that could not be reached."""
        del event
        self._unopened = None
        self._tell_troubles()

    def on_indexing(self, event: messages.Indexing) -> None:
        """Show how far the index is."""
        self.status.show(progress=event.progress)

    def on_indexed(self, event: messages.Indexed) -> None:
        """Take the progress away; say what went wrong."""
        self._indexing = False
        self._unbuilt = event.outcome if isinstance(event.outcome, KbtuiError) else None
        self.status.show(progress=None)
        self._tell_troubles()

    def _tell_troubles(self) -> None:
        """Show what keeps the library shut or old, the build's own reason first; an open one goes on answering."""
        old = self._unbuilt or self._unopened
        self._remarks = (f"not refreshed: {old.message}. {old.hint}",) if old and self.errands.is_open else ()
        if self.errands.is_open:
            trouble, remark = None, "not refreshed" if old is not None else ""
        elif self._indexing:
            trouble, remark = None, ""
        else:
            trouble = self._unbuilt or self._unopened
            remark = "no knowledge base is open" if trouble is not None else ""
        self._trouble = trouble
        self.status.show(remark=remark)
        self._show_banner()

    # --- panes ----------------------------------------------------------------------------------

    @property
    def pane(self) -> str:
        """The open pane."""
        return self.tabs.open

    @property
    def row(self) -> Row | None:
        """The row under the list's cursor."""
        return self.results.current

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        """Let the open pane follow the list's cursor."""
        event.stop()
        self._show_pane()

    def _show_pane(self) -> None:
        """Bring the open pane up to date; the others wait until they are opened."""
        answer, row = self.session.answer, self.row
        if answer is None:
            return
        if self.pane == "explain":
            self.explain.show(answer, row, self.session.settings)
        elif self.pane == "context":
            self.context.show(answer)
        elif self.pane == "pools":
            self.pools.show(answer, self.session.settings)
        elif self.pane == "budget":
            self.budget.show(answer, self.session.settings)
        elif row is not None and self.pane == "graph":
            self.graph.show(answer, row.document.doc_id)
        elif row is not None and self.pane == "read":
            self._read(row.document.doc_id)

    def _read(self, doc_id: str) -> None:
        """Read a document; what the agent gets of it is marked."""
        rows = self.session.answer.rows if self.session.answer is not None else ()
        spans = next((row.allocation.spans for row in rows if row.document.doc_id == doc_id), ())
        self._read_id = doc_id
        self.errands.read(doc_id, spans)

    def on_document_read(self, event: messages.DocumentRead) -> None:
        """Show a document, unless another was wanted since."""
        if event.doc_id != self._read_id:
            return
        if isinstance(event.outcome, KbtuiError):
            self.reader.tell(event.outcome.message)
        else:
            self.reader.show(event.outcome)

    def on_graph_view_wanted(self, event: GraphView.Wanted) -> None:
        """Fetch neighbours."""
        self.errands.neighbours(event.doc_id)

    def on_neighbours_found(self, event: messages.NeighboursFound) -> None:
        """Hand neighbours to the graph."""
        if isinstance(event.outcome, KbtuiError):
            self.graph.fail(event.doc_id, event.outcome.message)
        else:
            self.graph.fill(event.outcome)

    def on_graph_view_opened(self, event: GraphView.Opened) -> None:
        """Read a neighbour; when it is in the list the cursor goes there too."""
        self._open_pane("read")
        if not self.results.choose(event.doc_id) or self._read_id != event.doc_id:
            self._read(event.doc_id)
        self.reader.focus()

    def on_result_list_chosen(self) -> None:
        """Read the row's document."""
        self._open_pane("read")
        self._show_pane()
        self.reader.focus()

    def on_pane_tabs_picked(self, event: PaneTabs.Picked) -> None:
        """Open the clicked pane."""
        self.action_pane(event.name)

    def _open_pane(self, name: str) -> None:
        """Open a pane without moving the keyboard; a narrow terminal then shows nothing else."""
        if name == RESULTS:
            self.remove_class("-detail")
        else:
            self.tabs.open = name
            self.switcher.current = name
            self.add_class("-detail")
            if not self.has_class("-roomy"):
                self.remove_class("-tuning")
        self.narrow_tabs.open = name

    @property
    def _is_narrow(self) -> bool:
        return self.has_class("-narrow") or self.has_class("-tiny")

    def action_pane(self, name: str) -> None:
        """Open a pane; the same letter again moves the keyboard into it."""
        again = name == self.pane and self.switcher.display and not self.has_class("-tuning")
        self.zoom_to("left" if name == RESULTS else "right")
        self._open_pane(name)
        self._show_pane()
        if name == RESULTS:
            self.results.focus()
        elif self._is_narrow or again or self.has_class("-zoom"):
            self.switcher.get_child_by_id(name).focus()
        elif not self.query_bar.has_focus_within:
            self.results.focus()

    def action_turn_pane(self, step: int) -> None:
        """Open the next or the last pane in the tab line."""
        names = (RESULTS, *_PANE_NAMES) if self._is_narrow else _PANE_NAMES
        at = names.index(self.narrow_tabs.open if self._is_narrow else self.pane)
        self.action_pane(names[(at + step) % len(names)])

    # --- keys -----------------------------------------------------------------------------------

    def action_ask(self) -> None:
        """Move the keyboard to the question."""
        self.query_bar.query_field.focus()

    def action_to_list(self) -> None:
        """Move the keyboard to the list."""
        self._open_pane(RESULTS)
        self.results.focus()

    def action_back(self) -> None:
        """Go back one step: out of zoom, drawer, pane or question; never out of the app."""
        if self.unzoom():
            return
        if self.has_class("-tuning") and not self.query_bar.has_focus_within:
            self.remove_class("-tuning")
        self.action_to_list()

    def action_tune(self) -> None:
        """Open the drawer, or close it."""
        if self.has_class("-tuning") and self.drawer.knobs.has_focus:
            self.action_back()
            return
        self.add_class("-tuning")
        if self._is_narrow:
            self._open_pane(RESULTS)
        self.drawer.knobs.focus()

    def on_knob_list_turned(self, event: KnobList.Turned) -> None:
        """Take a knob's value in and ask again; the engine runs only what the knob reaches."""
        if self.session.turn(event.key, event.value):
            self._resettle()

    def _resettle(self) -> None:
        self.drawer.show(self.session.settings, self._source_types)
        self.query_bar.show(self.session.settings)
        self._ask()

    def action_undo(self) -> None:
        """Take the last change of a knob back."""
        if self.session.undo():
            self._resettle()
        else:
            self.notify("Nothing to undo.", markup=False)

    def action_redo(self) -> None:
        """Make an undone change again."""
        if self.session.redo():
            self._resettle()
        else:
            self.notify("Nothing to redo.", markup=False)
