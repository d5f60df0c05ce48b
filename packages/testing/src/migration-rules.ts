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
  type ReadMigration,
  type Statement,
  statementsOf,
  typeOf,
  within,
} from './migration-statements.ts'

interface Rule {
  breaks: (statement: Statement) => boolean
  /** What to do instead. */
  instead: string
}

interface Breach {
  rule: RuleName
  /** How it begins. */
  statement: string
}

/** Functions whose value is the same for all rows of a statement. Any other is taken to give each row its own. */
const steadyFunctions = ['now', 'transaction_timestamp', 'statement_timestamp']
const serials = ['smallserial', 'serial', 'bigserial', 'serial2', 'serial4', 'serial8']

const isOf = ({ contype }: Constraint, ...kinds: Constraint['contype'][]) => kinds.includes(contype)

/**
 * What no migration may do: replicas of the release before go on reading and writing while it runs and after it. What the
 * migration itself has made is free of all rules. What functions do that it calls is not looked into.
 */
const rules = {
  drop: {
    breaks: on =>
      dropped(on, type => type !== 'OBJECT_INDEX') || alterations(on, 'AT_DropColumn', 'AT_DetachPartition').length > 0,
    instead:
      'Stop using it in one release and drop it in the next, with an exception that says since when it is not used.',
  },
  rename: {
    breaks: on => {
      const renamed = as(on.node, 'RenameStmt') ?? as(on.node, 'AlterObjectSchemaStmt')
      return renamed !== undefined && isOld(on, renamed.relation?.relname ?? nameOf(renamed.object))
    },
    instead:
      'Add the new one, write both and read the old one; read the new one in the next release; then drop the old one.',
  },
  'required-column': {
    breaks: on =>
      addedColumns(on)
        .map(clausesOf)
        .some(
          clauses =>
            clauses.some(clause => isOf(clause, 'CONSTR_NOTNULL', 'CONSTR_PRIMARY')) &&
            !clauses.some(clause => isOf(clause, 'CONSTR_DEFAULT', 'CONSTR_IDENTITY', 'CONSTR_GENERATED')),
        ),
    instead: 'The release before inserts rows without it: add it with a constant default, or let it be null.',
  },
  'drop-default': {
    breaks: on =>
      alterations(on, 'AT_ColumnDefault').some(({ def }) => def === undefined) ||
      alterations(on, 'AT_DropIdentity', 'AT_DropExpression').length > 0,
    instead:
      'The release before inserts rows without this column: drop its default, identity or expression one release later.',
  },
  'set-not-null': {
    breaks: on =>
      alterations(on, 'AT_SetNotNull').length > 0 ||
      alterations(on, 'AT_AddConstraint').some(({ def }) => as(def, 'Constraint')?.contype === 'CONSTR_NOTNULL'),
    instead:
      'Once no release writes null: add check (… is not null) not valid, validate it by migrationInSteps. It is then set without reading the table, with an exception that names that check.',
  },
  'column-type': {
    breaks: on => alterations(on, 'AT_AlterColumnType').length > 0,
    instead:
      'Nobody reads or writes while the table is written anew: add a column of the new type, and move to it as for a new name.',
  },
  'filled-column': {
    breaks: on =>
      addedColumns(on).some(
        column =>
          serials.includes(typeOf(column)) ||
          clausesOf(column).some(
            clause =>
              isOf(clause, 'CONSTR_IDENTITY', 'CONSTR_GENERATED') ||
              (isOf(clause, 'CONSTR_DEFAULT') &&
                within(clause, 'FuncCall').some(call => !steadyFunctions.includes(calledName(call)))),
          ),
      ),
    instead:
      'Each row has its own value, so the table is written anew while nobody reads or writes: add it without, let the code fill it.',
  },
  'validated-constraint': {
    breaks: on =>
      addedConstraints(on).some(
        constraint => isOf(constraint, 'CONSTR_CHECK', 'CONSTR_FOREIGN') && !constraint.skip_validation,
      ),
    instead:
      'All rows are read while nobody writes: add constraint … not valid, which what the release before writes has to pass, and validate it behind that, by migrationInSteps.',
  },
  'validated-in-transaction': {
    breaks: on => on.migration.transactional && alterations(on, 'AT_ValidateConstraint').length > 0,
    instead:
      'What was altered before in the same transaction stays locked while all rows are read, and migrations that run together are one: validate by migrationInSteps.',
  },
  'blocking-index': {
    breaks: on => {
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
      'Nobody writes until it is made: migrationInSteps with "drop index concurrently if exists" and "create [unique] index concurrently". A unique constraint is then added "using index".',
  },
  'drop-index': {
    breaks: on => dropped(on, type => type === 'OBJECT_INDEX') && !as(on.node, 'DropStmt')?.concurrent,
    instead:
      'migrationInSteps with "drop index concurrently if exists", a release after the last one that needs it for its reads or its "on conflict".',
  },
  'drop-unique': {
    breaks: on =>
      alterations(on, 'AT_DropConstraint').some(
        ({ name = '' }) => on.indexed.has(name) || /_(?:pkey|key|excl)$/.test(name),
      ),
    instead:
      'Its index goes with it, which the release before needs for its reads and its "on conflict": drop it a release after the last one that does, with an exception that says since when.',
  },
  'lock-table': {
    breaks: on => as(on.node, 'LockStmt')?.relations?.some(table => isOld(on, nameOf(table))) ?? false,
    instead:
      'Everybody waits until the migration is committed: find a way without, such as a guarded update in the code.',
  },
  truncate: {
    breaks: on => as(on.node, 'TruncateStmt')?.relations?.some(table => isOld(on, nameOf(table))) ?? false,
    instead: 'The release before still reads these rows: let the code delete them in batches once nothing does.',
  },
  'changed-rows': {
    breaks: on =>
      [...within(on.node, 'UpdateStmt'), ...within(on.node, 'DeleteStmt'), ...within(on.node, 'MergeStmt')].some(
        ({ relation }) => isOld(on, relation?.relname),
      ),
    instead:
      'All these rows stay locked until the migration is committed, and what is written meanwhile is missed: let the code fill what is empty, in batches, or as rows are written.',
  },
  'written-anew': {
    breaks: on =>
      as(on.node, 'ClusterStmt') !== undefined ||
      (as(on.node, 'VacuumStmt')?.options ?? []).some(option => as(option, 'DefElem')?.defname === 'full') ||
      alterations(on, 'AT_SetLogged', 'AT_SetUnLogged', 'AT_SetTableSpace', 'AT_SetAccessMethod', 'AT_SetExpression')
        .length > 0,
    instead: 'Nobody reads or writes while the table is written anew: leave it to an operator, in a planned pause.',
  },
  revoke: {
    breaks: on => {
      const hides = alterations(on, 'AT_EnableRowSecurity', 'AT_ForceRowSecurity').length > 0
      const policy = as(on.node, 'CreatePolicyStmt') ?? as(on.node, 'AlterPolicyStmt')
      if (hides || (policy && isOld(on, policy.table?.relname))) return true
      const grant = as(on.node, 'GrantStmt')
      if (!grant || grant.is_grant) return false
      return grant.targtype !== 'ACL_TARGET_OBJECT' || (grant.objects ?? []).some(object => isOld(on, nameOf(object)))
    },
    instead:
      'The release before is refused at once, or sees rows no more: do so one release after the last one that needs the right.',
  },
  'unread-block': {
    breaks: on => on.migration.transactional && as(on.node, 'DoStmt') !== undefined,
    instead:
      'What it does is not checked here: write the statements out, or, for batches that commit, in migrationInSteps.',
  },
  unrepeatable: {
    breaks: on => !on.migration.transactional && !isRepeatable(on),
    instead:
      'A migration in steps may be begun anew: it holds "drop index concurrently if exists", "create index concurrently" behind the like of it, "validate constraint", and "do" with commits. All else belongs in an ordinary one.',
  },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** What is to be done where a rule is broken. */
export const insteadOf = (rule: RuleName): string => rules[rule].instead

/** Each rule that a migration breaks, and by which statement. `earlier` are those that have run before it. */
export async function breachesOf(migration: ReadMigration, earlier: readonly ReadMigration[] = []): Promise<Breach[]> {
  return (await statementsOf(migration, earlier)).flatMap(statement =>
    (Object.keys(rules) as RuleName[])
      .filter(rule => rules[rule].breaks(statement))
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

/** An index that could not be made is left there, of no use to anybody, and "if not exists" would be content with it. */
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
