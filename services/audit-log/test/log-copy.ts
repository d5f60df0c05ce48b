const tables = ['events', 'checkpoints', 'retirements', 'restores', 'tree_head']

/**
 * SQL that copies the log, and lets the copy replace it. Only a superuser or the owner can run it,
 * as append-only.itest.ts shows.
 */
export const saveLog = [
  ...tables.filter(table => table !== 'tree_head').map(table => `alter table audit.${table} disable trigger immutable`),
  'drop schema if exists saved cascade',
  'create schema saved',
  ...tables.map(table => `create table saved.${table} as table audit.${table}`),
]

/** SQL that replaces the log by its copy, as a restored backup of the database does. */
export const restoreLog = tables.flatMap(table => [
  `delete from audit.${table}`,
  `insert into audit.${table} select * from saved.${table}`,
])
