"""The shell commands of a plan's steps: from shell fences and from `Run:` code, with directory and expected outcome.

Only lines are told apart here (prompts, comments, continuations, here-documents, open quotes); what a command means is
read by whoever checks it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import islice
from posixpath import normpath

from bot.core.plans.markdown import Block, Inline, Kind
from bot.core.plans.model import Command, Expect, Span

MAX_INLINE = 500  # code spans and expectations of one paragraph that are looked at
MAX_EXPECTED = 300  # characters of what is expected of a command
MAX_COMMAND = 4000  # characters of one joined command; the rest is cut

_SHELLS = frozenset(
    ("bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal", "sh-session", "fish")
)
_PROMPT = re.compile(r"^\s*(?:\([\w.-]+\)\s*)?(?:\$|❯|➜)\s+(?=\S)")
_HEREDOC = re.compile(r"<<-?\s*(?:'([^'\n]{1,60})'|\"([^\"\n]{1,60})\"|\\?([A-Za-z_]\w{0,60}))")
_RUN = re.compile(
    r"(?i)(?P<label>(?:^|\n)\W{0,6}(?:run|verify|verification|commands?|execute|test command|"
    r"check|smoke(?: test)?|validate|validation)\b[^`:\n]{0,40}:[\s*_]*)$|"
    # what a step checks or builds, and by what
    r"(?:^|\n)\W*(?:\d+(?:\.\d+)*\W+|T\d+\W+)?(?:check|verify|validate|test|build|confirm|lint|ensure)\b"
    r"[^`.;:\n]{1,60} (?:with|using|by)\s*$|"
    r"\b(?:re-?run(?:ning)?|run(?:ning|s)?|execut(?:e|ing)|invoke|verif(?:y|ied)(?: with| by|"
    r" via| using)?|via|by running|check with|"
    r"validate with|confirm with)\s*:?\s*(?:the (?:\w+ )?(?:command )?)?[*_(]*$"
)
_AND = re.compile(r"^[`*_)]*\s*(?:,|;|and|then|&&|\+|, and|, then|and then)\s*[`*_(]*$")
# `command` passes: the sentence says that it is run, and how it ends
_SUCCEEDS = re.compile(
    r"^[`*_)]*\s*(?:\([^()\n]{0,80}\)\s*)?(?:still |also |now |all |then |must |should |to )?"
    r"(?:pass(?:es)?\b|succeeds?\b|exits? (?:with )?(?:code |status )?(?:zero|0)\b"
    r"|(?:is|are|be|stays?|remains?|runs?|comes? back) (?:all |fully )?(?:green|clean)\b|green\b|clean\b|通过)"
)
_AWAITS = re.compile(r"(?i)\b(?:run|execute|verify|commands?|verification)\b[^\n:]{0,60}:\W*$")
_STEP = re.compile(r"\W{0,4}Step\b")
_FUNCTION = re.compile(r"(?m)^(?:function\s+\w+|\w+\s*\(\)\s*\{)")
_EXPECTED = re.compile(r"(?i)\bexpect(?:ed|ing|s)?\b(?:\s+(?:output|result|outcome))?")
_STEP_FAILS = re.compile(
    r"(?i)\b(?:(?:it|they|tests?|both|all|that|to)\s+(?:\w+\s+){0,3}fails?\b|fail(?:s|ure|ing)? "
    r"(?:as expected|first)|see (?:it|them) fail|confirm (?:\w+ ){0,3}fail|verify (?:\w+ ){0,3}fail)"
)
_STEP_PASSES = re.compile(
    r"(?i)\b(?:(?:it|they|tests?|both|all|that|to)\s+(?:\w+\s+){0,3}pass(?:es)?\b|see (?:it|"
    r"them) pass|confirm (?:\w+ ){0,3}(?:pass|green)|verify (?:\w+ ){0,3}pass)"
)
_NO_FAILURE = re.compile(
    r"(?i)\b(?:no|0|zero|without(?: any)?|not?|never)\s+(?:\w+\s+){0,2}(?:errors?|failures?|"
    r"fail(?:s|ed|ing)?|warnings?)\b|exit(?:s| code)?\s*:?\s*0\b|nothing fails"
)
_FAIL = re.compile(
    r"(?i)\bFAIL(?:S|ED|URES?|ING)?\b|\berrors?\b|\w+Error\b|\bnon-?zero\b|exit(?:s| code)?\s*:?\s*[1-9]|"
    r"\bred\b|失败|cannot find|not found|undefined|does not compile|compilation failure"
)
_PASS = re.compile(
    r"(?i)\bPASS(?:ES|ED|ING)?\b|\bsuccess(?:ful(?:ly)?)?\b|\bsucceeds?\b|\bok\b|\bgreen\b|"
    r"\bclean\b|no output|no matches|\bempty\b|\bbuilds?\b|\ball \w+ tests\b|\b\d+ tests?\b|"
    r"\bcompiles?\b|通过|成功"
)
_RUNNERS = re.compile(
    r"^(?:[A-Z_][A-Z0-9_]*=\S*\s+)*(?:sudo\s+|env\s+|time\s+)?(?:pytest|python[\d.]*|uv|uvx|"
    r"poetry|pdm|hatch|tox|nox|pip|npm|pnpm|yarn|bunx?|npx|deno|node|"
    r"cargo|go|make|just|task|mix|bundle|rake|rails|bin/\w+|rspec|ruby|php|composer|phpunit|"
    r"mvn|mvnw|gradle|gradlew|dotnet|swift|xcodebuild|"
    r"flutter|dart|docker|docker-compose|kubectl|helm|terraform|git|gh|bash|sh|zsh|ruff|mypy|"
    r"pyright|black|eslint|tsc|vitest|jest|"
    r"playwright|cypress|turbo|nx|lerna|cd|echo|grep|rg|ls|cat|curl|test|find|jq|sed|awk|openspec|"
    r"\./[\w./-]+|ctest|cmake|meson|ninja|bazel|zig|"
    r"mise|direnv|nix|pre-commit|golangci-lint|buf|sqlx|diesel|alembic|prisma|wasm-pack|trunk|"
    r"act|\.venv/bin/\S+|source)(?=\s|$)"
)


def is_command(text: str) -> bool:
    """Whether a line of text begins with a program that plans run, and so is a command although nothing marks it."""
    return _RUNNERS.match(text) is not None


@dataclass(slots=True)
class _Entry:
    command: Command
    owner: int


def expectation(text: str) -> Expect:
    """What the words after `Expected:` say: whichever of failing and passing is named first."""
    text = text[:MAX_EXPECTED]
    clean = _NO_FAILURE.search(text)
    fail = _FAIL.search(text)
    good = _PASS.search(text)
    if (
        clean
        and (fail is None or clean.start() <= fail.start())
        and (good is None or fail is None or clean.start() <= good.start() or good.start() < fail.start())
    ):
        return Expect.PASS
    if fail and (good is None or fail.start() < good.start()):
        return Expect.FAIL
    return Expect.PASS if good else Expect.UNKNOWN


def _open_quote(line: str, quote: str) -> str:
    """The quote character still open at the end of `line`, "" for none; `quote` is open at its start."""
    escaped = False
    for index, char in enumerate(line):
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            if char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char == "#" and (index == 0 or line[index - 1].isspace()):
            break
    return quote


def _change(cwd: str | None, line: str) -> str | None:
    """The directory after `line`: only plain leading `cd x`, alone or before `&&` and `;`, moves it."""
    for part in re.split(r"&&|;", line):
        words = part.split()
        if not words or words[0] not in ("cd", "pushd"):
            if words and words[0] == "popd":
                return None
            break
        if len(words) == 1:
            return None
        target = words[1].strip("\"'")
        if target.startswith(("$(git rev-parse", "`git rev-parse")):
            cwd = ""
        elif not target or target.startswith(("/", "~", "$", "-", "`", "<")) or re.match(r"^[A-Za-z]:", target):
            cwd = None
        elif cwd is not None:
            moved = normpath(cwd + "/" + target if cwd else target)
            cwd = None if moved.startswith("..") or len(moved) > 1000 else "" if moved == "." else moved
    return cwd


def lines(body: str, first: int, prompts: bool | None = None) -> list[tuple[str, int, int, str | None]]:
    """The commands of a shell fence: (text, first line, last line, directory), comments and here-documents skipped.

    `prompts` says that only lines after a prompt are commands; None finds out.
    """
    rows = body.split("\n")
    if prompts is None:
        prompts = any(_PROMPT.match(row) for row in rows)
    out: list[tuple[str, int, int, str | None]] = []
    cwd: str | None = ""
    index = 0
    while index < len(rows):
        row = rows[index]
        start = index
        index += 1
        prompt = _PROMPT.match(row)
        if prompt:
            row = row[prompt.end() :]
        elif prompts:
            continue
        row = row.strip()
        if not row or row.startswith("#"):
            continue
        parts, size = [row], len(row)
        quote = _open_quote(row, "")
        while index < len(rows) and size < MAX_COMMAND:
            if quote:
                more = rows[index]
                quote = _open_quote(more, quote)
                parts.append("\n" + more)
            elif parts[-1].endswith("\\") and not parts[-1].endswith("\\\\"):
                more = rows[index].strip().removeprefix("> ")
                parts[-1] = parts[-1][:-1].rstrip()
                parts.append(" " + more)
                quote = _open_quote(more, "")
            else:
                break
            size += len(more)
            index += 1
        text = "".join(parts)[:MAX_COMMAND]
        heredoc = _HEREDOC.search(text) if "<<" in text and "<<<" not in text else None
        if heredoc:
            word = next(group for group in heredoc.groups() if group)
            while index < len(rows) and rows[index].strip() != word:
                index += 1
            index += 1
        out.append((text, first + start, first + min(index, len(rows)) - 1, cwd))
        if not text.startswith("("):
            cwd = _change(cwd, text)
    return out


class Commands:
    """Reads blocks in document order; an expectation found later is given to the commands it follows."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.entries: list[_Entry] = []
        self.group: list[int] = []  # the commands that the next expectation is about
        self.step = Expect.UNKNOWN  # what the step's title says ("verify it fails")
        self.awaits = False  # the last text ended in `Run:`, so a fence of any kind is its command

    def _add(self, text: str, first: int, last: int, cwd: str | None, owner: int) -> None:
        comment = re.search(r"(?i)\s#\s*(expect[^\n]*|(?:should )?(?:PASS|FAIL)\b[^\n]*)$", text[-200:])
        expects = expectation(comment.group(1)) if comment else self.step
        self.group.append(len(self.entries))
        self.entries.append(_Entry(Command(text, Span(self.path, first, last), cwd, expects), owner))

    def _expect(self, words: str) -> None:
        """Gives what stands after `Expected:` to the commands before it."""
        outcome = expectation(words)
        if self.group:
            last = self.entries[self.group[-1]]
            last.command = replace(last.command, expected=words[:MAX_EXPECTED].strip())
        if outcome is Expect.UNKNOWN or not self.group:
            return
        # several commands: the ones before the last prepare it, and are not what is expected to fail
        targets = self.group[-1:] if outcome is Expect.FAIL else self.group
        for index in targets:
            entry = self.entries[index]
            entry.command = replace(entry.command, expects=outcome)
        if outcome is Expect.FAIL:
            for index in self.group[:-1]:
                entry = self.entries[index]
                if entry.command.expects is Expect.FAIL:
                    entry.command = replace(entry.command, expects=Expect.UNKNOWN)

    def read(self, block: Block, owner: int) -> None:
        """Take the commands of `block` for the task number `owner`."""
        if block.kind is Kind.HEADING:
            self.group, self.awaits = [], False
            self._step(block.text)
        elif block.kind is Kind.TEXT:
            self._text(block, block.inline, owner)
        elif block.kind is Kind.ROW:
            for cell in block.cells:
                if cell.codes:
                    self._text(block, cell, owner)
            self.awaits = False
        elif block.kind is Kind.FENCE:
            self._fence(block, owner)

    def _step(self, text: str) -> None:
        text = text[:200]
        fails, passes = _STEP_FAILS.search(text), _STEP_PASSES.search(text)
        if fails and not (passes and passes.start() < fails.start()):
            self.step = Expect.FAIL
        elif passes:
            self.step = Expect.PASS
        else:
            self.step = Expect.UNKNOWN

    def _fence(self, block: Block, owner: int) -> None:
        language = block.info.split()[0].lower().strip("{}.") if block.info.split() else ""
        shell = language in _SHELLS or (self.awaits and language in ("", "text"))
        awaited, self.awaits = self.awaits, False
        if not shell or block.body.lstrip().startswith("#!") or _FUNCTION.search(block.body[:20000]):
            return  # a script's own text, not commands to type
        self.group = []
        for text, first, last, cwd in lines(block.body, block.body_first, None if language or awaited else True):
            self._add(text, first, last, cwd, owner)
        for comment in re.finditer(r"(?mi)^\s*#\s*(expect(?:ed)?\b.*)$", block.body):
            self._expect(comment.group(1))

    def _text(self, block: Block, inline: Inline, owner: int) -> None:
        text = inline.text
        tail = text[-120:]
        self.awaits = ":" in tail and bool(_AWAITS.search(tail))
        step = "Step" in text[:8] and bool(_STEP.match(text))
        if block.item or step:
            self.group = [] if block.box is not None or step else self.group
            if block.box is not None or "Step" in text[:12]:
                self._step(text.split("\n", 1)[0])
        expected = list(islice(_EXPECTED.finditer(text), MAX_INLINE)) if "xpect" in text else []
        events: list[tuple[int, int, bool]] = []
        green: set[int] = set()
        previous_end = -1
        for start, end in inline.codes[:MAX_INLINE]:
            before = text[max(0, start - 100) : start - 1]
            run = _RUN.search(before)
            content = text[start:end].strip()
            chained = (
                previous_end >= 0
                and start - previous_end <= 20
                and _AND.match(text[previous_end : start - 1]) is not None
            )
            if not content or "\n" in content[:1] or inline.is_struck(start):
                continue
            if " " in content and is_command(content) and _SUCCEEDS.match(text[end : end + 120]):
                green.add(start)
                events.append((start, end, True))
                previous_end = end
            elif (
                run
                and ((run.group("label") and (" " in content or _RUNNERS.match(content))) or _RUNNERS.match(content))
            ) or (chained and _RUNNERS.match(content)):
                events.append((start, end, True))
                previous_end = end
        for match in expected:
            inside = bisect_right(inline.codes, (match.start(), 1 << 60)) - 1
            if inside < 0 or inline.codes[inside][1] <= match.start():
                events.append((match.start(), match.end(), False))
        fresh = True
        for start, end, command in sorted(events):
            if command:
                if fresh:
                    self.group = []
                fresh = False
                line = inline.line(start)
                content = text[start:end].strip().removeprefix("$ ")[:MAX_COMMAND]
                self._add(content, line, line, "", owner)
                if start in green:
                    self._expect(text[end + 1 : end + 120].partition("\n")[0])
            else:
                self._expect(text[end : end + MAX_EXPECTED].partition("\n\n")[0])
                fresh = True
