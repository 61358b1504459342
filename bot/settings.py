"""Settings of the process: `PLANPROOF_…` in the environment or in a `.env` file, the environment winning.

Secrets are `SecretStr`, so that neither a repr nor a log line shows them; errors never quote a value.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.core.nearest import nearest_word

PREFIX = "PLANPROOF_"
DEFAULT_ENV_FILE = Path(".env")
ENV_ENCODING = "utf-8-sig"
"""Some editors begin a file with a byte order mark, which would become a part of the first name."""


class SettingsError(Exception):
    """The process cannot start with these settings; the message says which one and what to do, without any value."""


class Settings(BaseSettings):
    """What the process was started with; build it with `load()`, in tests directly with `_env_file=None`.

    With all of App id, private key and webhook secret it serves an App, with none of them it is in setup mode
    (`configured` is false), and anything between is refused.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=DEFAULT_ENV_FILE,
        env_file_encoding=ENV_ENCODING,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    app_id: int | None = Field(default=None, ge=1, description="the App's number on its settings page")
    private_key: SecretStr | None = Field(default=None, description="PEM text, or the path of a PEM file")
    webhook_secret: SecretStr | None = Field(default=None, description="several, comma-separated, while rotating")
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535, description="0 takes any free port")
    public_url: str | None = Field(default=None, description="where GitHub reaches this process, for links")
    github_api: str = "https://api.github.com"
    git_url: str = Field(
        default="https://github.com/{owner}/{repo}.git", description="any git URL or path with {owner} and {repo}"
    )
    database_url: SecretStr | None = Field(default=None, description="default: an SQLite file in the data folder")
    data_dir: Path = Field(default=Path(".planproof"), description="database, mirrors and lock files")
    model: str | None = Field(default=None, description="none, or provider:name")
    model_verify: str | None = None
    model_plan: str | None = None
    model_adapt: str | None = None
    model_url: str | None = None
    model_window: int | None = Field(default=None, ge=1, description="tokens")
    model_reserve: int | None = Field(default=None, ge=0, description="tokens")
    llm_connect_url: str | None = Field(default=None, validation_alias="LLM_CONNECT_URL")
    mode: Literal["off", "shadow", "on"] = "on"
    write_spacing: float = Field(default=1.0, ge=0, le=60, description="seconds between writes of one installation")
    log: Literal["json", "text"] = "text"

    @field_validator("model", "model_verify", "model_plan", "model_adapt")
    @classmethod
    def _model_name(cls, value: str | None) -> str | None:
        if value is None or value == "none":
            return None
        if ":" not in value:
            raise ValueError("write it as provider:name, or none")
        return value

    @field_validator("github_api", "public_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not value.startswith(("https://", "http://")):
            raise ValueError("must start with https:// or http://")
        try:
            parts = urlsplit(value)
            whole = bool(parts.hostname) and parts.port != 0
        except ValueError:
            whole = False
        if not whole:
            raise ValueError("is no complete address, such as https://github.example/api/v3")
        return value.rstrip("/")

    @field_validator("git_url")
    @classmethod
    def _template(cls, value: str) -> str:
        rest = value.replace("{owner}", "").replace("{repo}", "")
        if "{" in rest or "}" in rest:
            raise ValueError("only {owner} and {repo} may stand in braces")
        return value

    @model_validator(mode="after")
    def _credentials(self) -> Settings:
        given = {
            "PLANPROOF_APP_ID": self.app_id is not None,
            "PLANPROOF_PRIVATE_KEY": self.private_key is not None,
            "PLANPROOF_WEBHOOK_SECRET": bool(self.webhook_secrets),
        }
        missing = [name for name, there in given.items() if not there]
        if missing and len(missing) < len(given):
            there = ", ".join(name for name in given if name not in missing)
            why = " Without a webhook secret anyone could post events." if given["PLANPROOF_APP_ID"] else ""
            raise ValueError(f"{there} is set, {' and '.join(missing)} missing: set all three, or none.{why}")
        if self.private_key is not None:
            _read_key(self.private_key.get_secret_value())
        return self

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Names that are set and that this version does nothing with yet."""
        later: tuple[str, ...] = ("public_url", "model", "model_verify", "model_plan", "model_adapt")
        later += ("model_url", "model_window", "model_reserve", "llm_connect_url")
        given = [name for name in later if getattr(self, name) is not None]
        return tuple("LLM_CONNECT_URL" if name == "llm_connect_url" else PREFIX + name.upper() for name in given)

    @property
    def configured(self) -> bool:
        """False in setup mode: no credentials at all, nothing can be received."""
        return self.app_id is not None

    @property
    def webhook_secrets(self) -> tuple[str, ...]:
        """Every secret that a delivery may be signed with, the current one first."""
        if self.webhook_secret is None:
            return ()
        return tuple(
            part for part in (raw.strip() for raw in self.webhook_secret.get_secret_value().split(",")) if part
        )

    @property
    def private_key_pem(self) -> str:
        """The PEM text of the App's private key. Raises SettingsError in setup mode."""
        if self.private_key is None:
            raise SettingsError("PLANPROOF_PRIVATE_KEY is not set")
        return _read_key(self.private_key.get_secret_value())

    @property
    def database(self) -> str:
        """The SQLAlchemy URL of the one database that jobs and store share; may hold a password, so never log it."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{(self.data_dir / 'planproof.db').absolute()}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret text the process holds, for redaction of logs and of what is posted."""
        held = [*self.webhook_secrets]
        if self.private_key is not None:
            held += [self.private_key_pem, self.private_key.get_secret_value()]
        if self.database_url is not None and "@" in self.database:
            held.append(self.database)
        # a path to the key is no secret, and short texts would blank out ordinary words
        return tuple(dict.fromkeys(text for text in held if len(text) >= 8 and not Path(text[:255]).is_file()))


def _read_key(value: str) -> str:
    text = value.strip()
    if "-----BEGIN" not in text:
        try:
            text = Path(text).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError, ValueError):
            raise ValueError("PLANPROOF_PRIVATE_KEY is neither PEM text nor the path of a readable PEM file") from None
    # env files and hosting panels often keep the line breaks as two characters
    text = text.replace("\\n", "\n").strip()
    if "-----BEGIN" not in text or "PRIVATE KEY-----" not in text:
        raise ValueError("PLANPROOF_PRIVATE_KEY holds no PEM private key")
    return text + "\n"


def known_names() -> tuple[str, ...]:
    """The names a person may set, as they stand in the environment."""
    return tuple(PREFIX + name.upper() for name in Settings.model_fields if name != "llm_connect_url")


def env_values(env_file: Path = DEFAULT_ENV_FILE) -> dict[str, str | None]:
    """What the file sets; nothing where there is none. Raises SettingsError for one that cannot be read."""
    if not env_file.is_file():
        return {}
    try:
        return dotenv_values(env_file, encoding=ENV_ENCODING)
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise SettingsError(f"{env_file} cannot be read: {why}") from None


def load(env_file: Path | None = DEFAULT_ENV_FILE) -> Settings:
    """Settings of this process. Raises SettingsError with a message for people, one line for each problem."""
    names = set(os.environ)
    if env_file is not None:
        names |= set(env_values(env_file))
    known = known_names()
    problems = [
        _unknown(name, known) for name in sorted(names) if name.upper().startswith(PREFIX) and name.upper() not in known
    ]
    if problems:
        raise SettingsError("\n".join(problems))
    try:
        return Settings(_env_file=env_file)
    except ValidationError as error:
        raise SettingsError("\n".join(_plain(error))) from None


def _unknown(name: str, known: tuple[str, ...]) -> str:
    # compared without the prefix, which all names share and which would make everything look near
    bare = [each.removeprefix(PREFIX) for each in known]
    best = nearest_word(name.upper().removeprefix(PREFIX), bare, floor=0.0)
    return f"{name} is not a setting; did you mean {PREFIX}{best or bare[0]}?"


def _plain(error: ValidationError) -> list[str]:
    lines = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        message = item["msg"].removeprefix("Value error, ")
        field = ".".join(str(part) for part in item["loc"])
        if not field:
            lines.append(message)
            continue
        name = field if field == "LLM_CONNECT_URL" else PREFIX + field.upper().removeprefix(PREFIX)
        lines.append(f"{name}: {message}")
    return lines
