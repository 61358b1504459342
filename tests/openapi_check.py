"""Check HTTP requests (and responses) against GitHub's official OpenAPI description.

    from openapi_check import Description
    d = Description("openapi/api.github.com.json")
    problems = d.check_request("POST", "/repos/o/r/issues/1/labels", {}, {"labels": ["bug"]})
    -> []                     valid
    -> ["body.labels: ..."]   every reason it is not

CLI:
    python openapi_check.py SPEC METHOD PATH[?query] [JSON-BODY]
    python openapi_check.py SPEC --slim OUT.json METHOD:/path/template ...   (cut a small description)

Beyond what a JSON-schema validator says, it reports what plain validation lets through in GitHub's description:
unknown query parameters, unknown body properties (no schema there says additionalProperties: false),
a body on an operation that has none, and a deprecated operation (check_request(..., warn=list)).
OpenAPI 3.0 `nullable` is rewritten to JSON schema lazily, one operation at a time, and validators are cached.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema_rs

Node = dict[Any, Any]
Defs = dict[str, Any]
Query = Mapping[str, Any] | Iterable[tuple[str, Any]] | str | bytes | None

METHODS = ("get", "post", "put", "patch", "delete", "head")
REF = "#/components/"
ANNOTATIONS = {"nullable", "example", "examples", "discriminator", "readOnly", "writeOnly"} | {
    *("xml", "externalDocs", "deprecated", "description", "title", "default")
}
CHECKED_FORMATS = ("date-time", "date", "email")


class Description:
    def __init__(self, spec: dict[str, Any] | str | Path) -> None:
        if not isinstance(spec, dict):
            spec = json.loads(Path(spec).read_bytes())
        assert isinstance(spec, dict)
        self.spec: dict[str, Any] = spec
        self.version: str = spec["info"]["version"]
        self._converted: dict[str, tuple[Any, Defs]] = {}
        self._validators: dict[tuple[str, ...], Any] = {}
        self._trie: Node = {}
        for template, item in spec["paths"].items():
            self._add(template, item)

    # ---- routing -------------------------------------------------------------------------------
    def _add(self, template: str, item: Node) -> None:
        multi: set[str] = set()
        for method in METHODS:
            for p in self._params(item, item.get(method, {})):
                if p["in"] == "path" and p.get("x-multi-segment"):
                    multi.add(f"{{{p['name']}}}")
        node = self._trie
        for seg in template.strip("/").split("/"):
            if seg.startswith("{") and seg.endswith("}"):
                key = ("**", seg) if seg in multi else ("*", seg)
            elif "{" in seg:
                key = ("re", seg)
            else:
                key = ("=", seg)
            node = node.setdefault(key, {})
        node[("end",)] = (template, item)

    def _match(
        self, node: Node, segs: Sequence[str], i: int, got: dict[str, str]
    ) -> Iterator[tuple[str, Node, dict[str, str]]]:
        if i == len(segs):
            end = node.get(("end",))
            if end:
                yield end[0], end[1], dict(got)
            for key, child in node.items():  # .../contents/ : an empty multi-segment parameter
                if key[0] == "**" and ("end",) in child:
                    yield child[("end",)][0], child[("end",)][1], {**got, key[1][1:-1]: ""}
            return
        exact = node.get(("=", segs[i]))
        if exact is not None:
            yield from self._match(exact, segs, i + 1, got)
        for key, child in node.items():
            kind = key[0]
            if kind == "*" and segs[i]:
                yield from self._match(child, segs, i + 1, {**got, key[1][1:-1]: unquote(segs[i])})
            elif kind == "re":
                rx = "".join(
                    f"(?P<{p[1:-1]}>[^/]+)" if p.startswith("{") else re.escape(p)
                    for p in re.split(r"(\{[^}]+\})", key[1])
                )
                m = re.fullmatch(rx, segs[i])
                if m:
                    yield from self._match(child, segs, i + 1, {**got, **m.groupdict()})
        for key, child in node.items():
            if key[0] == "**":
                for j in range(len(segs), i, -1):
                    yield from self._match(child, segs, j, {**got, key[1][1:-1]: unquote("/".join(segs[i:j]))})

    @staticmethod
    def _rank(template: str, segs: Sequence[str]) -> tuple[int, int]:
        """most specific first: /commits/{ref}/check-runs before /commits/{ref} with ref = 'x/check-runs'"""
        parts = template.strip("/").split("/")
        return -sum("{" not in p for p in parts), abs(len(parts) - len(segs))

    def find(self, method: str, path: str) -> tuple[str | None, Any, dict[str, str] | None]:
        """(template, operation, path parameters), or (None, reason, None)"""
        segs = path.strip("/").split("/")
        hits = sorted(self._match(self._trie, segs, 0, {}), key=lambda h: self._rank(h[0], segs))
        for template, item, got in hits:
            if method.lower() in item:
                return template, item, got
        if hits:
            return None, f"no {method.upper()} on {hits[0][0]}", None
        return None, f"no path {path} in the description", None

    # ---- references ----------------------------------------------------------------------------
    def _deref(self, node: Any) -> Any:
        while isinstance(node, dict) and "$ref" in node:
            target: Any = self.spec
            for part in node["$ref"][2:].split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def _params(self, item: Node, op: Node) -> Iterable[Any]:
        out: dict[tuple[str, str], Any] = {}
        for p in [*item.get("parameters", ()), *op.get("parameters", ())]:
            p = self._deref(p)
            out[p["in"], p["name"]] = p
        return out.values()

    def _convert(self, s: Any, defs: Defs) -> Any:
        """OpenAPI 3.0 schema -> JSON schema 2020-12; every referenced component is put in defs once."""
        if isinstance(s, list):
            return [self._convert(x, defs) for x in s]
        if not isinstance(s, dict):
            return s
        if "$ref" in s:
            name = s["$ref"].rsplit("/", 1)[1]
            if name not in defs:
                defs[name] = None  # recursion guard
                if name not in self._converted:
                    own: Defs = {}
                    self._converted[name] = (self._convert(self._deref(s), own), own)
                body, own = self._converted[name]
                defs[name] = body
                for dep in list(own):
                    self._convert({"$ref": "#/components/schemas/" + dep}, defs)
            return {"$ref": "#/$defs/" + name}
        out: dict[str, Any] = {}
        for k, v in s.items():
            skipped_format = k == "format" and v not in CHECKED_FORMATS
            boolean_bound = k in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(v, bool)
            if k in ANNOTATIONS or k.startswith("x-") or skipped_format or boolean_bound:
                continue
            if k == "properties":
                out[k] = {n: self._convert(p, defs) for n, p in v.items()}
            elif k == "enum":
                out[k] = v
            else:
                out[k] = self._convert(v, defs)
        if s.get("nullable"):
            out = {"anyOf": [{"type": "null"}, out]}
        return out

    def _validator(self, key: tuple[str, ...], schema: Any) -> Any:
        v = self._validators.get(key)
        if v is None:
            defs: Defs = {}
            js = self._convert(schema, defs)
            js = {"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [js], "$defs": defs}
            v = jsonschema_rs.Draft202012Validator(js)
            self._validators[key] = v
        return v

    def _errors(self, key: tuple[str, ...], schema: Any, value: Any, where: str) -> list[str]:
        out: list[str] = []
        for e in self._validator(key, schema).iter_errors(value):
            spot = "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in e.instance_path)
            msg = e.message if len(e.message) < 300 else e.message[:140] + " … " + e.message[-140:]
            out.append(f"{where}{spot}: {msg}")
        return out

    # ---- unknown properties --------------------------------------------------------------------
    def _known(self, schema: Any) -> dict[str, list[Any]] | None:
        """property name -> list of schemas; None = anything goes (a map, or no properties said)"""
        schema = self._deref(schema)
        names: dict[str, list[Any]] = {}
        open_ = True
        if "properties" in schema:
            open_ = False
            for n, s in schema["properties"].items():
                names.setdefault(n, []).append(s)
        if schema.get("additionalProperties") not in (None, False):
            return None
        for word in ("allOf", "oneOf", "anyOf"):
            subs = [self._deref(x) for x in schema.get(word, ())]
            for sub in subs:
                if "properties" not in sub and set(sub) <= {"required"}:
                    continue
                more = self._known(sub) if sub.get("type", "object") == "object" else {}
                if more is None:
                    return None
                open_ = False
                for n, ss in more.items():
                    names.setdefault(n, []).extend(ss)
        return None if open_ else names

    def _unknown(self, schemas: Sequence[Any], value: Any, where: str) -> list[str]:
        out: list[str] = []
        schemas = [self._deref(s) for s in schemas]
        flat: list[Any] = []
        for s in schemas:
            flat.append(s)
            for word in ("allOf", "oneOf", "anyOf"):
                flat += [self._deref(x) for x in s.get(word, ())]
        if isinstance(value, dict):
            known: dict[str, list[Any]] = {}
            for s in schemas:
                k = self._known(s)
                if k is None:
                    return out
                for n, ss in k.items():
                    known.setdefault(n, []).extend(ss)
            for n, v in value.items():
                if n not in known:
                    out.append(f"{where}.{n}: no such property in the description")
                else:
                    out += self._unknown(known[n], v, f"{where}.{n}")
        elif isinstance(value, list):
            items = [s["items"] for s in flat if "items" in s]
            for i, v in enumerate(value):
                if items:
                    out += self._unknown(items, v, f"{where}[{i}]")
        return out

    # ---- public --------------------------------------------------------------------------------
    def _param_value(self, schema: Any, text: str) -> Any:
        schema = self._deref(schema)
        t = schema.get("type")
        try:
            if t == "integer":
                return int(text)
            if t == "number":
                return float(text)
            if t == "boolean":
                return {"true": True, "false": False}[text.lower()]
            if t == "array":
                return [self._param_value(schema.get("items", {}), x) for x in text.split(",")]
        except (ValueError, KeyError):
            return text
        if t is None and ("oneOf" in schema or "anyOf" in schema):
            for s in schema.get("oneOf") or schema.get("anyOf") or ():
                v = self._param_value(s, text)
                if not isinstance(v, str):
                    return v
        return text

    def check_request(
        self,
        method: str,
        path: str,
        query: Query = None,
        body: Any = None,
        content_type: str | None = "application/json",
        warn: list[str] | None = None,
    ) -> list[str]:
        """List of reasons why the request does not conform ([] = conforms). query: dict, list of pairs or string."""
        if "?" in path:
            path, _, tail = path.partition("?")
            query = [*parse_qsl(tail, keep_blank_values=True), *self._pairs(query)]
        else:
            query = self._pairs(query)
        template, item, got = self.find(method, path)
        if template is None or got is None:
            return [item]
        op = item[method.lower()]
        opid = op.get("operationId", template)
        out: list[str] = []
        if op.get("deprecated") and warn is not None:
            warn.append(f"{opid} is deprecated")
        params = {(p["in"], p["name"]): p for p in self._params(item, op)}
        for name, text in got.items():
            p = params.get(("path", name))
            if p:
                schema = p.get("schema", {})
                out += self._errors((opid, "path", name), schema, self._param_value(schema, text), f"path {name}")
        names: set[str] = set()
        for name, text in query:
            names.add(name)
            p = params.get(("query", name)) or params.get(("query", name.removesuffix("[]")))
            if p is None:
                out.append(f"query {name}: no such parameter of {opid}")
            else:
                schema = p.get("schema", {})
                value = self._param_value(schema, str(text))
                out += self._errors((opid, "query", name), schema, value, f"query {name}")
        for (where, name), p in params.items():
            if where == "query" and p.get("required") and name not in names:
                out.append(f"query {name}: required by {opid}, missing")
        rb = self._deref(op.get("requestBody")) if "requestBody" in op else None
        if rb is None:
            if body not in (None, {}, b"", ""):
                out.append(f"body: {opid} takes none")
        else:
            content = rb["content"]
            if body is None:
                if rb.get("required"):
                    out.append(f"body: required by {opid}, missing")
            else:
                media = content.get((content_type or "").split(";")[0].strip())
                if media is None:
                    out.append(f"body: content type {content_type} is not one of {', '.join(content)}")
                elif "json" in (content_type or ""):
                    if isinstance(body, bytes | str):
                        try:
                            body = json.loads(body)
                        except ValueError as e:
                            return [*out, f"body: not JSON: {e}"]
                    schema = media.get("schema", {})
                    out += self._errors((opid, "body"), schema, body, "body")
                    out += self._unknown([schema], body, "body")
        return out

    def check_response(self, method: str, path: str, status: int, body: Any, unknown: bool = False) -> list[str]:
        template, item, _ = self.find(method, path.partition("?")[0])
        if template is None:
            return [item]
        op = item[method.lower()]
        responses = op["responses"]
        r = responses.get(str(status), responses.get("default"))
        if r is None:
            return [f"status {status} is not one of {', '.join(responses)}"]
        content = self._deref(r).get("content", {})
        media = content.get("application/json") or next((v for k, v in content.items() if "json" in k), None)
        if media is None:
            return [] if body in (None, "", b"") else [f"status {status}: a body where none is described"]
        schema = media.get("schema", {})
        out = self._errors((op.get("operationId", template), "response", str(status)), schema, body, "response")
        if unknown:
            out += self._unknown([schema], body, "response")
        return out

    @staticmethod
    def _pairs(query: Query) -> list[tuple[str, Any]]:
        if not query:
            return []
        if isinstance(query, str | bytes):
            return parse_qsl(query if isinstance(query, str) else query.decode(), keep_blank_values=True)
        pairs = query.items() if isinstance(query, Mapping) else query
        return [(k, x) for k, v in pairs for x in (v if isinstance(v, list | tuple) else [v])]

    # ---- cut a small description ---------------------------------------------------------------
    def slim(self, wanted: Iterable[str]) -> dict[str, Any]:
        """wanted: iterable of 'METHOD:/template'. A description with those operations and what they refer to."""
        paths: dict[str, Any] = {}
        for w in wanted:
            m, _, t = w.partition(":")
            src = self.spec["paths"][t]
            dst = paths.setdefault(t, {k: v for k, v in src.items() if k not in METHODS})
            dst[m.lower()] = src[m.lower()]
        comp: dict[str, Any] = {}
        todo: list[Any] = [paths]
        while todo:
            x = todo.pop()
            if isinstance(x, dict):
                r = x.get("$ref")
                if isinstance(r, str) and r.startswith(REF):
                    kind, name = r[len(REF) :].split("/", 1)
                    if name not in comp.setdefault(kind, {}):
                        comp[kind][name] = self.spec["components"][kind][name]
                        todo.append(comp[kind][name])
                for k, v in x.items():
                    if k not in ("examples", "example"):
                        todo.append(v)
            elif isinstance(x, list):
                todo.extend(x)

        def strip(x: Any) -> Any:
            if isinstance(x, dict):
                return {
                    k: strip(v)
                    for k, v in x.items()
                    if not (
                        k in ("example", "examples", "externalDocs", "x-github", "x-githubCloudOnly")
                        or (k == "description" and isinstance(v, str))
                    )
                }
            return [strip(v) for v in x] if isinstance(x, list) else x

        head = {"openapi": self.spec["openapi"], "info": self.spec["info"]}
        return {**head, "paths": strip(paths), "components": strip(comp)}


def main(argv: Sequence[str]) -> int:
    d = Description(argv[0])
    if argv[1] == "--slim":
        Path(argv[2]).write_text(json.dumps(d.slim(argv[3:]), separators=(",", ":")))
        return 0
    body = json.loads(argv[3]) if len(argv) > 3 else None
    u = urlsplit(argv[2])
    warn: list[str] = []
    problems = d.check_request(argv[1], u.path, u.query, body, warn=warn)
    for w in warn:
        sys.stdout.write(f"warning: {w}\n")
    sys.stdout.write(("valid" if not problems else "invalid:\n  " + "\n  ".join(problems)) + "\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
