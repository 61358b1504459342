from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.symbols import MAX_TEXT, definitions, family, language_named, language_of, readable
from bot.core.symbols.kinds import EXTENSIONS, LANGUAGES

SAMPLES = {
    "python": (
        "LIMIT = 3\n@keep\ndef turn(x):\n    return x\nclass Wheel:\n    def spin(self): ...\n",
        "LIMIT turn Wheel spin",
    ),
    "typescript": (
        (
            "export const limit = 3;\nexport function turn() {}\nexport class Wheel { spin() {} size: number = 1 }\n"
            "interface Gear { teeth: number }\ntype Alias = Gear;\nenum Mode { A = 1 }\n"
        ),
        "limit turn Wheel spin size Gear teeth Alias Mode A",
    ),
    "tsx": ("export const Dial = () => <div/>;\nfunction turn() { return <b>x</b>; }\n", "Dial turn"),
    "javascript": ("const limit = 3;\nfunction turn() {}\nclass Wheel { spin() {} }\n", "limit turn Wheel spin"),
    "go": (
        (
            "package gears\nconst Limit = 3\nvar Total int\ntype Wheel struct { Size int }\nfunc Turn() {}\n"
            "func (w *Wheel) Spin() {}\ntype Gear interface { Mesh() }\n"
        ),
        "Limit Total Wheel Size Turn Spin Gear Mesh",
    ),
    "rust": (
        (
            "pub fn turn() {}\nstruct Wheel { size: i32 }\nimpl Wheel { fn spin(&self) {} }\nenum Mode { A }\n"
            "trait Gear { fn mesh(&self); }\nconst LIMIT: i32 = 3;\nmacro_rules! gear { () => {} }\n"
        ),
        "turn Wheel size spin Mode A Gear mesh LIMIT gear",
    ),
    "java": ("class Wheel { int size = 1; void spin() {} enum Mode { A } }\n", "Wheel size spin Mode A"),
    "kotlin": (
        "class Wheel {\n  val size = 1\n  fun spin() {}\n}\nfun turn() {}\nobject Hub {}\n",
        "Wheel size spin turn Hub",
    ),
    "c": (
        "#define LIMIT 3\nstruct wheel { int size; };\nstatic int turn(void) { return 1; }\n",
        "LIMIT wheel size turn",
    ),
    "cpp": ("namespace gears { class Wheel { void spin() {} }; }\nvoid Wheel::turn() {}\n", "Wheel spin turn"),
    "csharp": ("class Wheel { int size; void Spin() {} public int Speed { get; set; } }\n", "Wheel size Spin Speed"),
    "ruby": ("module Gears\n class Wheel\n  LIMIT = 3\n  def spin; end\n end\nend\n", "Gears Wheel LIMIT spin"),
    "php": ("<?php class Wheel { const LIMIT = 3; public $size; function spin() {} }\n", "Wheel LIMIT size spin"),
    "swift": ("struct Wheel {\n let size = 1\n func spin() {}\n}\nfunc turn() {}\n", "Wheel size spin turn"),
    "scala": ("class Wheel { def spin = 1\n val size = 2 }\nobject Hub\n", "Wheel spin size Hub"),
    "dart": ("class Wheel { int size = 1; void spin() {} }\nvoid turn() {}\n", "Wheel size spin turn"),
    "lua": ("local function turn() end\nfunction M.spin() end\nlimit = 3\n", "turn spin limit"),
    "bash": ("turn() { :; }\nLIMIT=3\n", "turn LIMIT"),
}


def test_every_language_of_the_table_has_a_sample() -> None:
    assert SAMPLES.keys() == LANGUAGES.keys()
    assert set(EXTENSIONS.values()) == set(LANGUAGES)


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_the_names_that_a_text_defines_are_found(language: str) -> None:
    text, names = SAMPLES[language]
    assert set(names.split()) <= {each.name for each in definitions(text, language)}


def test_a_definition_has_its_lines_with_decorators_and_what_is_around_it() -> None:
    text = (
        "class Wheel:\n    @cached\n    def spin(self):\n        speed = 1\n        return speed\n\n\ndef turn(): ...\n"
    )
    found = {each.name: each for each in definitions(text, "python")}
    assert (found["spin"].first, found["spin"].last, found["spin"].container) == (2, 5, "Wheel")
    assert (found["speed"].local, found["turn"].local, found["turn"].container) == (True, False, None)


def test_a_method_in_go_is_contained_in_its_receiver() -> None:
    text = "package a\nfunc (w *Wheel[T]) Spin() {}\nfunc Spin() {}\n"
    assert [each.container for each in definitions(text, "go")] == ["Wheel", None]


@pytest.mark.parametrize(
    ("path", "language"),
    [("a/b.py", "python"), ("a.test.tsx", "tsx"), ("a.h", "c"), ("Makefile", None), ("a.txt", None), ("a.b/c", None)],
)
def test_the_language_of_a_file_follows_from_its_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


def test_a_fence_may_name_its_language_in_other_words() -> None:
    named = [language_named(info) for info in ("py", "ts {1}", "golang", "c#", "klingon", "")]
    assert named == ["python", "typescript", "go", "csharp", None, None]
    assert "javascript" in family("typescript")


def test_a_text_that_does_not_read_as_code_is_not_parsed() -> None:
    assert not readable("}{" * 5 + "}" * 20, "typescript")
    assert not readable("{" * 5_000, "go")
    assert not readable("x" * (MAX_TEXT + 1), "python")
    assert definitions("x = 1\n" * 200_000, "python") == ()
    assert definitions("class A {}", "klingon") == ()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LANGUAGES)), st.text(alphabet="abc(){}[]<>=:;,.\"'`#/*@ \n\tfdeclasunt", max_size=200))
def test_no_text_makes_it_raise(language: str, text: str) -> None:
    for each in definitions(text, language):
        assert 1 <= each.first <= each.last <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("x = " + "(" * 150 + ")" * 150 + "\n", True),
        ("x = " + "(" * 300 + ")" * 300 + "\n", False),
        ("x = [(1, 2)]\n" * 50 + "y = '([{'\n", True),
        ("([)]{(})" * 500, False),
        ("x = 1\n" * 60_000, False),
    ],
)
def test_what_no_one_writes_is_not_parsed(text: str, reads: bool) -> None:
    assert readable(text, "python") is reads
