"""Run by alembic; `bot.storage.migrate` hands it an open connection.

The whole upgrade is one transaction. Alembic assumes that SQLite cannot do that
because Python's driver used to commit before each change of a table; ours is told
to leave transactions alone, so a crash half way leaves the old file.
"""

from alembic import context

from bot.storage.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
