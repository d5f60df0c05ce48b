import type { Pool, PoolClient } from 'pg'
import { isPlanOutdated } from './database-errors.ts'

/** PostgreSQL keeps each named statement with its plan in the memory of each connection. */
const maxNames = 250
/** A statement gets its name with this execution. Rare statements, such as of unusual filters, take no name. */
const usesBeforeName = 5
/** Statements beyond that get no name: they have a placeholder for each element of some list. */
const maxValues = 100
/** The number of texts whose executions are counted. */
const maxCounted = 1_000
const planComment = 'planned for its values'
/** When to plan statements again: after an execution that took `slowMs`, waits included, but at most every `intervalMs`. */
const replanning = { slowMs: 250, intervalMs: 30_000 }

/**
 * Options of a query whose best plan depends on its values, such as a list with filters of one merchant among large and
 * small ones: a comment that keeps the statement from having a name.
 */
export const plannedForValues = { comments: planComment } as const

/** Returns an SQL statement that gets no name, for the same reason. */
export const planForValues = (sql: string) => `/* ${planComment} */ ${sql}`

/**
 * Names the frequent statements that have parameters, so that each connection parses and plans them once.
 * After a migration has changed the columns of a result, PostgreSQL rejects the old plan and all statements get new names.
 * After a slow execution all connections plan their statements again, because a table may have grown. On its own PostgreSQL
 * does that only after the next `analyze`.
 */
export function nameStatements(pool: Pool, { slowMs, intervalMs } = replanning): void {
  const names = statementNames()
  const plans: Plans = { outdatedMs: Number.NEGATIVE_INFINITY, slowMs, intervalMs }
  pool.on('connect', client => nameStatementsOf(client, names, plans))
}

/** What the connections of a pool know about their plans. */
interface Plans {
  /** The plans from before this time are not used any more. */
  outdatedMs: number
  slowMs: number
  intervalMs: number
}

function nameStatementsOf(client: PoolClient, names: StatementNames, plans: Plans): void {
  const query = client.query.bind(client) as (...input: unknown[]) => unknown
  let plannedMs = performance.now()
  const discardOutdatedPlans = () => {
    if (plannedMs >= plans.outdatedMs) return
    plannedMs = plans.outdatedMs
    // Fails if the transaction has failed. Then the next statement tries again.
    Promise.resolve(query('discard plans')).catch(() => {
      plannedMs = Number.NEGATIVE_INFINITY
    })
  }
  client.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
    const name = mayHaveName(text, values) ? names.nameOf(text) : undefined
    if (!name) return query(text, values, ...rest)
    discardOutdatedPlans()
    const startMs = performance.now()
    const result = query({ name, text, values }, ...rest)
    if (result instanceof Promise)
      result.catch(error => isPlanOutdated(error) && names.replace(name)).finally(() => noteDuration(plans, startMs))
    return result
  }) as typeof client.query
}

function noteDuration(plans: Plans, startMs: number): void {
  const nowMs = performance.now()
  if (nowMs - startMs >= plans.slowMs && nowMs - plans.outdatedMs >= plans.intervalMs) plans.outdatedMs = nowMs
}

function mayHaveName(text: unknown, values: unknown): text is string {
  if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || values.length > maxValues)
    return false
  return !text.startsWith(planForValues(''))
}

type StatementNames = ReturnType<typeof statementNames>

/** Assigns names to the texts of frequent statements. */
export function statementNames() {
  let generation = 0
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  const prefix = () => `cobro_${generation}_`
  return {
    /** Counts an execution. Returns the statement's name, or undefined if it has none. */
    nameOf(text: string): string | undefined {
      const known = names.get(text)
      if (known || names.size >= maxNames) return known
      const count = (uses.get(text) ?? 0) + 1
      if (count < usesBeforeName) {
        if (uses.size >= maxCounted) uses.clear()
        uses.set(text, count)
        return undefined
      }
      uses.delete(text)
      const name = `${prefix()}${names.size}`
      names.set(text, name)
      return name
    },
    /** Replaces all names, because the plan under this one is outdated. Ignores names that are replaced already. */
    replace(name: string): void {
      if (!name.startsWith(prefix())) return
      generation++
      names.clear()
    },
  }
}
