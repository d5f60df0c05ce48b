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

/** How PostgreSQL carried a statement out. */
export interface QueryPlan {
  ms: number
  rows: number
  nodes: PlanNode[]
}

/** Carries a statement out and gives the plan that it followed. */
export async function explainQuery(query: TestDatabase['query'], sql: string): Promise<QueryPlan> {
  const [line] = await query(`explain (analyze, format json) ${sql}`)
  const [{ Plan: top, 'Execution Time': ms }] = line['QUERY PLAN']
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  return { ms, rows: top['Actual Rows'], nodes: nodes(top) }
}

/**
 * The statements that a list makes: that of its page, and the last of those that count. Those that count are carried out, since a
 * page may follow from them. `list` is given what stands for its entity manager.
 */
export async function listStatements(
  orm: { em: { fork(): unknown; getPlatform(): { formatQuery(sql: string, values: readonly unknown[]): string } } },
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
    throw new Error(
      `A list makes one statement for its page and one that counts, not ${pages.length} and ${counts.length}.`,
    )
  return [page, count]
}

/** The indexes that were read. */
export function indexesOf({ nodes }: QueryPlan): string[] {
  return [...new Set(nodes.flatMap(node => node['Index Name'] ?? []))]
}

/** Whether a table of such a name that holds anything was read from end to end. An empty partition is read whole in no time. */
export function hasSequentialScan({ nodes }: QueryPlan, table: RegExp): boolean {
  return nodes.some(
    node => node['Node Type'] === 'Seq Scan' && table.test(node['Relation Name'] ?? '') && seen(node) > 0,
  )
}

/** Whether anything had to be put in order. */
export function hasSort({ nodes }: QueryPlan): boolean {
  return nodes.some(node => /Sort/.test(node['Node Type']))
}

/** The most rows that any step handed on or looked at in vain. */
export function maxRowsTouched({ nodes }: QueryPlan): number {
  return Math.max(...nodes.map(node => seen(node) * node['Actual Loops']))
}

function seen(node: PlanNode): number {
  return node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
}
