"""The Explore screen: lays out the panes, and says which is open; asking, opening and tuning have their own files."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widgets import ContentSwitcher

from kbtui.errors import KbtuiError
from kbtui.model import Row
from kbtui.tui import messages
from kbtui.tui.errands import Errands, Place
from kbtui.tui.history import History
from kbtui.tui.screens.including import Including
from kbtui.tui.screens.opening import Opening
from kbtui.tui.screens.wayfinding import Wayfinder
from kbtui.tui.session import Session
from kbtui.tui.tries import differ
from kbtui.tui.widgets.banner import Banner
from kbtui.tui.widgets.budget_meter import BudgetMeter
from kbtui.tui.widgets.budget_view import BudgetView
from kbtui.tui.widgets.context_view import ContextView
from kbtui.tui.widgets.explain import ExplainView
from kbtui.tui.widgets.graph_map import GraphPane
from kbtui.tui.widgets.graph_view import GraphView
from kbtui.tui.widgets.key_hints import KeyHints
from kbtui.tui.widgets.lines import CursorView
from kbtui.tui.widgets.pane_tabs import PANES, RESULTS, PaneTabs
from kbtui.tui.widgets.pools_view import PoolsView
from kbtui.tui.widgets.query_bar import QueryBar
from kbtui.tui.widgets.read_view import ReadView
from kbtui.tui.widgets.result_list import ListHead, ResultList
from kbtui.tui.widgets.sift_field import SiftField
from kbtui.tui.widgets.status_line import StatusLine
from kbtui.tui.widgets.too_small import HEIGHTS, WIDTHS, TooSmall
from kbtui.tui.widgets.tune_drawer import TuneDrawer

_PANE_NAMES = tuple(pane.name for pane in PANES)


class ExploreScreen(Including, Opening):
    """Ask, see what an agent would get and why, and turn the knobs."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "ask", "Query", id="explore.query", tooltip="Change the question"),
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
        Binding("escape", "back", "Back", show=False, id="explore.back", tooltip="One step back; never out of the app"),
    ]

    def __init__(self, session: Session, place: Place, problems: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.session = session
        self.errands = Errands(self, place)
        self.history = History.of(place.store, place.environ)
        self._problems = problems
        self._read_id = ""
        self.query_bar = QueryBar(session.text)
        self.results = ResultList("results")
        self.head = ListHead(self.results)
        self.row_filter = SiftField(self.results, "words of a title, path, type or tier", "row-filter")
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
                left = Vertical(self.banner, self.row_filter, self.head, self.results, id="left")
                left.border_title = "results"
                yield left
                yield Vertical(self.tabs, self.switcher, id="right")
                yield self.drawer
            yield self.meter
            yield self.status
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the numbers in force, and be ready for a question."""
        self.query_bar.show(self.session.settings)
        self.banner.show(None, None, self._problems)
        self.narrow_tabs.open = RESULTS
        self.query_bar.query_field.focus()
        self.call_after_refresh(self.begin)

    def show_answer(self, *, same_question: bool) -> None:
        """Show rows, costs and the open pane; under the same question the cursor stays on its document."""
        answer = self.session.answer
        if answer is None:
            return
        reference = self.session.reference
        difference = differ(reference.answer, answer) if reference is not None else None
        if difference is not None and difference.unchanged and reference is self.session.before:
            self.session.before = difference = None
        against = reference.name if reference is not None else ""
        self.results.show(answer, keep=same_question, difference=difference, against=against)
        if sought := self.seek():
            self.results.choose(sought)
        self.head.show()
        self.drawer.measure(answer)
        self.meter.show(answer)
        self.status.show(what_if=bool(answer.query.include))
        self._show_pane()

    # --- panes ----------------------------------------------------------------------------------

    @property
    def pane(self) -> str:
        """The open pane."""
        return self.tabs.open

    @property
    def row(self) -> Row | None:
        """The row under the list's cursor."""
        return self.results.current

    @property
    def marked(self) -> tuple[Row, ...]:
        """The rows that are marked in the list."""
        return self.results.marked

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
        self.open_document(event.doc_id)

    def on_result_list_viewed(self) -> None:
        """Say above the rows how they are looked at."""
        self.head.show()

    def on_result_list_filter_wanted(self) -> None:
        """Take words to filter by."""
        self.row_filter.open()

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

    def show_drawer(self) -> None:
        """Bring the drawer to light; on a narrow terminal, the list with it."""
        self.add_class("-tuning")
        if self._is_narrow:
            self._open_pane(RESULTS)

    # --- rooms ----------------------------------------------------------------------------------

    @property
    def subject(self) -> str:
        """The document under the cursor of the graph where the keyboard is there, else of the list."""
        if self.graph.has_focus:
            return self.graph.current
        return self.row.document.doc_id if self.row is not None else ""

    def visit(self, room: str, about: str = "") -> Wayfinder:
        """Go to a room; whatever lies over this screen is put away first."""
        from kbtui.tui.rooms import ROOMS  # when one is entered: the first frame does not wait for their modules

        while self.app.screen is not self:
            self.app.pop_screen()
        if room not in ROOMS:
            return self
        screen = ROOMS[room](self, about)
        self.app.push_screen(screen)
        return screen

    def on_library_opened(self, event: messages.LibraryOpened) -> None:
        """Let a room look again; the handlers of the classes below are called beside this one."""
        del event
        for screen in self.app.screen_stack:
            if isinstance(screen, Wayfinder) and screen is not self:
                screen.renew()

    def open_document(self, doc_id: str) -> None:
        """Read a document, whether it is in the list or not."""
        self._open_pane("read")
        if not self.results.choose(doc_id) or self._read_id != doc_id:
            self._read(doc_id)
        self.reader.focus()
