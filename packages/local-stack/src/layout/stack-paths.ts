import { join, resolve } from 'node:path'

/** The root of the repository. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..', '..')

/** Node's compile cache for the services. It saves two fifths of the CPU time of a start. */
export const compileCache = join(repositoryRoot, 'node_modules', '.compile-cache')

/** Returns the directory with the local stack's data, secrets and logs. */
export const stackDirectory = () => resolve(repositoryRoot, process.env.COBRO_DIR || '.cobro')

/** Paths of the files in a stack's directory. */
export const stackFiles = (dir: string) => ({
  secrets: join(dir, 'secrets.json'),
  seed: join(dir, 'seed.json'),
  demoShop: join(dir, 'demo-shop.json'),
  stack: join(dir, 'stack.json'),
  launcher: join(dir, 'launcher.json'),
  processes: join(dir, 'processes.json'),
  madeDatabase: join(dir, 'made-database.json'),
  migratedFrom: join(dir, 'migrated-from'),
  postgres: join(dir, 'postgres'),
  rabbitmq: join(dir, 'rabbitmq'),
  spool: join(dir, 'spool'),
  checkpoints: join(dir, 'audit-checkpoints.ndjson'),
  mail: join(dir, 'mail'),
  logs: join(dir, 'logs'),
})

/** Returns the path of a process's log. */
export const logFile = (dir: string, name: string) => join(dir, 'logs', `${name}.log`)
