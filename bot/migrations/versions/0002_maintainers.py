"""decisions, checks under way, installations, organisation defaults, sweeps; whose a run was"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "planproof_decisions",
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
    op.create_table(
        "planproof_open_checks",
        sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("head_sha", sa.String(64), primary_key=True),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("repo", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "planproof_installations",
        sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("missing", sa.JSON, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "planproof_defaults",
        sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.String(100), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("saved", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "planproof_sweeps",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    with op.batch_alter_table("planproof_repositories") as repositories:
        repositories.alter_column("introduced_on", existing_type=sa.BigInteger(), nullable=True)
        repositories.add_column(sa.Column("full_name", sa.Text, nullable=True))
    with op.batch_alter_table("planproof_runs") as runs:
        runs.add_column(sa.Column("repo_id", sa.BigInteger, nullable=True))
        runs.add_column(sa.Column("installation_id", sa.BigInteger, nullable=True))
        runs.add_column(sa.Column("published", sa.BigInteger, nullable=True))
        runs.create_index("planproof_runs_number", ["repo_id", "number", "started"])


def downgrade() -> None:
    with op.batch_alter_table("planproof_runs") as runs:
        runs.drop_index("planproof_runs_number")
        runs.drop_column("published")
        runs.drop_column("installation_id")
        runs.drop_column("repo_id")
    op.execute("DELETE FROM planproof_repositories WHERE introduced_on IS NULL")
    with op.batch_alter_table("planproof_repositories") as repositories:
        repositories.drop_column("full_name")
        repositories.alter_column("introduced_on", existing_type=sa.BigInteger(), nullable=False)
    for table in ("sweeps", "defaults", "installations", "open_checks", "decisions"):
        op.drop_table(f"planproof_{table}")
