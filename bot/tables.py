"""The store's tables as they are now; `bot/migrations` leads an older database here."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

reports = sa.Table(
    "planproof_reports",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("head_sha", sa.String(64), primary_key=True),
    sa.Column("plan_path", sa.Text, primary_key=True),
    sa.Column("report", sa.JSON, nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Index("planproof_reports_head", "repo_id", "head_sha"),
)

evidence = sa.Table(
    "planproof_evidence",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, primary_key=True, autoincrement=False),
)

runs = sa.Table(
    "planproof_runs",
    metadata,
    sa.Column("run_id", sa.String(32), primary_key=True),
    sa.Column("job_id", sa.Text, nullable=False),
    sa.Column("handler", sa.String(64), nullable=False),
    sa.Column("repo", sa.Text, nullable=True),
    sa.Column("number", sa.BigInteger, nullable=True),
    sa.Column("delivery", sa.String(64), nullable=True),
    sa.Column("head", sa.String(64), nullable=True),
    sa.Column("verdict", sa.String(32), nullable=True),
    sa.Column("conclusion", sa.String(32), nullable=True),
    sa.Column("state", sa.String(32), nullable=False),
    sa.Column("started", sa.BigInteger, nullable=False),
    sa.Column("finished", sa.BigInteger, nullable=True),
    sa.Column("detail", sa.Text, nullable=True),
    sa.Column("repo_id", sa.BigInteger, nullable=True),
    sa.Column("installation_id", sa.BigInteger, nullable=True),
    sa.Column("published", sa.BigInteger, nullable=True),
    sa.Index("planproof_runs_started", "started"),
    sa.Index("planproof_runs_number", "repo_id", "number", "started"),
)

configs = sa.Table(
    "planproof_configs",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("saved", sa.BigInteger, nullable=False),
)

repositories = sa.Table(
    "planproof_repositories",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False),
    sa.Column("introduced_on", sa.BigInteger, nullable=True),
    sa.Column("seen", sa.BigInteger, nullable=False),
    sa.Column("full_name", sa.Text, nullable=True),
    sa.Index("planproof_repositories_installation", "installation_id"),
)

decisions = sa.Table(
    "planproof_decisions",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("plan_path", sa.Text, primary_key=True),
    sa.Column("finding_id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("login", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)

open_checks = sa.Table(
    "planproof_open_checks",
    metadata,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("head_sha", sa.String(64), primary_key=True),
    sa.Column("installation_id", sa.BigInteger, nullable=False),
    sa.Column("repo", sa.Text, nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
)

installations = sa.Table(
    "planproof_installations",
    metadata,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("missing", sa.JSON, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
)

defaults = sa.Table(
    "planproof_defaults",
    metadata,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("owner", sa.String(100), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("saved", sa.BigInteger, nullable=False),
)

sweeps = sa.Table(
    "planproof_sweeps",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
)
