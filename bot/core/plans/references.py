"""File references read off the blocks of a plan, each with the action that its surroundings give it.

What governs a path is, nearest first: a mark right after it, a tag or verb label on its line, the label of the list
item it is nested in, the label above its list, a table's action column, the sentence, the section's heading.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.core.plans import actions, asides, statements
from bot.core.plans.actions import Intent
from bot.core.plans.citations import Citation, Trail, cite, sentence_after, sentence_before
from bot.core.plans.markdown import Block, Inline, Kind
from bot.core.plans.model import Action, Certainty, Claim, FileRef, Hedge, Span, SymbolRef

_FILES = re.compile(
    r"(?i)^\W*(?:(?:key|affected|relevant|target|primary|changed|touched|expected|owned|impacted|"
    r"main|likely)\s+)?files?(?:\s+(?:affected|changed|touched|involved|list|map|inventory|"
    r"scope|in scope|impacted|owned))?\s*(?:\([^)]*\))?\s*[:—-]*\s*$"
)
_FILES_INLINE = re.compile(r"(?i)^\W{0,4}(?:key |affected |target )?files?\s*:[\s*_]*")
_PATH_COLUMN = re.compile(
    r"(?i)\b(?:files?|tests?|paths?|modules?|locations?|targets?|director(?:y|ies)|source|script|component|document)\b"
)
_ACTION_COLUMN = re.compile(
    r"(?i)^\W*(?:actions?|changes?|change type|type(?: of change)?|status|op(?:eration)?s?|"
    r"kind|mode|new\?|create/modify|new/modified|what|disposition|state|verb)\W*$"
)
_MOVE_ARROW = re.compile(r"^[`*_)]*\s*(?:→|->|=>|➜|⟶|to\b|into\b|as\b)\s*[`*_(]*$", re.I)
_ARROW = re.compile(r"^[`*_)]*\s*(?:→|->|➜|⟶)\s*[`*_(]*$")
_EXISTS_BEFORE = re.compile(
    r"(?i)\b(?:existing|append(?:ed|ing)? (?:\w+ ){0,3}to|current(?:ly)?(?: in)?)\s+(?:\w+\s+){0,2}[`(*]*$"
)
_TEST_PATH = re.compile(
    r"(?i)(?:^|/)(?:tests?|__tests__|spec|specs|e2e)/|(?:^|/)test_[^/]+$|[._-](?:test|spec|"
    r"tests)\.\w+$|_test\.\w+$|Tests?\.\w+$"
)

_ENTRY = re.compile(
    r"(?i)^[`*_]*\s+(?:entry|entries|section|field|reference|link|step|row|note|mention|import|"
    r"export|key|paragraph|bullet|block|item|rule|pattern)\b"
)

_EITHER = re.compile(r"(?i)\b(?:create|add|write)\s*(?:/|or|and/or)\s*[a-z]+\s*[`*(]*$")
_NEW_CELL = re.compile(r"(?i)^\W{0,4}new(?:\s+(?:file|module|script|test|component))?\b\W{0,4}\s*[:(—–.]")

_NEWLINE = re.compile("\n")
_WORD = re.compile(r"\w+")
_LISTED = re.compile(r"[`)\w]\s*(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|&|\+)\s+)(?:the\s+)?[`(*]*$")
_PATHS_AND_NOTES = re.compile(r"`[^`\n]*`|\([^()]*\)|\S+/\S+|\S+\.\w+")
_MOVES = re.compile(r"(?i)\b(?:git mv|mov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|relocate)\b[^.;]{0,30}$")
_GAP = re.compile(r"^[`*_)]*\s+[`*_(]*$")
_PLACE_COLUMN = re.compile(r"(?i)^\W*(?:repo|repository|project|branch|worktree)\W*$")
_EXAMPLES = re.compile(r"(?i)\bexamples?\b")
_SAYS_WHAT = re.compile(r"(?i)\b(?:creat|new|modif|delet|existing)")
_UNSURE = re.compile(
    r"(?i)\b(?:if needed|optional|possibly|may not exist|does not exist|doesn't exist|missing|not found)\b"
)
_LABELLED = re.compile(r"^\W*[A-Z][\w ()/&-]{1,50}:")

MAX_REFERENCES = 20_000  # of one document; beyond that it is no plan that anyone wrote

UNSTATED = Intent(Action.MODIFY, Certainty.MENTIONED)


class References:
    """Reads blocks in document order; keeps the labels in force between them."""

    def __init__(self, path: str, limit: int = MAX_REFERENCES) -> None:
        self.path = path
        self.left = limit  # how many more references are read
        self.trail = Trail()
        # level, what the title says of paths, and what it takes back of all that is below
        self.section: list[tuple[int, Intent | None, Hedge | None]] = []
        self.taken_back: list[tuple[int, Hedge]] = []  # (depth, hedge) of the open list items that are taken back
        self.headed = False
        self.label: Intent | None = None  # of the label line right above a list
        self.label_depth = 0
        self.in_files = False
        self.items: list[tuple[int, Intent | None]] = []  # (depth, intent) of the open list items
        self.claims: list[Claim] = []
        self.symbols: list[SymbolRef] = []  # of the block read last

    def heading(self, block: Block) -> None:
        """Enter a section: labels end, the section's own title may say what its paths are."""
        while self.section and self.section[-1][0] >= block.level:
            self.section.pop()
        intent = actions.of_section(block.text)
        if intent is None and self.section and self._section() is not None and len(block.text.split()) <= 3:
            intent = actions.of_label(block.text)  # "### New" below "## Files to touch"
        hedge = asides.section(block.text, whole=block.level == 1 and not self.headed)
        hedge = hedge or asides.item(block) or self._aside()
        if hedge is not Hedge.NEGATED and asides.opens_task(block.text):
            hedge = asides.item(block)
        self.section.append((block.level, intent, hedge))
        self.headed = True
        self.items.clear()
        self.taken_back.clear()
        self.in_files = bool(_FILES.match(block.text))
        self.label = UNSTATED if self.in_files else None
        self.label_depth = 0

    def read(self, block: Block, elsewhere: bool = False) -> list[FileRef]:
        """The references of one block. Fences, HTML and rules hold none.

        `elsewhere`: the block stands in a part of the plan that is about another repository.
        """
        self.symbols = []
        if self.left <= 0:
            return []
        found = self._read(block)
        self.left -= len(found)
        if block.quote:  # what someone said, or what another text says
            found = [replace(ref, certainty=Certainty.MENTIONED) for ref in found]
        hedge = self._aside()
        if hedge is not Hedge.NEGATED and self.taken_back:
            hedge = self.taken_back[-1][1]
        if found and hedge is not None:
            firm = hedge is Hedge.CONDITIONAL
            found = [
                replace(
                    ref,
                    certainty=ref.certainty if firm else Certainty.MENTIONED,
                    hedge=ref.hedge or hedge,
                    says_exists=False,
                )
                for ref in found
            ]
            self.symbols = []
        if elsewhere and found:
            found = [ref if ref.hedge is not None else replace(ref, hedge=Hedge.ELSEWHERE) for ref in found]
            self.symbols = []
        return found

    def _read(self, block: Block) -> list[FileRef]:
        if block.kind is Kind.HEADING:
            self.heading(block)
            return self._lines(block, block.inline)
        if block.kind is Kind.ROW:
            return self._row(block)
        if block.kind is not Kind.TEXT:
            return []
        while self.items and self.items[-1][0] >= block.depth and block.item:
            self.items.pop()
        while self.items and self.items[-1][0] > block.depth:
            self.items.pop()
        while self.taken_back and self.taken_back[-1][0] >= block.depth + (not block.item):
            self.taken_back.pop()
        hedge = asides.item(block)
        if hedge is not None:
            self.taken_back.append((block.depth if block.item else block.depth + 1, hedge))
        ends = self.label is not None and not block.item and block.depth <= self.label_depth
        if ends and (not self.section or not self.in_files or _looks_like_label(block.text)):
            self.label, self.in_files = None, False
        return self._lines(block, block.inline)

    def _aside(self) -> Hedge | None:
        return self.section[-1][2] if self.section else None

    def _governing(self) -> Intent | None:
        for _, intent in reversed(self.items):
            if intent is not None:
                return intent
        return self.label

    def _section(self) -> Intent | None:
        for _, intent, _ in reversed(self.section):
            if intent is not None:
                return intent
        return None

    def _lines(self, block: Block, inline: Inline) -> list[FileRef]:
        text = inline.text
        governing = self._governing() if block.item or block.depth else self.label if self.in_files else None
        starts = [0, *(m.end() for m in _NEWLINE.finditer(text))] if "\n" in text else [0]
        labels: list[tuple[int, Intent | None, int]] = []  # (line start, intent, end of the label)
        block_intent: Intent | None = None
        for index, start in enumerate(starts):
            stop = starts[index + 1] - 1 if index + 1 < len(starts) else len(text)
            head = text[start : min(stop, start + 120)]
            intent, end = self._label(head)
            if intent is None and end:
                governing, intent = UNSTATED, UNSTATED
                if stop - start - end < 2:  # the label alone: it governs what follows
                    self.label, self.label_depth, self.in_files = UNSTATED, block.depth, True
            elif intent is not None and stop - start - end < 3:
                if block.item:
                    block_intent = intent
                else:
                    self.label, self.label_depth = intent, block.depth
            elif intent is not None and block.item and index == 0:
                block_intent = intent
            if (
                block.kind is Kind.TEXT
                and not block.item
                and index == len(starts) - 1
                and intent is None
                and head.rstrip("*_ ").endswith(":")
            ):
                hedge = asides.section(head.strip("*_ :"))
                about = Intent(Action.READ, Certainty.MENTIONED, hedge) if hedge else None
                about = about or actions.of_section(head.strip("*_ :"))
                if about:
                    self.label, self.label_depth = about, block.depth
            labels.append((start, intent, start + end))
        if block.item:
            self.items.append((block.depth, block_intent))
        stated = governing is not None or any(intent for _, intent, _ in labels)
        citations = cite(inline, self.trail, stated=stated)
        old = statements.old_code(text) if "`" in text else None
        if not citations:
            if old is not None:
                self.claims.append(Claim(text[:300], None, Span(self.path, block.first, block.last), (), old, True))
            return []
        refs: list[FileRef] = []
        placed: list[tuple[Citation, FileRef]] = []
        at = 0
        carried: Intent | None = None
        skip = -1
        for index, citation in enumerate(citations):
            if index == skip:
                continue
            while at + 1 < len(labels) and labels[at + 1][0] <= citation.start:
                at += 1
                carried = None
            line_start, line_intent, label_end = labels[at]
            target = self._move_target(text, citations, index, line_intent or governing or carried)
            if target is not None:
                skip = index + 1
            before = text[max(line_start, citation.start - 300) : citation.start - citation.code]
            intent = self._intent(text, citation, before, line_intent, label_end, governing, block, at == 0)
            if intent is None:
                intent = carried or Intent(Action.READ, Certainty.MENTIONED)
            elif actions.of_mark(text[citation.end + citation.code : citation.end + 110]) is not None:
                carried = None  # a mark is its own path's
            else:
                carried = intent if intent.action is not Action.READ else None
            refs.append(
                self._ref(
                    citation, intent, text, before[max(label_end - line_start, 0) :] if line_intent else before, target
                )
            )
            self._claim(citation, text, refs[-1])
            placed.append((citation, refs[-1]))
        self.symbols.extend(statements.symbols(inline, placed))
        named = dict.fromkeys(ref.path for ref in refs if ref.hedge is None and not ref.path.endswith("/"))
        if old is not None and len(named) == 1 and all(ref.hedge is None for ref in refs):
            (path,) = named
            self.claims.append(Claim(text[:300], path, Span(self.path, block.first, block.last), (), old, True))
        return refs

    def _label(self, head: str) -> tuple[Intent | None, int]:
        """The label that opens a line: its intent and its length; (None, length) is a bare `Files:`."""
        tag = actions.of_tag(head)
        if tag:
            return tag
        files = _FILES_INLINE.match(head)
        if files:
            return None, files.end()
        match = actions.LABEL.match(head)
        if match is None or "`" in match.group():
            return None, 0
        intent = actions.of_label(match.group("label"))
        if intent is None:
            return None, 0
        if intent.action is Action.READ and self._governing() is None and not self.in_files:
            intent = replace(intent, certainty=Certainty.MENTIONED)  # "References: x" is no work on x
        return intent, match.end()

    def _intent(
        self,
        text: str,
        citation: Citation,
        before: str,
        line_intent: Intent | None,
        label_end: int,
        governing: Intent | None,
        block: Block,
        first_line: bool,
    ) -> Intent | None:
        after = text[citation.end + citation.code : citation.end + 110]
        mark = actions.of_mark(after)
        if _TEST_PATH.search(citation.token.path) and actions.writes_tests(after, line_intent is None):
            mark = Intent(Action.TEST)
        if line_intent is not None and citation.start >= label_end:
            if mark is not None and (
                mark.action in (Action.CREATE, Action.DELETE, Action.TEST) or line_intent is UNSTATED
            ):
                return mark
            if mark is not None and mark.says_exists:
                return replace(line_intent, says_exists=True)
            if line_intent is UNSTATED:  # "Files: Modify `a`. Create or update `b`."
                own = text[max(label_end, citation.start - 300) : citation.start - citation.code]
                own = sentence_before(own, len(own), 300)
                if _EITHER.search(own[-60:]):
                    return Intent(Action.CREATE, Certainty.MENTIONED, Hedge.ALTERNATIVE)
                said = actions.of_sentence(own, True)
                if said.action is not Action.READ:
                    return said
            # only what follows the label closely is named by it; a later sentence of the bullet is prose
            if self._near(text, label_end, citation):
                return line_intent
            return actions.of_sentence(before, False)
        if mark is not None:
            return mark
        if governing is not None and (block.item or block.depth):
            if governing.action is Action.READ and governing.hedge is not None:
                return governing  # whatever the list below "Later:" would do
            said = actions.of_sentence(before, first_line and block.item)
            if governing is UNSTATED and said.action is not Action.READ:
                return said  # "Modify `x`" below a "Files:" that leaves open what is done to them
            # a list of paths, not a list of sentences that name some
            if citation.start - citation.code <= 2 or self._near(text, 0, citation, 1):
                return governing
            return said
        if _LISTED.search(before[-14:]):
            found = actions.of_sentence(before, False)
            return None if found.action is Action.READ else found
        found = actions.of_sentence(
            sentence_before(before, len(before), 300), first_line and (block.item or block.kind is Kind.HEADING)
        )
        section = self._section()
        if found.action is Action.READ and section is not None:
            if section.hedge in (Hedge.NEGATED, Hedge.EXAMPLE):
                return section
            if block.item and citation.start <= 3:
                return section
        return found

    @staticmethod
    def _near(text: str, start: int, citation: Citation, words: int = 4) -> bool:
        """Whether only paths, marks and connecting words stand between a label and the citation."""
        if citation.start - start > 600:
            return False
        between = text[start : citation.start]
        between = _PATHS_AND_NOTES.sub(" ", between)
        return len(_WORD.findall(between)) <= words and ". " not in between

    @staticmethod
    def _move_target(text: str, citations: list[Citation], index: int, intent: Intent | None) -> Citation | None:
        if index + 1 >= len(citations):
            return None
        here, there = citations[index], citations[index + 1]
        between = text[here.end + here.code : there.start - there.code]
        if len(between) > 40:
            return None
        before = text[max(0, here.start - 40) : here.start]
        moving = (
            intent is not None and intent.action is Action.MOVE and bool(_MOVE_ARROW.match(between))
        ) or _MOVES.search(before)
        if moving and (_MOVE_ARROW.match(between) or _GAP.match(between)):
            return there
        if intent is not None and intent.action in (Action.MODIFY, Action.DELETE) and _ARROW.match(between):
            return there
        return None

    def _ref(self, citation: Citation, intent: Intent, text: str, before: str, target: Citation | None) -> FileRef:
        action, certainty, hedge, token = intent.action, intent.certainty, citation.hedge, citation.token
        after = sentence_after(text, citation.end + citation.code)
        if _ENTRY.match(text[citation.end + citation.code : citation.end + 40]) and action is Action.CREATE:
            action, certainty = Action.MODIFY, Certainty.MENTIONED  # "add a CHANGELOG.md entry"
        if certainty is Certainty.STATED and intent.by_verb and (token.bare or not citation.code):
            certainty = Certainty.MENTIONED
        if target is not None:
            action = Action.MOVE
        elif action is Action.MOVE:
            # a move without its other end says only that the path is touched
            action, certainty = Action.MODIFY, Certainty.MENTIONED
            hedge = hedge or Hedge.CONDITIONAL
        if certainty is Certainty.STATED and hedge is Hedge.NEGATED and action in (Action.CREATE, Action.DELETE):
            hedge = None  # "Create: x (does not exist yet)", "Delete: x, which is no longer used"
        hedge = hedge or intent.hedge
        if certainty is Certainty.STATED and not token.sure and "." not in token.path and not token.path.endswith("/"):
            certainty = Certainty.MENTIONED if action is not Action.CREATE else certainty
        if (
            action is Action.READ
            and certainty is Certainty.MENTIONED
            and intent.says_exists is False
            and _TEST_PATH.search(token.path)
            and "test" in before[-40:].lower()
        ):
            action = Action.TEST
        exists = intent.says_exists
        if action in (Action.MODIFY, Action.READ, Action.TEST, Action.DELETE):
            exists = exists or bool(citation.lines) or bool(_EXISTS_BEFORE.search(before[-60:]))
            if action is Action.TEST and actions.says_exists(after[:60]):
                exists = True
        else:
            exists = False
        if citation.struck:
            certainty, hedge = Certainty.MENTIONED, Hedge.NEGATED
        return FileRef(
            path=token.path,
            action=action,
            certainty=certainty,
            span=Span(self.path, citation.line, citation.line),
            raw=token.raw,
            lines=citation.lines,
            target=target.token.path if target else None,
            hedge=hedge,
            says_exists=exists and hedge is not Hedge.NEGATED,
            beside=citation.beside,
            sure=token.sure,
        )

    def _claim(self, citation: Citation, text: str, ref: FileRef) -> None:
        if citation.lines and ref.action is not Action.CREATE and not citation.struck:
            start = citation.start - len(sentence_before(text, citation.start))
            stop = citation.end + len(sentence_after(text, citation.end))
            sentence = " ".join(text[start:stop].split())
            quote = (
                statements.quoted(text[citation.end + citation.code : citation.end + 320]) if not ref.hedge else None
            )
            self.claims.append(Claim(sentence, ref.path, ref.span, ref.lines, quote))

    def _row(self, block: Block) -> list[FileRef]:
        section = self._section() if self.label is None else self.label
        action: Intent | None = None
        for name, cell in zip(block.header, block.cells, strict=False):
            if cell.text and _ACTION_COLUMN.match(name) and (action := actions.of_cell(cell.text)):
                break
        if action is None and any(_NEW_CELL.match(cell.text) for cell in block.cells[1:]):
            action = Intent(Action.CREATE)  # "New: the parser", in a column that tells what changes
        refs: list[FileRef] = []
        row = " | ".join(cell.text for cell in block.cells)[:400]
        elsewhere = any(
            cell.text.strip() and _PLACE_COLUMN.match(name)
            for name, cell in zip(block.header, block.cells, strict=False)
        )
        for index, (name, cell) in enumerate(zip(block.header, block.cells, strict=False)):
            if not cell.text:
                continue
            column = bool(_PATH_COLUMN.search(name)) and len(name) < 60
            example = bool(_EXAMPLES.search(name))
            citations = cite(cell, self.trail, stated=column)
            placed: list[tuple[Citation, FileRef]] = []
            for citation in citations:
                after = cell.text[citation.end + citation.code : citation.end + 110]
                before = cell.text[: citation.start - citation.code]
                intent = actions.of_mark(after)
                if intent is None and column and self._near(cell.text, 0, citation):
                    intent = action or section
                if intent is None:
                    intent = actions.of_label(name) if column and _SAYS_WHAT.search(name) else None
                if intent is None:
                    intent = actions.of_sentence(before, False)
                ref = self._ref(citation, intent, cell.text, before, None)
                if ref.hedge is None and (elsewhere or example):
                    ref = replace(ref, hedge=Hedge.ELSEWHERE if elsewhere else Hedge.EXAMPLE)
                if ref.hedge is None and _UNSURE.search(row):
                    ref = replace(ref, hedge=Hedge.CONDITIONAL)
                refs.append(ref)
                self._claim(citation, cell.text, ref)
                placed.append((citation, ref))
            beyond = block.cells[index + 1].text if index + 1 < len(block.cells) else ""
            self.symbols.extend(statements.symbols(cell, placed, beyond))
        return refs


def _looks_like_label(text: str) -> bool:
    return len(text) > 200 or bool(_LABELLED.match(text))
