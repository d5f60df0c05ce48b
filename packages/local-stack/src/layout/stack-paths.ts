import { join, resolve } from 'node:path'

/** The root of the repository. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..', '..')

/** Where Node keeps what it has compiled of a service: two fifths of the work of a start. */
export const compileCache = join(repositoryRoot, 'node_modules', '.compile-cache')

/** Where the local stack keeps its data, secrets and logs. */
export const stackDirectory = () => resolve(repositoryRoot, process.env.COBRO_DIR || '.cobro')

/** The names of everything that a stack keeps in its folder. */
export const stackFiles = (dir: string) => ({
  secrets: join(dir, 'secrets.json'),
  seed: join(dir, 'seed.json'),
  stack: join(dir, 'stack.json'),
  launcher: join(dir, 'launcher.json'),
  processes: join(dir, 'processes.json'),
  madeDatabase: join(dir, 'made-database.json'),
  migratedFrom: join(dir, 'migrated-from'),
  postgres: join(dir, 'postgres'),
  rabbitmq: join(dir, 'rabbitmq'),
  spool: join(dir, 'spool'),
  logs: join(dir, 'logs'),
})

/** The log of a process. */
export const logFile = (dir: string, name: string) => join(dir, 'logs', `${name}.log`)
