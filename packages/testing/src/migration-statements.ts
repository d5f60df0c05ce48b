import { type AlterTableCmd, type AlterTableType, type ColumnDef, type Constraint, type Node, parse } from 'libpg-query'

/** The parts of a migration that the rules use. `migration` and `migrationInSteps` return them. */
export interface ReadMigration {
  name: string
  statements: readonly string[]
  transactional: boolean
}

/** A statement, parsed by PostgreSQL's own parser, and its context. */
export interface Statement {
  node: Node
  /** The start of the statement. */
  text: string
  migration: ReadMigration
  /** Names of objects that this migration created: no release uses them yet, so no rule applies. */
  created: ReadonlySet<string>
  /** Names of constraints with an index, from this migration and earlier ones. */
  indexed: ReadonlySet<string>
  before: readonly Statement[]
}

const maxText = 100

type Kind = Node extends infer N ? (N extends N ? keyof N : never) : never
type Body<K extends Kind> = Extract<Node, Record<K, unknown>>[K]

/** Parses the statements of a migration. Throws on a syntax error. */
export async function parseMigration(
  migration: ReadMigration,
  earlier: readonly ReadMigration[] = [],
): Promise<Statement[]> {
  const statements: Statement[] = []
  const indexed = await indexedConstraints([...earlier, migration])
  const created = new Set<string>()
  for (const sql of migration.statements) {
    const bytes = Buffer.from(sql)
    for (const { stmt: node, stmt_location: from = 0, stmt_len: length } of (await parse(sql)).stmts ?? []) {
      if (!node) continue
      const text = beginning(bytes.subarray(from, length && from + length).toString())
      statements.push({ node, text, migration, created: new Set(created), indexed, before: [...statements] })
      for (const name of createdBy(node)) created.add(name)
    }
  }
  return statements
}

async function indexedConstraints(migrations: readonly ReadMigration[]): Promise<Set<string>> {
  const read = await Promise.all(migrations.flatMap(({ statements }) => statements.map(sql => parse(sql))))
  const constraints = read.flatMap(({ stmts }) => within(stmts, 'Constraint'))
  const kinds = ['CONSTR_PRIMARY', 'CONSTR_UNIQUE', 'CONSTR_EXCLUSION']
  return new Set(constraints.flatMap(({ contype = '', conname }) => (kinds.includes(contype) && conname) || []))
}

function beginning(sql: string): string {
  const lines = sql.split('\n').map(line => line.trim())
  const text = lines.filter(line => line !== '' && !line.startsWith('--')).join(' ')
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}

function createdBy(node: Node): string[] {
  const table = as(node, 'CreateStmt')
  const routine = as(node, 'CreateFunctionStmt')
  return [
    table?.if_not_exists ? undefined : table?.relation?.relname,
    as(node, 'CreateTableAsStmt')?.into?.rel?.relname,
    as(node, 'ViewStmt')?.view?.relname,
    as(node, 'CreateSeqStmt')?.sequence?.relname,
    as(node, 'IndexStmt')?.idxname,
    routine?.replace ? undefined : lastName(routine?.funcname),
  ].filter(name => name !== undefined)
}

/** Returns the content of a node if it is of this kind. */
export function as<K extends Kind>(node: Node | undefined, kind: K): Body<K> | undefined {
  const bodies: Partial<Record<Kind, unknown>> | undefined = node
  return bodies?.[kind] as Body<K> | undefined
}

/** Finds all nodes of a kind at any depth, except in function bodies, which do not run there. */
export function within<K extends Kind>(value: unknown, kind: K): Body<K>[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === 'CreateFunctionStmt' ? [] : [...(key === kind ? [child as Body<K>] : []), ...within(child, kind)],
  )
}

/** Returns the name of the object of a statement, without its schema. */
export function nameOf(node: Node | undefined): string | undefined {
  return (
    as(node, 'RangeVar')?.relname ??
    as(node, 'String')?.sval ??
    lastName(as(node, 'List')?.items ?? as(node, 'ObjectWithArgs')?.objname ?? as(node, 'TypeName')?.names)
  )
}

const lastName = (names: Node[] | undefined) => as(names?.at(-1), 'String')?.sval

/** Returns the name of the called function. */
export const calledName = (call: Body<'FuncCall'>) => lastName(call.funcname) ?? ''
/** Returns the type of a column. */
export const typeOf = (column: ColumnDef) => lastName(column.typeName?.names) ?? ''

/** Returns whether an object existed before the migration. Nameless ones count as existing. */
export const isOld = ({ created }: Statement, name: string | undefined) => name === undefined || !created.has(name)

/** Returns the `alter table` commands of these kinds, if the table existed before the migration. */
export function alterations(statement: Statement, ...kinds: AlterTableType[]): AlterTableCmd[] {
  const altered = as(statement.node, 'AlterTableStmt')
  if (!altered || !isOld(statement, altered.relation?.relname)) return []
  const commands = (altered.cmds ?? []).map(node => as(node, 'AlterTableCmd'))
  return commands.filter(
    command => command?.subtype !== undefined && kinds.includes(command.subtype),
  ) as AlterTableCmd[]
}

/** Returns the columns added to a table that existed before. */
export function addedColumns(statement: Statement): ColumnDef[] {
  return alterations(statement, 'AT_AddColumn').flatMap(({ def }) => as(def, 'ColumnDef') ?? [])
}

/** Returns the constraints of a column definition. */
export function clausesOf({ constraints = [] }: ColumnDef): Constraint[] {
  return constraints.flatMap(node => as(node, 'Constraint') ?? [])
}

/** Returns the constraints added to a table that existed before, with a column or separately. */
export function addedConstraints(statement: Statement): Constraint[] {
  return [
    ...addedColumns(statement).flatMap(clausesOf),
    ...alterations(statement, 'AT_AddConstraint').flatMap(({ def }) => as(def, 'Constraint') ?? []),
  ]
}
