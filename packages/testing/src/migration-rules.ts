import type { Constraint } from 'libpg-query'
import {
  addedColumns,
  addedConstraints,
  alterations,
  as,
  calledName,
  clausesOf,
  isOld,
  nameOf,
  parseMigration,
  type ReadMigration,
  type Statement,
  typeOf,
  within,
} from './migration-statements.ts'

interface Rule {
  isBrokenBy: (statement: Statement) => boolean
  /** What to do instead. */
  instead: string
}

interface Violation {
  rule: RuleName
  /** The start of the statement. */
  statement: string
}

/** Functions with one value per statement. Others may differ per row, which rewrites the table. */
const stableFunctions = ['now', 'transaction_timestamp', 'statement_timestamp']
const serials = ['smallserial', 'serial', 'bigserial', 'serial2', 'serial4', 'serial8']

const isOf = ({ contype }: Constraint, ...kinds: Constraint['contype'][]) => kinds.includes(contype)

/**
 * Rules for migrations, because replicas of the previous release read and write during and after
 * one. Objects that the same migration created, and function bodies, are exempt.
 *
 * squawk 2.66 was tried: it finds 26 of the 55 statements that these rules reject (not update, delete, truncate, lock
 * table, revoke, dropped views, functions, defaults) and rejects 5 of 7 changes to a table that the migration created.
 */
const rules = {
  drop: {
    isBrokenBy: on =>
      dropped(on, type => type !== 'OBJECT_INDEX') || alterations(on, 'AT_DropColumn', 'AT_DetachPartition').length > 0,
    instead:
      'Stop using it in one release and drop it in the next, with an exception that says since when it is not used.',
  },
  rename: {
    isBrokenBy: on => {
      const renamed = as(on.node, 'RenameStmt') ?? as(on.node, 'AlterObjectSchemaStmt')
      return renamed !== undefined && isOld(on, renamed.relation?.relname ?? nameOf(renamed.object))
    },
    instead:
      'Add the new one, write both and read the old one; read the new one in the next release; then drop the old one.',
  },
  'required-column': {
    isBrokenBy: on =>
      addedColumns(on)
        .map(clausesOf)
        .some(
          clauses =>
            clauses.some(clause => isOf(clause, 'CONSTR_NOTNULL', 'CONSTR_PRIMARY')) &&
            !clauses.some(clause => isOf(clause, 'CONSTR_DEFAULT', 'CONSTR_IDENTITY', 'CONSTR_GENERATED')),
        ),
    instead: 'The previous release inserts rows without it: add it with a constant default, or as nullable.',
  },
  'drop-default': {
    isBrokenBy: on =>
      alterations(on, 'AT_ColumnDefault').some(({ def }) => def === undefined) ||
      alterations(on, 'AT_DropIdentity', 'AT_DropExpression').length > 0,
    instead:
      'The previous release inserts rows without this column: drop its default, identity or expression one release later.',
  },
  'set-not-null': {
    isBrokenBy: on =>
      alterations(on, 'AT_SetNotNull').length > 0 ||
      alterations(on, 'AT_AddConstraint').some(({ def }) => as(def, 'Constraint')?.contype === 'CONSTR_NOTNULL'),
    instead:
      'Once no release writes null: add check (… is not null) not valid, and validate it with migrationInSteps. Then set not null does not scan the table; add an exception that names the check.',
  },
  'column-type': {
    isBrokenBy: on => alterations(on, 'AT_AlterColumnType').length > 0,
    instead:
      'Rewriting the table blocks reads and writes: add a column of the new type, and move to it as for a new name.',
  },
  'filled-column': {
    isBrokenBy: on =>
      addedColumns(on).some(
        column =>
          serials.includes(typeOf(column)) ||
          clausesOf(column).some(
            clause =>
              isOf(clause, 'CONSTR_IDENTITY', 'CONSTR_GENERATED') ||
              (isOf(clause, 'CONSTR_DEFAULT') &&
                within(clause, 'FuncCall').some(call => !stableFunctions.includes(calledName(call)))),
          ),
      ),
    instead:
      'A value per row rewrites the table, which blocks reads and writes: add the column without it, and let the code fill it.',
  },
  'validated-constraint': {
    isBrokenBy: on =>
      addedConstraints(on).some(
        constraint => isOf(constraint, 'CONSTR_CHECK', 'CONSTR_FOREIGN') && !constraint.skip_validation,
      ),
    instead:
      'Scanning all rows blocks writes: add constraint … not valid, which the rows of the previous release must satisfy, and validate it afterwards with migrationInSteps.',
  },
  'validated-in-transaction': {
    isBrokenBy: on => on.migration.transactional && alterations(on, 'AT_ValidateConstraint').length > 0,
    instead:
      'Tables altered earlier in the transaction, which may include other migrations, stay locked during the scan: validate with migrationInSteps.',
  },
  'blocking-index': {
    isBrokenBy: on => {
      const index = as(on.node, 'IndexStmt')
      return (
        (index !== undefined && !index.concurrent && isOld(on, index.relation?.relname)) ||
        reindexes(on) ||
        addedConstraints(on).some(
          constraint =>
            isOf(constraint, 'CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_EXCLUSION') &&
            constraint.indexname === undefined,
        )
      )
    },
    instead:
      'Building it blocks writes: use migrationInSteps with "drop index concurrently if exists" and "create [unique] index concurrently". Then add a unique constraint "using index".',
  },
  'drop-index': {
    isBrokenBy: on => dropped(on, type => type === 'OBJECT_INDEX') && !as(on.node, 'DropStmt')?.concurrent,
    instead:
      'Use migrationInSteps with "drop index concurrently if exists", one release after the last that needs it for queries or "on conflict".',
  },
  'drop-unique': {
    isBrokenBy: on =>
      alterations(on, 'AT_DropConstraint').some(
        ({ name = '' }) => on.indexed.has(name) || /_(?:pkey|key|excl)$/.test(name),
      ),
    instead:
      'This drops its index, which the previous release needs for queries and "on conflict": drop it one release after the last that needs it, with an exception that says since when.',
  },
  'lock-table': {
    isBrokenBy: on => as(on.node, 'LockStmt')?.relations?.some(table => isOld(on, nameOf(table))) ?? false,
    instead:
      'This blocks all access until the migration commits: avoid it, for example with a guarded update in the code.',
  },
  truncate: {
    isBrokenBy: on => as(on.node, 'TruncateStmt')?.relations?.some(table => isOld(on, nameOf(table))) ?? false,
    instead: 'The previous release still reads these rows: let the code delete them in batches once no release does.',
  },
  'changed-rows': {
    isBrokenBy: on =>
      [...within(on.node, 'UpdateStmt'), ...within(on.node, 'DeleteStmt'), ...within(on.node, 'MergeStmt')].some(
        ({ relation }) => isOld(on, relation?.relname),
      ),
    instead:
      'These rows stay locked until the migration commits, and rows written meanwhile are missed: let the code backfill in batches or as it writes rows.',
  },
  'table-rewrite': {
    isBrokenBy: on =>
      as(on.node, 'ClusterStmt') !== undefined ||
      (as(on.node, 'VacuumStmt')?.options ?? []).some(option => as(option, 'DefElem')?.defname === 'full') ||
      alterations(on, 'AT_SetLogged', 'AT_SetUnLogged', 'AT_SetTableSpace', 'AT_SetAccessMethod', 'AT_SetExpression')
        .length > 0,
    instead: 'Rewriting the table blocks reads and writes: leave it to an operator in a maintenance window.',
  },
  revoke: {
    isBrokenBy: on => {
      const hides = alterations(on, 'AT_EnableRowSecurity', 'AT_ForceRowSecurity').length > 0
      const policy = as(on.node, 'CreatePolicyStmt') ?? as(on.node, 'AlterPolicyStmt')
      if (hides || (policy && isOld(on, policy.table?.relname))) return true
      const grant = as(on.node, 'GrantStmt')
      if (!grant || grant.is_grant) return false
      return grant.targtype !== 'ACL_TARGET_OBJECT' || (grant.objects ?? []).some(object => isOld(on, nameOf(object)))
    },
    instead:
      'The previous release loses access or no longer sees rows: do this one release after the last that needs the privilege.',
  },
  'unchecked-block': {
    isBrokenBy: on => on.migration.transactional && as(on.node, 'DoStmt') !== undefined,
    instead: 'Its statements are not checked: write them out, or use migrationInSteps for batches that commit.',
  },
  unrepeatable: {
    isBrokenBy: on => !on.migration.transactional && !isRepeatable(on),
    instead:
      'A migration in steps may be retried from the start, so it may only contain "drop index concurrently if exists", then "create index concurrently", "validate constraint", and "do" blocks that commit. Everything else belongs in an ordinary migration.',
  },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** Returns what to do instead of breaking a rule. */
export const insteadOf = (rule: RuleName): string => rules[rule].instead

/** Returns each rule that a migration breaks, with the statement. `earlier` ones ran before it. */
export async function findViolations(
  migration: ReadMigration,
  earlier: readonly ReadMigration[] = [],
): Promise<Violation[]> {
  return (await parseMigration(migration, earlier)).flatMap(statement =>
    (Object.keys(rules) as RuleName[])
      .filter(rule => rules[rule].isBrokenBy(statement))
      .map(rule => ({ rule, statement: statement.text })),
  )
}

function dropped(on: Statement, isKind: (type: string | undefined) => boolean): boolean {
  const drop = as(on.node, 'DropStmt')
  return drop !== undefined && isKind(drop.removeType) && (drop.objects ?? []).some(object => isOld(on, nameOf(object)))
}

function reindexes({ node }: Statement): boolean {
  const reindex = as(node, 'ReindexStmt')
  return reindex !== undefined && !reindex.params?.some(param => as(param, 'DefElem')?.defname === 'concurrently')
}

/** A failed concurrent build leaves an invalid index, which "if not exists" would accept. */
function isRepeatable({ node, before }: Statement): boolean {
  const index = as(node, 'IndexStmt')
  const drops = (other: Statement) => {
    const drop = as(other.node, 'DropStmt')
    return drop?.missing_ok === true && drop.objects?.some(object => nameOf(object) === index?.idxname)
  }
  if (index) return index.concurrent === true && before.some(drops)
  const altered = as(node, 'AlterTableStmt')?.cmds?.map(command => as(command, 'AlterTableCmd')?.subtype)
  const onlyValidates = altered?.every(subtype => subtype === 'AT_ValidateConstraint') ?? false
  return onlyValidates || as(node, 'DropStmt')?.missing_ok === true || as(node, 'DoStmt') !== undefined
}
