import type { TestDatabase } from './test-database.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The plan of an executed query. */
export interface QueryPlan {
  ms: number
  rows: number
  nodes: PlanNode[]
}

/** Runs a query with `explain analyze` and returns its plan. */
export async function explainQuery(query: TestDatabase['query'], sql: string): Promise<QueryPlan> {
  const [line] = await query(`explain (analyze, format json) ${sql}`)
  const [{ Plan: top, 'Execution Time': ms }] = line['QUERY PLAN']
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  return { ms, rows: top['Actual Rows'], nodes: nodes(top) }
}

/** What writes the values into a statement, such as the ORM of an open database. */
interface Formatter {
  em: { getPlatform(): { formatQuery(sql: string, values: readonly unknown[]): string } }
}

/** Returns the only statement of a read, with its values, without executing it. `read` gets a recorder in place of its entity manager. */
export async function onlyStatement(orm: Formatter, read: (recorder: any) => Promise<unknown>): Promise<string> {
  const statements: string[] = []
  const execute = async (sql: string, values: readonly unknown[]) => {
    statements.push(orm.em.getPlatform().formatQuery(sql, values))
    return []
  }
  await read({ execute })
  const [statement, ...others] = statements
  if (!statement || others.length > 0) throw new Error(`Expected one statement, got ${statements.length}.`)
  return statement
}

/**
 * Returns the SQL of a list operation: the page query and the last count query. Runs the counts,
 * on which the page may depend, but not the page. `list` gets a recorder in place of its entity manager.
 */
export async function listStatements(
  orm: Formatter & { em: { fork(): unknown } },
  list: (recorder: any) => Promise<unknown>,
): Promise<[page: string, count: string]> {
  const pages: string[] = []
  const counts: string[] = []
  const manager = () => orm.em.fork() as any
  const builder = (entity: unknown) => manager().createQueryBuilder(entity)
  const recorder = {
    find: async (entity: unknown, where: unknown, { limit, offset, orderBy, fields = '*' }: any) => {
      const page = builder(entity).select(fields).where(where).orderBy(orderBy).limit(limit).offset(offset)
      pages.push(page.getFormattedQuery())
      return []
    },
    count: async (entity: unknown, where: unknown) => {
      counts.push(builder(entity).count().where(where).getFormattedQuery())
      return manager().count(entity, where)
    },
    execute: async (sql: string, values: readonly unknown[] = []) => {
      counts.push(orm.em.getPlatform().formatQuery(sql, values))
      return manager().execute(sql, values)
    },
  }
  await list(recorder)
  const [page, ...others] = pages
  const count = counts.at(-1)
  if (!page || !count || others.length > 0)
    throw new Error(`Expected one page query and one count query, got ${pages.length} and ${counts.length}.`)
  return [page, count]
}

/** Runs both queries of a list operation and returns their plans. For `list`, see listStatements. */
export async function explainList(
  query: TestDatabase['query'],
  orm: Parameters<typeof listStatements>[0],
  list: (recorder: any) => Promise<unknown>,
): Promise<[page: QueryPlan, count: QueryPlan]> {
  const [page, count] = await listStatements(orm, list)
  return [await explainQuery(query, page), await explainQuery(query, count)]
}

/** Returns the indexes that the plan used. */
export function indexesOf({ nodes }: QueryPlan): string[] {
  return [...new Set(nodes.flatMap(node => node['Index Name'] ?? []))]
}

/** Returns whether a plan scanned a whole matching table. Ignores empty ones (new partitions). */
export function hasSequentialScan({ nodes }: QueryPlan, table: RegExp): boolean {
  return nodes.some(
    node => node['Node Type'] === 'Seq Scan' && table.test(node['Relation Name'] ?? '') && rowsRead(node) > 0,
  )
}

/** Returns whether the plan sorted rows. */
export function hasSort({ nodes }: QueryPlan): boolean {
  return nodes.some(node => /Sort/.test(node['Node Type']))
}

/** Returns the largest number of rows that one plan node returned or filtered out. */
export function maxRowsTouched({ nodes }: QueryPlan): number {
  return Math.max(...nodes.map(node => rowsRead(node) * node['Actual Loops']))
}

function rowsRead(node: PlanNode): number {
  return node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
}
