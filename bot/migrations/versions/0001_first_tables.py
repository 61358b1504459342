"""reports, evidence, runs, configurations, repositories"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "planproof_reports",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("head_sha", sa.String(64), primary_key=True),
        sa.Column("plan_path", sa.Text, primary_key=True),
        sa.Column("report", sa.JSON, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_index("planproof_reports_head", "planproof_reports", ["repo_id", "head_sha"])
    op.create_table(
        "planproof_evidence",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("issue", sa.BigInteger, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "planproof_runs",
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
    )
    op.create_index("planproof_runs_started", "planproof_runs", ["started"])
    op.create_table(
        "planproof_configs",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("saved", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "planproof_repositories",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("introduced_on", sa.BigInteger, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_index("planproof_repositories_installation", "planproof_repositories", ["installation_id"])


def downgrade() -> None:
    for table in ("planproof_repositories", "planproof_configs", "planproof_runs", "planproof_reports"):
        op.drop_table(table)
