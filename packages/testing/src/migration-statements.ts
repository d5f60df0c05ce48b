import { type AlterTableCmd, type AlterTableType, type ColumnDef, type Constraint, type Node, parse } from 'libpg-query'

/** What is looked at of a migration, which is what `migration` and `migrationInSteps` give. */
export interface ReadMigration {
  name: string
  statements: readonly string[]
  transactional: boolean
}

/** A statement as PostgreSQL's own parser reads it, and where it stands. */
export interface Statement {
  node: Node
  /** How it begins. */
  text: string
  migration: ReadMigration
  /** What the migration made before it, by name: nobody else has seen it yet, so anything may be done to it. */
  made: ReadonlySet<string>
  /** Constraints that have an index, made by this migration or an earlier one, so far as they were given names. */
  indexed: ReadonlySet<string>
  before: readonly Statement[]
}

const maxText = 100

type Kind = Node extends infer N ? (N extends N ? keyof N : never) : never
type Body<K extends Kind> = Extract<Node, Record<K, unknown>>[K]

/** The statements of a migration in their order. Fails where one is no SQL of PostgreSQL's. */
export async function statementsOf(
  migration: ReadMigration,
  earlier: readonly ReadMigration[] = [],
): Promise<Statement[]> {
  const statements: Statement[] = []
  const indexed = await indexedConstraints([...earlier, migration])
  const made = new Set<string>()
  for (const sql of migration.statements) {
    const bytes = Buffer.from(sql)
    for (const { stmt: node, stmt_location: from = 0, stmt_len: length } of (await parse(sql)).stmts ?? []) {
      if (!node) continue
      const text = beginning(bytes.subarray(from, length && from + length).toString())
      statements.push({ node, text, migration, made: new Set(made), indexed, before: [...statements] })
      for (const name of madeBy(node)) made.add(name)
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

function madeBy(node: Node): string[] {
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

/** What a node holds, where it is of that kind. */
export function as<K extends Kind>(node: Node | undefined, kind: K): Body<K> | undefined {
  const bodies: Partial<Record<Kind, unknown>> | undefined = node
  return bodies?.[kind] as Body<K> | undefined
}

/** All that a node holds of one kind, at any depth. The body of a function is not carried out, so it is left out. */
export function within<K extends Kind>(value: unknown, kind: K): Body<K>[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === 'CreateFunctionStmt' ? [] : [...(key === kind ? [child as Body<K>] : []), ...within(child, kind)],
  )
}

/** The name of what a statement is about, without its schema. */
export function nameOf(node: Node | undefined): string | undefined {
  return (
    as(node, 'RangeVar')?.relname ??
    as(node, 'String')?.sval ??
    lastName(as(node, 'List')?.items ?? as(node, 'ObjectWithArgs')?.objname ?? as(node, 'TypeName')?.names)
  )
}

const lastName = (names: Node[] | undefined) => as(names?.at(-1), 'String')?.sval

/** The function that is called. */
export const calledName = (call: Body<'FuncCall'>) => lastName(call.funcname) ?? ''
/** The type of a column. */
export const typeOf = (column: ColumnDef) => lastName(column.typeName?.names) ?? ''

/** Whether the migration found it there, by its name: what has none is taken for it. */
export const isOld = ({ made }: Statement, name: string | undefined) => name === undefined || !made.has(name)

/** What `alter table` does to a table that was there before, of these kinds. */
export function alterations(statement: Statement, ...kinds: AlterTableType[]): AlterTableCmd[] {
  const altered = as(statement.node, 'AlterTableStmt')
  if (!altered || !isOld(statement, altered.relation?.relname)) return []
  const commands = (altered.cmds ?? []).map(node => as(node, 'AlterTableCmd'))
  return commands.filter(
    command => command?.subtype !== undefined && kinds.includes(command.subtype),
  ) as AlterTableCmd[]
}

/** The columns that a table gets which was there before. */
export function addedColumns(statement: Statement): ColumnDef[] {
  return alterations(statement, 'AT_AddColumn').flatMap(({ def }) => as(def, 'ColumnDef') ?? [])
}

/** What is said behind a column. */
export function clausesOf({ constraints = [] }: ColumnDef): Constraint[] {
  return constraints.flatMap(node => as(node, 'Constraint') ?? [])
}

/** The constraints that a table gets which was there before, behind a column or by themselves. */
export function addedConstraints(statement: Statement): Constraint[] {
  return [
    ...addedColumns(statement).flatMap(clausesOf),
    ...alterations(statement, 'AT_AddConstraint').flatMap(({ def }) => as(def, 'Constraint') ?? []),
  ]
}
