from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, known_names, load
from tests.machine import PEM

GOOD = {"PLANPROOF_APP_ID": "12", "PLANPROOF_PRIVATE_KEY": PEM, "PLANPROOF_WEBHOOK_SECRET": "first-secret"}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.startswith(("PLANPROOF_", "LLM_CONNECT")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def put(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_nothing_set_is_setup_mode_with_the_documented_defaults(tmp_path: Path) -> None:
    found = load()
    assert not found.configured
    assert (found.host, found.port) == ("127.0.0.1", 8000)
    assert found.github_api == "https://api.github.com"
    assert found.git_url == "https://github.com/{owner}/{repo}.git"
    assert (found.mode, found.log, found.write_spacing) == ("on", "text", 1.0)
    assert found.model is None
    assert found.database == f"sqlite:///{tmp_path}/.planproof/planproof.db"


def test_the_names_are_those_that_outsiders_rely_on() -> None:
    names = """APP_ID PRIVATE_KEY WEBHOOK_SECRET HOST PORT PUBLIC_URL GITHUB_API GIT_URL DATABASE_URL DATA_DIR MODEL
        MODEL_VERIFY MODEL_PLAN MODEL_ADAPT MODEL_URL MODEL_WINDOW MODEL_RESERVE MODE WRITE_SPACING LOG"""
    assert set(known_names()) == {f"PLANPROOF_{name}" for name in names.split()}


def test_a_misspelt_name_is_refused_with_the_nearest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, PLANPROOF_WEBHOK_SECRET="x", PLANPROOF_APPID="1")
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(caught.value).splitlines() == [
        "PLANPROOF_APPID is not a setting; did you mean PLANPROOF_APP_ID?",
        "PLANPROOF_WEBHOK_SECRET is not a setting; did you mean PLANPROOF_WEBHOOK_SECRET?",
    ]


def test_a_misspelt_name_in_the_env_file_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PLANPROOF_PORTS=9\n")
    with pytest.raises(SettingsError, match="PLANPROOF_PORTS is not a setting; did you mean PLANPROOF_PORT"):
        load()


def test_an_env_file_with_a_byte_order_mark_is_read_and_one_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfPLANPROOF_PORT=9001\n")
    assert load().port == 9001
    (tmp_path / ".env").write_bytes(b"PLANPROOF_HOST=caf\xe9\n")
    with pytest.raises(SettingsError, match=r"\.env cannot be read: it is not UTF-8 text"):
        load()


def test_the_environment_wins_over_the_env_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PLANPROOF_PORT=9001\nPLANPROOF_HOST=0.0.0.0\nOTHER=1\n")
    put(monkeypatch, PLANPROOF_PORT="9002")
    found = load()
    assert (found.port, found.host) == (9002, "0.0.0.0")  # noqa: S104


def test_an_app_id_without_a_webhook_secret_refuses_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, PLANPROOF_APP_ID="12", PLANPROOF_PRIVATE_KEY=PEM)
    with pytest.raises(SettingsError, match="PLANPROOF_WEBHOOK_SECRET missing: set all three"):
        load()


@pytest.mark.parametrize("secret", ["", " , ,"])
def test_an_empty_webhook_secret_is_none(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    put(monkeypatch, **GOOD | {"PLANPROOF_WEBHOOK_SECRET": secret})
    with pytest.raises(SettingsError, match="PLANPROOF_WEBHOOK_SECRET missing"):
        load()


def test_a_secret_without_an_app_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, PLANPROOF_WEBHOOK_SECRET="first-secret")
    with pytest.raises(SettingsError, match="PLANPROOF_APP_ID and PLANPROOF_PRIVATE_KEY missing"):
        load()


def test_several_webhook_secrets_stand_in_a_comma_list(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, **GOOD | {"PLANPROOF_WEBHOOK_SECRET": "new-secret, old-secret,"})
    assert load().webhook_secrets == ("new-secret", "old-secret")


def test_the_private_key_may_be_a_path_or_text_with_escaped_line_breaks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "key.pem").write_text(PEM)
    for value in (PEM, "key.pem", str(tmp_path / "key.pem"), PEM.replace("\n", "\\n")):
        put(monkeypatch, **GOOD | {"PLANPROOF_PRIVATE_KEY": value})
        assert load().private_key_pem == PEM


@pytest.mark.parametrize("value", ["nowhere.pem", "not a key", "\0", "/"])
def test_a_private_key_that_is_neither_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    if value == "\0":
        with pytest.raises(ValueError, match="neither PEM text nor the path"):
            Settings(_env_file=None, app_id=1, private_key=value, webhook_secret="first-secret")
        return
    put(monkeypatch, **GOOD | {"PLANPROOF_PRIVATE_KEY": value})
    with pytest.raises(SettingsError, match="PLANPROOF_PRIVATE_KEY is neither") as caught:
        load()
    assert "not a key" not in str(caught.value)


def test_secrets_are_in_no_repr_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    database = "postgresql://planproof:hunter2hunter2@db/planproof"
    put(monkeypatch, **GOOD, PLANPROOF_DATABASE_URL=database)
    found = load()
    shown = repr(found) + str(found) + found.model_dump_json()
    for secret in ("first-secret", "bm90IGEga2V5", "hunter2"):
        assert secret not in shown
    assert set(found.secrets) == {"first-secret", PEM, database}
    put(monkeypatch, PLANPROOF_PORT="first-secret")
    with pytest.raises(SettingsError) as caught:
        load()
    assert "first-secret" not in str(caught.value)
    assert str(caught.value).startswith("PLANPROOF_PORT: ")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PLANPROOF_MODE", "maybe", "'off', 'shadow' or 'on'"),
        ("PLANPROOF_LOG", "xml", "'json' or 'text'"),
        ("PLANPROOF_PORT", "70000", "less than or equal to 65535"),
        ("PLANPROOF_WRITE_SPACING", "-1", "greater than or equal to 0"),
        ("PLANPROOF_GITHUB_API", "api.github.com", "must start with https"),
        ("PLANPROOF_GITHUB_API", "https://", "no complete address"),
        ("PLANPROOF_GITHUB_API", "http://host:port", "no complete address"),
        ("PLANPROOF_GITHUB_API", "http://[::1", "no complete address"),
        ("PLANPROOF_GIT_URL", "https://git/{organisation}/{repo}", "only {owner} and {repo}"),
        ("PLANPROOF_GIT_URL", "https://git/{owner}/{repo!r}", "only {owner} and {repo}"),
        ("PLANPROOF_MODEL", "gpt", "provider:name"),
    ],
)
def test_a_value_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str) -> None:
    put(monkeypatch, **{name: value})
    with pytest.raises(SettingsError, match=re.escape(words)) as caught:
        load()
    assert str(caught.value).startswith(f"{name}: ")


def test_the_address_of_the_llm_connector_has_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, LLM_CONNECT_URL="http://localhost:1", PLANPROOF_MODEL="none")
    found = load()
    assert found.llm_connect_url == "http://localhost:1"
    assert found.model is None


def test_a_setting_that_this_version_does_nothing_with_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLANPROOF_MODEL", "openai:some")
    monkeypatch.setenv("LLM_CONNECT_URL", "http://127.0.0.1:9")
    assert load(env_file=None).without_effect == ("PLANPROOF_MODEL", "LLM_CONNECT_URL")
