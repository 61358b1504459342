"""Runs the store's migrations on the connection that it hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from bot.tables import metadata

# the job engine keeps its own tables and versions in the same database
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="planproof_version",
    render_as_batch=True,
)
context.run_migrations()
