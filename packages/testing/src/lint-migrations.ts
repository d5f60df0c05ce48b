import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { breachesOf, insteadOf, type RuleName } from './migration-rules.ts'
import type { ReadMigration } from './migration-statements.ts'

/** The migrations of a service, oldest first. */
interface History {
  service: string
  migrations: readonly ReadMigration[]
}

/** Rules that one migration may break, and why. */
export interface Exception {
  /** Its service and its name. */
  migration: `${string}/${string}`
  rules: readonly RuleName[]
  because: string
}

const servicesFolder = join(import.meta.dirname, '..', '..', '..', 'services')

/** The migrations of every service that has some. Fails where a file of them is in no list, so that it would never run. */
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

/** What is wrong with migrations and with the exceptions made for them, a line for each; nothing where all is well. */
export async function lintMigrations(histories: History[], exceptions: readonly Exception[]): Promise<string[]> {
  const excused = exceptions.flatMap(({ migration, rules }) => rules.map(rule => `${migration}: ${rule}`))
  const broken = new Set<string>()
  const faults: string[] = []
  for (const { service, migrations } of histories)
    for (const [place, migration] of migrations.entries())
      for (const { rule, statement } of await breachesOf(migration, migrations.slice(0, place))) {
        const breach = `${service}/${migration.name}: ${rule}`
        broken.add(breach)
        if (!excused.includes(breach)) faults.push(`${breach}: ${statement}\n  ${insteadOf(rule)}`)
      }
  const idle = excused.filter((breach, place) => !broken.has(breach) || excused.indexOf(breach) !== place)
  return [...faults, ...idle.map(breach => `${breach}: the exception excuses nothing`)]
}
