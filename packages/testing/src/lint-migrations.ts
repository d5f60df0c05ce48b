import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findViolations, insteadOf, type RuleName } from './migration-rules.ts'
import type { ReadMigration } from './migration-statements.ts'

/** The migrations of a service, oldest first. */
interface History {
  service: string
  migrations: readonly ReadMigration[]
}

/** Rules that a migration may break, and why. */
export interface Exception {
  /** The service and the name of the migration. */
  migration: `${string}/${string}`
  rules: readonly RuleName[]
  because: string
}

const servicesFolder = join(import.meta.dirname, '..', '..', '..', 'services')

/** Loads all services' migrations. Throws if a file is not listed, because it would never run. */
export async function allHistories(): Promise<History[]> {
  const services = await readdir(servicesFolder)
  const histories = await Promise.all(services.toSorted().map(historyOf))
  return histories.filter(({ migrations }) => migrations.length > 0)
}

async function historyOf(service: string): Promise<History> {
  const folder = join(servicesFolder, service, 'migrations')
  const files = await readdir(folder).catch(() => [])
  const list = files.find(file => file.startsWith('all-'))
  if (list === undefined) return { service, migrations: [] }
  const { migrations } = (await import(join(folder, list))) as { migrations: ReadMigration[] }
  const listed = [list, ...migrations.map(({ name }) => `${name}.ts`)]
  const unlisted = files.filter(file => !listed.includes(file))
  if (unlisted.length > 0) throw new Error(`${list} lacks ${unlisted.join(', ')}`)
  return { service, migrations }
}

/** Returns a line for each violation without an exception and each exception without violation. */
export async function lintMigrations(histories: History[], exceptions: readonly Exception[]): Promise<string[]> {
  const excepted = exceptions.flatMap(({ migration, rules }) => rules.map(rule => `${migration}: ${rule}`))
  const broken = new Set<string>()
  const problems: string[] = []
  for (const { service, migrations } of histories)
    for (const [place, migration] of migrations.entries())
      for (const { rule, statement } of await findViolations(migration, migrations.slice(0, place))) {
        const violation = `${service}/${migration.name}: ${rule}`
        broken.add(violation)
        if (!excepted.includes(violation)) problems.push(`${violation}: ${statement}\n  ${insteadOf(rule)}`)
      }
  const unused = excepted.filter((violation, place) => !broken.has(violation) || excepted.indexOf(violation) !== place)
  return [...problems, ...unused.map(violation => `${violation}: the exception is not needed`)]
}
