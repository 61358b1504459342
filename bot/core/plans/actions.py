"""What a plan says it does to a path: the verbs of labels, marks, table columns and sentences, as actions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.core.plans.model import Action, Certainty, Hedge
from bot.core.plans.vocabulary import words


@dataclass(frozen=True, slots=True)
class Intent:
    """What a label, a mark or a section says about the paths that it governs."""

    action: Action
    certainty: Certainty = Certainty.STATED
    hedge: Hedge | None = None
    says_exists: bool = False
    by_verb: bool = False  # read off a sentence's verb, not off a label or mark


_CREATE = (
    r"(?:创建|新建|新增|新規|作成|追加|creat(?:e|es|ed|ing|ion)|new|add(?:s|ed|ing)?|generat(?:e|es|ed|"
    r"ing)|scaffold(?:s|ed)?|introduc(?:e|es|ed|ing)|writ(?:e|es|ing)|output)"
)
_DELETE = r"(?:删除|削除|delet(?:e|es|ed|ing|ions?)|remov(?:e|es|ed|ing|als?)|drop(?:s|ped)?|retire[sd]?)"
_MOVE = r"(?:移动|移動|重命名|mov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|relocat(?:e|es|ed))"
_MODIFY = (
    r"(?:修改|更新|変更|編集|编辑|modif(?:y|ies|ied|ying|ications?)|updat(?:e|es|ed|ing)|edit(?:s|ed|"
    r"ing)?|chang(?:e|es|ed|ing)|extend(?:s|ed|ing)?|"
    r"rewrit(?:e|es|ing)|rewritten|annotat(?:e|es)|refactor(?:s|ed|ing)?|append(?:s|ed)?|replac(?:e|es|ed|ing)|"
    r"touch(?:es|ed)?|patch(?:es|ed)?|migrat(?:e|es|ed)|adjust(?:s|ed)?|convert(?:s|ed)?|"
    r"simplif(?:y|ied)|enhanc(?:e|ed)|trim|shrink|expand|amend|bump|insert|integrat(?:e|ed)|harden|register|overwrite)"
)
_READ = (
    r"(?:参考|参照|读取|read(?:s|[- ]only)?|referenc(?:e|es|ed)|inspect(?:s|ed)?|check(?:s|ed)?|keep(?:s)?|kept|"
    r"consult|"
    r"verif(?:y|ies|ication)|review(?:ed)?|unchanged|existing|exists|depends? on|untouched|reus(?:e|ed)|no changes?)"
)
_TEST = r"(?:tests?|测试|テスト)"

# a label is one only when all its words are of this kind: "Add tests that assert:" is a sentence
_FILLER = words(
    """
    file files module modules component components script scripts doc docs documentation config configuration
    code directory directories folder path paths source target targets unit integration e2e frontend backend the
    these this to and or be only also then with in for a an of possibly maybe optional optionally if needed
    necessary present likely first new existing tests test spec type types temp not committed generated entry
    class package packages migration migrations schema template templates fixture fixtures no change none exact
    """
)

_VERBS = re.compile(
    rf"(?i)\b(?:(?P<create>{_CREATE})|(?P<delete>{_DELETE})|(?P<move>{_MOVE})|(?P<modify>{_MODIFY})|"
    rf"(?P<test>{_TEST})|(?P<read>{_READ}))\b"
)
_POSSIBLY = re.compile(
    r"(?i)\b(?:possibl[ey]|maybe|optional(?:ly)?|if (?:needed|necessary|present|exists|required|"
    r"applicable)|may|might|potential(?:ly)?|likely|as needed|conditional(?:ly)?|consider)\b"
)
_ORDER = ("create", "delete", "move", "modify", "test", "read")

# `Create:`, `Modify (tests):`, `Files to create:`, `[NEW]`; at most six words, and nothing that ends a sentence
LABEL = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:\*\*|__)?(?P<label>[^\W\d_][\w /,&+()'’-]{0,70}?)"
    r"(?:\*\*|__)?\s*(?::(?=\s|$|`|\*)|：)(?:\*\*)?"
)
TAG = re.compile(
    r"^\s*\[(?P<tag>NEW|CREATE|ADD|MODIFY|UPDATE|EDIT|DELETE|REMOVE|RENAME|MOVE)\]\s*|^\s*(?P<word>NEW|"
    r"CREATE|MODIFY|UPDATE|EDIT|DELETE|REMOVE)\s*(?:[:—–-]\s*|(?=`))"
)
_MARK = re.compile(
    r"(?i)^[`*_]{0,4}\s*(?:[—–-]{1,2}\s*|:\s*)?[*_]{0,3}(?:[(\[{]|←|<-|<--|#|//)\s*[*_]{0,3}(?P<mark>[A-Za-z][^()\[\]\n]{0,80})"
)
_MARK_WORD = re.compile(
    rf"(?i)^(?:a |the |to be |will be |likely |possibly |fully |brand[- ]|git )?(?:(?P<create>new|"
    rf"creat(?:e|ed)|added?|generated?|(?:does not|doesn['’]t) exist yet)|"
    rf"(?P<delete>{_DELETE})|(?P<move>moved?(?: from| to)?|renamed?(?: from| to)?)|"
    r"(?P<modify>modif(?:y|ied|ications?)|updated?|edit(?:ed)?|changed?|extend(?:ed)?|rewrit(?:e|"
    r"ten)|refactor(?:ed)?|append(?:ed)?|"
    r"replaced?|wire|fix|~|m\b)|(?P<read>read[- ]only|reference(?: only)?|existing|exists|unchanged|"
    r"already (?:exists|there|present)|"
    r"no changes?|untouched|read))\b"
)
_DASH_MARK = re.compile(
    r"(?i)^[`*_]{0,4}\s*(?:[—–]|--?|:|→)\s*[*_]{0,3}(?P<create>new(?:\s+(?:file|module|test|"
    r"script|class|component|directory|package))?|create(?:d)?)\b[*_]{0,3}\s*(?:[.,;:(—–-]|"
    r"$|\n)"
)
_EXISTS = re.compile(
    r"(?i)\b(?:existing|exists|already (?:exists|there|present|has)|append(?: to)?|do not overwrite|"
    r"extend(?:ing)? (?:the )?existing)\b"
)


_KINDS = r"(?:(?:unit|integration|e2e|regression|component|acceptance|smoke|contract|failing|targeted|focused)\s+)"
_LEADS_TO = r"(?i)^[`*_)]{0,4}\s*(?:[—–]|--?|:|→|\()\s*[*_]{0,3}"
_NEW_TESTS = re.compile(_LEADS_TO + rf"(?:add\s+)?new\s+{_KINDS}?(?:tests?|specs?|suites?|coverage)\b")
_TESTS = re.compile(
    _LEADS_TO + rf"(?:(?:add|write)s?\s+)?{_KINDS}{{0,2}}(?:tests?|specs?|coverage)"
    r"\s*(?:$|[\n.,;:)]|\b(?:for|of|that|covering)\b)"
)
_WORDS = re.compile(r"[\w'’-]+")
_LETTERS = re.compile(r"[A-Za-z]+")
_SET_ASIDE = re.compile(
    r"\b(?:out of scope|non[- ]?goals?|not (?:doing|changing|in scope)|alternatives?|rejected|"
    r"future|deferred|anti[- ]patterns?)\b"
)
_EXAMPLES = re.compile(r"\bexamples?\b")
_OF_FILES = re.compile(
    r"\b(?:files?|tests?|modules?|paths?|director(?:y|ies)|components?|modifications?|scripts?|documents?)\b"
)


def _pick(match: re.Match[str]) -> str:
    found = match.groupdict()
    return next(name for name in _ORDER if found.get(name))


def of_label(label: str) -> Intent | None:
    """The intent of a label such as `Create`, `Possibly modify` or `Annotate (do not rewrite)`; None: no file label."""
    label = label.strip(" *_`")
    head, _, note = label.partition("(")
    words = _WORDS.findall(head)
    if not words or len(words) > 7:
        return None
    if not all(word.lower() in _FILLER or _VERBS.fullmatch(word) or _POSSIBLY.fullmatch(word) for word in words):
        return None
    found = {_pick(match): match.start() for match in reversed(list(_VERBS.finditer(head)))}
    if not found:
        return None
    hedge = Hedge.CONDITIONAL if _POSSIBLY.search(label) else None
    exists = bool(_EXISTS.search(label))
    note_verb = _VERBS.search(note)
    if "test" in found and "read" in found and found["read"] < found["test"] and exists:
        return Intent(Action.TEST, says_exists=True, hedge=hedge)
    if "test" in found and note_verb and note_verb.group("create"):
        return Intent(Action.CREATE, hedge=hedge)
    if "create" in found and "modify" in found:
        return Intent(Action.CREATE, hedge=Hedge.ALTERNATIVE)
    if "create" in found and "delete" in found:
        return Intent(Action.CREATE, Certainty.MENTIONED, Hedge.ALTERNATIVE)
    for name, action in (
        ("create", Action.CREATE),
        ("move", Action.MOVE),
        ("delete", Action.DELETE),
        ("modify", Action.MODIFY),
    ):
        if name in found:
            if re.fullmatch(r"(?i)(?:add|adds|added|output|write|writes)(?: to)?", head.strip()):
                return Intent(action, Certainty.MENTIONED, hedge)  # "Add: x", a file or something in it
            if name == "create" and re.search(r"(?i)\bgenerated\b", note):
                hedge = Hedge.CONDITIONAL
            if name == "create" and "test" in found and found["test"] < found["create"]:
                continue  # "Test new behaviour"
            return Intent(action, hedge=hedge, says_exists=exists and action is not Action.CREATE)
    if "test" in found and not ("read" in found and found["read"] < found["test"]):
        return Intent(Action.TEST, hedge=hedge, says_exists=exists)
    return Intent(Action.READ, hedge=hedge)


def of_section(title: str) -> Intent | None:
    """What a heading or a label above a list says of the paths below it; None says nothing."""
    low = title.strip().lower()
    if _SET_ASIDE.search(low):
        return Intent(Action.READ, Certainty.MENTIONED, Hedge.NEGATED)
    if _EXAMPLES.search(low):
        return Intent(Action.READ, Certainty.MENTIONED, Hedge.EXAMPLE)
    if not _OF_FILES.search(low):
        return None
    if re.search(r"\bexisting tests?\b", low):
        return Intent(Action.TEST, says_exists=True)
    if re.search(r"\b(?:new|failing) tests?\b|\btest stubs?\b", low):
        return Intent(Action.TEST, Certainty.MENTIONED)
    if len(low.split()) > 7:
        return None
    create = re.search(r"\b(?:new|create|created|add|added)\b", low)
    modify = re.search(
        r"\b(?:modify|modified|update|updated|change|changed|changes|edit|edited|touch|touched|"
        r"affected|modifications?)\b",
        low,
    )
    hedge = Hedge.CONDITIONAL if _POSSIBLY.search(low) else None
    if create and modify:
        return Intent(Action.MODIFY, Certainty.MENTIONED, Hedge.ALTERNATIVE)
    if create and re.search(r"\bfiles?\b|\bmodules?\b", low):
        return Intent(Action.CREATE, hedge=hedge)
    if re.search(r"\b(?:delete|deleted|remove|removed)\b", low):
        return Intent(Action.DELETE, hedge=hedge)
    if modify and "affected" not in low and not re.search(r"\bchanges?\b", low):
        return Intent(Action.MODIFY, hedge=hedge)
    if modify:
        return Intent(Action.MODIFY, Certainty.MENTIONED, hedge)
    if re.search(r"\b(?:reference|read|related|existing|key|critical|relevant|source|unchanged)\b", low):
        return Intent(Action.READ, Certainty.MENTIONED)
    return None


def of_mark(after: str) -> Intent | None:
    """The mark right after a path: `(new)`, `(modify)`, `— **new**`, `[existing]`, `# NEW`."""
    match = _MARK.match(after)
    if match:
        mark = match.group("mark").strip(" *_`")
        word = _MARK_WORD.match(mark)
        if word:
            name = _pick(word)
            if name == "create" and re.match(
                r"(?i)new\s+(?!file|module|test|script|class|component|director|package|crate|in\b|—|-)\w+", mark
            ):
                return None  # "(new helper functions)" says what is new in it, not that it is new
            rest = mark[word.end() :]
            if rest.startswith("-"):
                return None  # "(new-format reader)"
            if name == "create" and re.match(r"(?i)add(?:ed)?\b\s+\w", mark):
                return Intent(Action.MODIFY, Certainty.MENTIONED)
            if name == "delete" and not re.match(
                r"(?i)\s*(?:$|[,;.:—–-]|(?:the |this |whole |entire )*(?:file|dir|module|test)|after|when|if|in )", rest
            ):
                return Intent(Action.MODIFY, Certainty.MENTIONED)  # "(remove the old flag)"
            if re.search(r"(?i)\bor (?:new|create|modify|update|edit|extend)", mark) or "/" in mark[:20]:
                return Intent(Action.CREATE, Certainty.MENTIONED, Hedge.ALTERNATIVE)
            hedge = Hedge.CONDITIONAL if _POSSIBLY.search(mark) else None
            return {
                "create": Intent(Action.CREATE, hedge=hedge),
                "delete": Intent(Action.DELETE, hedge=hedge),
                "move": Intent(Action.MOVE, Certainty.MENTIONED, Hedge.CONDITIONAL),
                "modify": Intent(Action.MODIFY, hedge=hedge),
                "read": Intent(Action.READ, Certainty.MENTIONED, hedge, says_exists=bool(_EXISTS.match(mark))),
            }[name]
    if _DASH_MARK.match(after):
        return Intent(Action.CREATE)
    return None


def writes_tests(after: str, listed: bool) -> bool:
    """Whether the words right after the path of a test say that new tests are written there, maybe as a new file.

    `listed`: it stands in a list of what changes, without a verb of its own, where "tests for a" says as much.
    """
    return bool(_NEW_TESTS.match(after) or (listed and _TESTS.match(after)))


def of_tag(line: str) -> tuple[Intent, int] | None:
    """A tag that opens a line: `[NEW] path`, `MODIFY: path`; with the offset after it."""
    match = TAG.match(line)
    if match is None:
        return None
    intent = of_label(match.group("tag") or match.group("word"))
    return (intent, match.end()) if intent else None


_CELL = re.compile(
    rf"(?i)^(?:\*\*)?(?:(?P<create>new|create|created|add|added|create new)|(?P<delete>{_DELETE})|(?P<move>{_MOVE})|"
    rf"(?P<modify>modify|modified|modify existing|update|updated|edit|edited|change|changed|"
    rf"extend|rewrite|refactor|patch)|"
    r"(?P<both>(?:create|new|add)\s*(?:/|or)\s*(?:modify|update|edit|extend))|"
    rf"(?P<read>{_READ}|n/?a|none|no|reference only))(?:\s+(?:file|module|test|tests|script|"
    rf"directory|dir|doc))?(?:\*\*)?$"
)


def of_cell(cell: str) -> Intent | None:
    """An action column's cell that holds just the action: `Create`, `New file`, `**Modify**`, `delete (git rm)`."""
    text = re.sub(r"\s*\([^()]*\)\s*$", "", cell.strip(" *_`[]+~✅🆕✏️")).strip(" *_`()")
    if text in ("M", "A", "D", "R"):
        action = {"M": Action.MODIFY, "A": Action.CREATE, "D": Action.DELETE, "R": Action.MOVE}[text]
        return Intent(action, Certainty.MENTIONED)
    match = _CELL.match(text)
    if match is None:
        return None
    if match.group("both"):
        return Intent(Action.CREATE, Certainty.MENTIONED, Hedge.ALTERNATIVE)
    if match.group("read"):
        return Intent(Action.READ, Certainty.MENTIONED, says_exists=bool(_EXISTS.match(text)))
    name = _pick(match)
    action = {"create": Action.CREATE, "delete": Action.DELETE, "move": Action.MOVE, "modify": Action.MODIFY}[name]
    return Intent(action, Certainty.MENTIONED if text.lower().startswith("add") else Certainty.STATED)


def says_exists(text: str) -> bool:
    """The words near a path that claim it is there already ("existing", "append to", "do not overwrite")."""
    return bool(_EXISTS.search(text))


_DIRECT = re.compile(
    r"(?i)\b(?P<verb>[a-z]+)(?:\s+(?:a|an|the|new|empty|minimal|initial|file|files|module|modules|"
    r"directory|folder|script|test|tests|"
    r"failing|package|component|both|all|following|root|unit|stub|migration|config|document|"
    r"skeleton|placeholder|:|existing))*\s*[:(`*\"]*\s*$"
)
_INTO = re.compile(
    r"(?i)\b(?P<into>in|into|to|at|as|under|inside|within|from|on|via)\s+(?:(?:the|a|an|new|"
    r"file|module|existing)\s+)*[`(*\"]*$"
)
# what may stand before the imperative that opens an item: numbers, boxes, ids, `[P] [US1]`, `Step 3:`
_LEAD = re.compile(r"(?i)(?:[\W\d_]|\b(?:task|step|t\d+\w*|u\d+|p|us\d+|story)\b)*")
_ARTEFACT = re.compile(
    r"(?i)\b(?:new|fresh|brand-new)\s+(?:\w+\s+){0,3}[`(*\"]*$|\b(?:saved?|written?|written|"
    r"outputs?|emits?|generated?|extract(?:ed|s)?|split|moved?|goes|lives?|live|put|placed?|"
    r"stored?|results?)\s+(?:\w+\s+){0,6}(?:in|into|to|at|as|under)\s+[`(*\"]*$|(?:→|->|=>)\s*[`(*\"]*$"
)
_IMPLEMENT = frozenset(
    [
        "create",
        "creates",
        "creating",
        "created",
        "implement",
        "implements",
        "write",
        "writes",
        "build",
        "define",
        "scaffold",
        "generate",
        "introduce",
        "setup",
        "draft",
        "produce",
        "author",
        "establish",
        "configure",
        "document",
    ]
)


def of_sentence(before: str, item_start: bool) -> Intent:
    """What the words before a path in running text say is done to it; reading when they say nothing.

    Only an imperative that opens its list item or step is taken as stated; anything else is a mention.
    """
    near = before[-90:]
    direct = _DIRECT.search(near)
    if direct:
        verb = _VERBS.fullmatch(direct.group("verb"))
        if verb:
            name = _pick(verb)
            lead = before[: len(before) - len(near) + direct.start()]
            opens = item_start and len(lead) < 60 and _LEAD.fullmatch(lead) is not None
            certainty = Certainty.STATED if opens and name in ("create", "delete", "modify") else Certainty.MENTIONED
            if name == "modify" and certainty is Certainty.STATED and re.search(r"(?i)\bnew\b", near[direct.start() :]):
                certainty = Certainty.MENTIONED
            action = {
                "create": Action.CREATE,
                "delete": Action.DELETE,
                "move": Action.MOVE,
                "modify": Action.MODIFY,
            }.get(name, Action.READ)
            if action is Action.MOVE:
                return Intent(Action.MOVE, certainty if opens else Certainty.MENTIONED)
            return Intent(action, certainty, by_verb=True)
    if _ARTEFACT.search(near):
        return Intent(Action.CREATE, Certainty.MENTIONED)
    into = _INTO.search(before[-60:])
    if into:
        for word in _LETTERS.findall(before):
            low = word.lower()
            matched = _VERBS.fullmatch(word)
            name = _pick(matched) if matched else ""
            if low in _IMPLEMENT:
                return Intent(Action.CREATE, Certainty.MENTIONED)
            if name == "create":  # "add the check in x" may well make the file, "add it to x" does not
                made = into.group("into").lower() not in ("to", "from", "on")
                return Intent(Action.CREATE if made else Action.MODIFY, Certainty.MENTIONED)
            if name in ("modify", "delete"):
                return Intent(Action.MODIFY, Certainty.MENTIONED)
    return Intent(Action.READ, Certainty.MENTIONED)
