"""The grammar of one path token: what in a plan's text names a file or a directory, with which lines.

A plan mixes paths with URLs, routes, MIME types, package names, branches, versions and `either/or` words. A token is
only read as a path when its shape says so; whether it exists is not asked here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from posixpath import normpath

from bot.core.plans.model import Hedge, LineRange
from bot.core.plans.vocabulary import words

# longer tokens are no path that any file system takes
MAX_TOKEN = 5000
# the line-number grammar looks only at tokens of ordinary length, which keeps the whole linear
_MAX_SUFFIXED = 512

EXTENSIONS = words(
    """
    py pyi pyx ipynb rs go mod sum rb erb rake gemspec java kt kts scala sc groovy gradle swift m mm c h cc cpp
    cxx hpp hh cs csproj sln fs fsx vb js jsx mjs cjs ts tsx mts cts vue svelte astro html htm css scss sass
    less styl php phtml twig blade ex exs eex heex leex erl hrl hs lhs ml mli elm clj cljs cljc edn lua nim zig
    d dart r rmd jl pl pm t sh bash zsh fish ps1 psm1 bat cmd sql psql prisma graphql gql proto thrift avsc avdl
    json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf config properties xml xsd xsl xslt plist xib
    storyboard pbxproj xcconfig entitlements md mdx mdc markdown rst adoc txt tex csv tsv parquet svg png jpg
    jpeg gif webp avif ico icns pdf woff woff2 ttf otf mp3 mp4 wav webm zip tar gz tgz bz2 xz whl lock tf tfvars
    hcl nix bzl bazel cmake mk am ac in j2 jinja jinja2 tmpl tpl hbs ejs pug liquid njk mustache env example
    sample template dist service socket timer desktop editorconfig gitignore gitattributes dockerignore npmrc
    nvmrc wit wat wasm cu cuh metal glsl vert frag wgsl hlsl sol move cairo vy circom asm s ld ll log db sqlite
    sqlite3 map snap pem crt key pub patch diff feature spec http rest k kcl cue rego dhall jsonnet libsonnet
    bicep robot resource onnx pt pkl npy npz h5 bin dat po pot mo arb strings lproj gd tscn tres uasset unity
    prefab asset mat shader cginc rkt scm lisp el fnl v sv svh vhd vhdl xdc sdc typ bib cls sty mmd puml drawio
    excalidraw tape ftl mako xaml razor cshtml resx axaml nuspec props targets ron wxs iss nsi spec2 tcl awk sed
    bats expect exp qml pro pri ui qrc qss ino pde scad stl obj glb gltf fbx usd lean agda idr v2 sublime
    code-workspace ics vcf eml srt vtt webmanifest har
    """
)
# endings of ordinary expressions (`console.log`, `process.env`, `array.map`): no file without a directory before them
_EXPRESSION_ENDINGS = words(
    """
    log map key env db d s t r m v k in am ac example sample template dist service socket timer resource feature
    spec config http rest mod sum move template pub in props targets strings code-workspace code expect exp obj
    sed el pro bin mat asset dat po ui sublime cls mo pt patch diff snap lock2 h5
    """
)
_NAMES = words(
    """
    Makefile makefile GNUmakefile Dockerfile Containerfile Procfile Jenkinsfile Vagrantfile Brewfile Gemfile
    Rakefile Podfile Fastfile Justfile justfile Taskfile Tiltfile Earthfile LICENSE COPYING NOTICE CODEOWNERS
    CMakeLists.txt BUILD.bazel WORKSPACE.bazel go.mod go.sum .gitignore .gitattributes .dockerignore
    .editorconfig .npmrc .nvmrc .env .envrc .eslintrc .prettierrc .babelrc .gitmodules .mcp.json
    .pre-commit-config.yaml .env.example .env.sample .env.local .env.test .env.template .tool-versions
    .python-version .node-version .ruby-version .golangci.yml SKILL.md
    """
)
_PRODUCTS = re.compile(
    r"(?i)^(?:node|next|vue|nuxt|react|three|d3|express|nest|alpine|ember|backbone|chart|moment|socket|day|discord|p5|"
    r"solid|angular|polymer|electron|deno|bun|web|pdf|plotly|zod|require|asp|ml|crypto|bignumber|decimal|ethers|viem|"
    r"highlight|prism|video|hls|konva|fabric|paper|pixi|phaser|babylon|transformers|tensorflow|"
    r"brain|cypress|handlebars|"
    r"mustache|stimulus|htmx|reveal|slate|quill|yjs|matter|tone|howler|anime|gsap|draco|knex|sequelize|bookshelf|sails|"
    r"koa|hapi|fastify|meteor|ghost|probot|commander|chalk|dayjs|date-fns|crypto-js|vuex|knockout|"
    r"jquery)\.(?:js|ts|io|net)$"
)

_TOP = words(
    """
    src lib libs app apps packages package pkg internal cmd crates tests test spec specs docs doc scripts script
    tools tool bin config configs server client frontend backend web api core services service modules module
    components plugins plugin examples example migrations db database infra deploy deployment deployments k8s
    terraform ansible docker ci public static assets templates resources schemas schema types utils common
    shared cli sdk e2e integration benches bench benchmarks fixtures include includes Sources Tests ui mobile
    ios android native workers worker functions contracts agents skills commands prompts hooks plans workplans
    registry handlers bot
    """
)
_MIME = re.compile(r"^(?:application|text|image|audio|video|font|multipart|message|model)/[\w.+*-]+$")
_TEXTUAL = re.compile(r"^(?:text|image|audio|video|font|message|model)/")
_REF = re.compile(
    r"^(?:origin|upstream|refs|heads|remotes|feat|feature|fix|bugfix|hotfix|release|chore|refactor|claude|codex|"
    r"copilot|dependabot|renovate|worktree|users?)/"
)
_DOMAIN = re.compile(
    r"(?i)^(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|co|app|gov|edu|us|uk|de|eu|rs|me|sh|xyz|cloud|tech|info|tv|ly|gg|so|"
    r"land|page|site|online|local|internal|localhost|test|example)(?::\d+)?(?:/|$)"
)
_VERB = re.compile(r"^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT|TRACE)\b")
_ROOTS = re.compile(
    r"^/(?:Users|home|root|tmp|etc|var|usr|opt|proc|dev|sys|mnt|private|Volumes|workspaces?|srv|Library|Applications|"
    r"data|run|github|app|repo)(?:/|$)"
)
_MACHINE = re.compile(
    r"^(?:\.git/|/(?:tmp|etc|var|usr|opt|proc|dev|sys|private|Library|Applications|run)(?:/|"
    r"$)|~/(?:\.|$|Library/|Desktop/|Downloads/)|%\w+%)"
)
_PLACEHOLDER = re.compile(
    r"<[^>]*>|\$[A-Za-z_({]|\.\.\.|…|XXX|YYYY|NNN|%[sd]|(?:^|/)path/to(?:/|$)|(?:^|/)to/(?:file|your)|\{[\w .\-]*\}|"
    r"\{\{|(?:^|[/_.-])(?:your|some|my)[-_]|(?:^|/)\[(?:entity|name|feature|path|file|slug-here|module|service)\w*\]|"
    r"\[[A-Z][A-Z _#-]+\]|###|TODO|TBD|(?:^|/)(?:X|Y|N|NN|xx|xxx|nnn|MMDD)(?:[./_-]|$)|__[A-Z]+__"
)
_STOCK_NAMES = re.compile(r"(?:^|/)(?:foo|bar|baz|qux|xyz|abc)(?:\.\w+)?(?:/|$)")

_LINES = re.compile(
    r"(?:[:#]L?|:~|:~L)(\d{1,7}(?:(?:\s?[-–—]\s?|\.\.)L?\d{1,7})?(?:,\s?[:~]?L?\d{1,7}(?:(?:\s?[-–—]\s?|"
    r"\.\.)L?\d{1,7})?)*)"
    r"(?::\d+)?(\+?)$"
)
_RANGE = re.compile(r"(~?)L?(\d{1,7})(?:\s?(?:-|–|—|\.\.)\s?L?(\d{1,7}))?")
_SYMBOL = re.compile(r"(?<=[\w\]])(?:::|:|#)[A-Za-z_][\w.:<>\[\]-]*(?:\([^()]*\))?$")
_ANCHOR = re.compile(r"#[\w§%.-]*$")
_EXT = re.compile(r"\.([A-Za-z0-9_-]{1,16})$")
_CLEAN = re.compile(r"^[\w.\-/@+()\[\]{}*?!~$<>%,&=# ':|…]+$")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_PARAMETERS = re.compile(r"(?:^|/):\w|/\*$|\?\w+=")
_NAME_END = re.compile(r"[\w\]>)}*]$")
_LIST = re.compile(r"[,;]\s*[\w./]")
_COMMA = re.compile(r"[,;]\s*")
_NUMBERISH = re.compile(r"^[\d.,:/x%+\-v]+$")


@dataclass(frozen=True, slots=True)
class Token:
    """A path as one token gives it. `sure` is false for a shape that may also be something else (no extension)."""

    path: str
    raw: str
    lines: tuple[LineRange, ...] = ()
    hedge: Hedge | None = None
    sure: bool = True

    @property
    def bare(self) -> bool:
        """A name without a directory."""
        return "/" not in self.path


def line_ranges(text: str, approximate: bool = False) -> tuple[LineRange, ...]:
    """The ranges of a list like `12`, `12-34`, `94, 100` or `L12-L20`; a reversed or zero range is dropped."""
    found: list[LineRange] = []
    for match in _RANGE.finditer(text):
        first = int(match.group(2))
        last = int(match.group(3) or first)
        if 0 < first <= last:
            found.append(LineRange(first, last, approximate or bool(match.group(1))))
    return tuple(found[:50])


def extension(path: str) -> str | None:
    """The extension of the last segment when it is one that files have, lower case without its dot."""
    match = _EXT.search(path)
    if match is None:
        return None
    found = match.group(1).lower()
    return found if found in EXTENSIONS else None


def _balanced(token: str) -> str:
    """`token` without the quotes, brackets and punctuation that belong to the sentence around it."""
    if token[:1].isalnum() and token[-1:].isalnum():
        return token
    for _ in range(8):
        before = token
        token = token.strip("\"'“”‘’`*„«»")
        token = token.rstrip(",;!?")
        if token.endswith(":") or (token.endswith(".") and not token.endswith("..")):
            token = token[:-1]
        for opening, closing in ("()", "[]", "{}", "<>"):
            if token.startswith(opening):
                end = token.find(closing)
                if end < 0 or end == len(token) - 1:
                    token = token[1:]
            if token.endswith(closing) and token.count(closing) > token.count(opening):
                token = token[:-1]
        if token == before:
            break
    return token


def _is_nothing(token: str) -> bool:
    """What looks like a path and is none: URLs, addresses, MIME types, refs, packages, routes, expressions."""
    if "://" in token or token.startswith(("//", "#", "--", "mailto:", "http:", "https:", "www.", "s3:", "-")):
        return True
    if _VERB.match(token) or (_MIME.match(token) and (extension(token) is None or _TEXTUAL.match(token) is not None)):
        return True
    if token.startswith("@") or ("@" in token and extension(token.split("@")[0]) is None and extension(token) is None):
        return True  # @scope/pkg, @/alias, user@host, pkg@1.2/sub
    if token.endswith(("()", ")?", ");")) or "==" in token or "=>" in token or "&&" in token or "||" in token:
        return True
    if _NUMBERISH.match(token):
        return True
    if token.startswith("!"):
        return True
    if _DOMAIN.match(token) and (token.count("/") or extension(token) is None):
        return True
    return bool(_REF.match(token)) and extension(token) is None


def _hedge(path: str) -> Hedge | None:
    if _PLACEHOLDER.search(path):
        return Hedge.PLACEHOLDER
    if _MACHINE.match(path) or path.startswith("../"):
        return Hedge.ELSEWHERE
    if _STOCK_NAMES.search(path):
        return Hedge.EXAMPLE
    return None


def _normal(path: str) -> str:
    directory = path.endswith("/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if "//" in path or "/./" in path or "/../" in path or path.endswith("/.."):
        absolute = path.startswith("/")
        path = normpath(path)
        if absolute:
            path = "/" + path.lstrip("/")
    path = path.rstrip("/")
    return path + "/" if directory and path else path


def _one(token: str, code: bool, stated: bool) -> Token | None:
    raw = token
    lines: tuple[LineRange, ...] = ()
    elsewhere = False
    if len(token) <= _MAX_SUFFIXED:
        if match := _LINES.search(token):
            lines = line_ranges(match.group(1))
            if not lines:
                return None
            token = token[: match.start()]
        else:
            cut = _SYMBOL.search(token)
            if cut is None and "#" in token:
                cut = _ANCHOR.search(token)
            if cut and (extension(token[: cut.start()]) or "/" in token[: cut.start()]):
                token = token[: cut.start()]
            elif "::" in token:
                return None
            elif ":" in token and not _DRIVE.match(token):
                ref, _, rest = token.partition(":")
                if "/" in rest and extension(rest) and re.fullmatch(r"[\w./^~-]+", ref) and not rest.startswith("/"):
                    token, elsewhere = rest, True  # `branch:path`, the form of git show
                elif extension(ref) is None:
                    return None
    if "\\" in token and "/" not in token and re.match(r"^(?:[A-Za-z]:\\|\.?\\?[\w.\-]+\\)", token):
        token = token.replace("\\", "/")
    token = token.replace("\\_", "_")
    if len(token) < 2 or not _CLEAN.match(token) or _is_nothing(token):
        return None
    path = _normal(token)
    if not path or path in (".", "..", "/", "~", "*", "**"):
        return None
    hedge = _hedge(path) or (Hedge.ELSEWHERE if elsewhere else None)
    known = extension(path)
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if not code and path.count("/") == 1 and _PRODUCTS.match(name):
        return None  # "Vercel/Next.js"
    if "/" not in path:
        return _bare(path, raw, lines, hedge, known, code)
    if path.startswith("/"):
        if not (_ROOTS.match(path) or (known and known not in _EXPRESSION_ENDINGS)):
            return None  # a route
    elif path.startswith("~") and not path.startswith("~/"):
        return None
    if not known and _PARAMETERS.search(path) and not path.endswith("/*"):
        return None  # a route with parameters
    if (
        name.startswith(".")
        and not code
        and name not in _NAMES
        and not re.match(r"\.(?:env|git|eslint|prettier|github|claude)", name)
    ):
        return None  # "a .mbox/.zip upload"
    if known or name in _NAMES or name.startswith("."):
        if " " in path and not re.search(r"\w \w", path):
            return None
        return Token(path, raw, lines, hedge)
    segments = path.rstrip("/").split("/")
    if path.endswith("/"):
        if not code and not stated and len(segments) < 2 and segments[0] not in _TOP:
            return None
        return Token(path, raw, lines, hedge)
    if any(mark in path for mark in "*{") and len(segments) > 1 and (code or stated):
        return Token(path, raw, lines, hedge, sure=segments[0] in _TOP)
    if " " in path or not (code or stated):
        return None
    if "." in segments[0].lstrip("."):
        return None  # `pkg.mod/attr`, `step.plan/apply`
    if segments[0] in _TOP or segments[0].startswith(".") or path.startswith("/") or (stated and len(segments) > 1):
        return Token(path, raw, lines, hedge, sure=False)
    return None


def _bare(
    path: str, raw: str, lines: tuple[LineRange, ...], hedge: Hedge | None, known: str | None, code: bool
) -> Token | None:
    name = path.rstrip("/")
    if path.endswith("/"):
        return Token(path, raw, lines, hedge, sure=name in _TOP) if code or name in _TOP else None
    if path in _NAMES:
        return Token(path, raw, lines, hedge) if code or "." in path else None
    if known is None or known in _EXPRESSION_ENDINGS or path.startswith((".", "*")) or _PRODUCTS.match(path):
        return None
    stem = path[: -len(known) - 1]
    if path[-len(known) :] not in (known, known.upper()) or stem.count(".") > (
        1 if known in ("py", "parquet", "go", "rs") else 2
    ):
        return None  # `Store.Lock`, `core.files.__init__.py`
    if "+" in stem and not code:
        return None
    if not _NAME_END.search(stem) or " " in path or "(" in stem:
        return None
    if not code and (
        len(known) < 2
        or (known in ("js", "ts", "go", "md") and stem[:1].isupper() and stem.isalpha() and known != "md")
    ):
        return None
    if stem.startswith(("self.", "this.", "response.", "request.", "res.", "req.", "data.", "result.")):
        return None
    return Token(path, raw, lines, hedge)


def _braces(text: str, limit: int = 20) -> list[str]:
    """The names that a shell makes of `a/{b,c}.py`; the text itself for braces of another kind."""
    match = re.search(r"\{([\w .\-/*,]*,[\w .\-/*,]*)\}", text)
    if match is None:
        return [text]
    parts = [part.strip() for part in match.group(1).split(",")]
    names = [text[: match.start()] + part + text[match.end() :] for part in parts]
    if len(names) > limit or "{" in text[match.end() :]:
        return [text]
    return names


def tokens(text: str, *, code: bool, stated: bool = False) -> list[Token]:
    """The paths in one token of text: usually none or one, more for `a.ts/b.ts` and comma-joined lists.

    `code`: the token is a code span's content. `stated`: it stands where only a path is expected (a Files bullet).
    """
    text = text.strip()
    if len(text) > MAX_TOKEN or len(text) < 2:
        return []
    if not code:
        text = _balanced(text)
    else:
        text = text.strip("\"'")
    if "/" not in text and "." not in text and "\\" not in text and text not in _NAMES:
        return []
    if code and ("," in text or ";" in text) and _LIST.search(text) and "{" not in text and "(" not in text:
        parts = _COMMA.split(text)
        found = [token for part in parts if (token := _one(part.strip(), code, stated))]
        if found and (
            len(found) == len(parts) or all(re.fullmatch(r"L?~?\d[\d\-–]*", p) or _one(p, code, stated) for p in parts)
        ):
            if len(found) == len(parts):
                return found
        elif " " in text and not _LINES.search(text):
            return []
    elif not code and "," in text and "{" not in text and not _LINES.search(text):
        return [token for part in text.split(",") if (token := _one(_balanced(part), code, stated))]
    suffix = _LINES.search(text) if code and " " in text and len(text) <= _MAX_SUFFIXED else None
    if code and " " in (text[: suffix.start()] if suffix else text):
        mark = re.match(
            r"^(\S+)\s+\((?:new|create|modify|delete|update|existing|lines?\s[\d,\- –]+)[^()]*\)$", text, re.I
        )
        if mark:
            text = mark.group(1)
        else:
            first, _, rest = text.partition(" ")
            if "/" not in first or extension(first) or "/" in rest or " " in rest or extension(rest) is None:
                return []  # a command or code, not one name with a space in it
    if "{" in text and "," in text and len(text) < 400:
        names = _braces(text)
        if len(names) > 1:
            return [replace(token, raw=text) for name in names if (token := _one(name, code, stated))]
    segments = text.split("/")
    if len(segments) == 2 and all(_bare(s, s, (), None, extension(s), True) for s in segments):
        return [token for s in segments if (token := _one(s, code, stated))]
    token = _one(text, code, stated)
    return [token] if token else []
