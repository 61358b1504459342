from __future__ import annotations

import pytest

from bot.github.sanitize import REDACTED, redact, visible

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_" + "a1B2" * 9,
        "ghs_" + "a1B2" * 9,
        "gho_" + "a1B2" * 9,
        "ghu_" + "a1B2" * 9,
        "ghr_" + "a1B2" * 9,
        "ghs_12345_" + "eyJhbGciOi.eyJpc3MiOi.c2lnbmF0dXJl" * 2,
        "github_pat_11ABCDEFG0_" + "x" * 59,
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJlc2lnbmF0dXJl",
        "sk-ant-api03-" + "x" * 40,
        "sk-" + "x1" * 24,
        "AKIA" + "ABCDEFGH12345678",
        "xoxb-123456789012-abcdefghij",
        PEM,
    ],
)
def test_credentials_are_blanked_wherever_they_stand(secret: str) -> None:
    assert redact(f"before {secret} after") == f"before {REDACTED} after"
    assert secret not in redact(f"`{secret}`")


def test_a_key_that_was_cut_off_takes_the_rest_with_it() -> None:
    assert redact(f"a {PEM[:60]}") == f"a {REDACTED}"


def test_two_keys_and_the_text_between() -> None:
    assert redact(f"{PEM} and {PEM}.") == f"{REDACTED} and {REDACTED}."


def test_our_own_secrets_in_any_form() -> None:
    assert redact("x hook_secret_1 y", ["hook_secret_1"]) == f"x {REDACTED} y"
    assert redact("x hook\\_secret\\_1 y", ["hook_secret_1"]) == f"x {REDACTED} y"
    assert redact("key: line one\\nline two", ["line one\nline two\n"]) == f"key: {REDACTED}"
    assert redact("short", ["short"]) == "short"


@pytest.mark.parametrize(
    "text",
    ["ghp_short", "src/sk-learn-compat-layer-tests-for-it.py", "eyJ.eyJ.x", "a" * 40, "-----BEGIN CERTIFICATE-----"],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def test_what_cannot_be_seen_is_taken_out() -> None:
    hidden = "a\u200bb\u202ec\u2066d\ufefffe\U000e0041f\x00g\x1bh\U000e0100i\ud800j\u00adk"
    assert visible(hidden) == "abcdfefghijk"
    assert visible("one\r\ntwo\tthree\rfour") == "one\ntwo three\nfour"
    assert visible("one\ttwo", keep="\n\t") == "one\ttwo"
    assert visible("Größe 尺寸 🔴 ❤️") == "Größe 尺寸 🔴 ❤️"


@pytest.mark.parametrize("unit", ["eyJ", "eyJaaaaaaaaaaa.", "ghp_", "-----BEGIN PRIVATE KEY-----", "sk-", "x" * 50])
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    redact(unit * (1_000_000 // len(unit)), ["a secret of tests"])
