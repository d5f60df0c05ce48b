import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOnCallLogin } from '../database/on-call-login.ts'
import { prepareDatabase, withClient } from '../database/prepare-database.ts'
import { stackServiceNames } from '../layout/stack-layout.ts'
import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import { demoDataRequest, parseSeedOutput } from '../services/demo-data.ts'
import { loadSecrets } from '../services/secrets.ts'
import { sandboxSettings } from '../services/service-settings.ts'

/** Where every service listens, in a container of its own. */
const port = 8080
/** Its folders are volumes: what is for one container is mounted there alone. */
const folder = '/settings'
const files = { spool: '/var/lib/cobro/spool', checkpoints: '/var/lib/cobro/checkpoints.ndjson' }
const secretsFolder = join(folder, 'secrets')
const demonstrationFolder = join(folder, 'demonstration')

/** The steps of `docker-compose.yml` that are none of the services' own. Each may be repeated. */
const steps: Record<string, () => Promise<void>> = { passwords, settings, credentials }

await runCli(async () => {
  const name = process.argv[2] ?? ''
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (!step) throw userError(`Expected one of ${Object.keys(steps).join(', ')}.`)
  await step()
  return 0
})

/** Makes what is secret where it is missing, and gives the two servers the passwords that they start with. */
async function passwords(): Promise<void> {
  const { postgres_password, amqp_password } = await loadSecrets(secretsFolder)
  for (const [name, password] of Object.entries({ postgres: postgres_password, rabbitmq: amqp_password })) {
    const file = join(folder, `${name}-password`, 'password')
    rmSync(file, { force: true })
    // Read by whoever the server runs as, who is somebody else. Nobody but that server has this folder.
    writeFileSync(file, password, { mode: 0o444 })
  }
}

/** Makes the database with its roles, and writes what each service is told. */
async function settings(): Promise<void> {
  const secrets = await loadSecrets(secretsFolder)
  const adminUrl = `postgres://postgres:${secrets.postgres_password}@postgres:5432/postgres`
  const amqpUrl = `amqp://cobro:${secrets.amqp_password}@rabbitmq:5672`
  const database = await prepareDatabase({ adminUrl, database: 'cobro' })
  const onCall = await withClient(database.adminUrl, createOnCallLogin)
  const url = (service: string) => `http://${service}:${port}`
  const publicUrl = process.env.PUBLIC_URL ?? ''
  const sandbox = { secrets, database, amqpUrl, namespace: 'cobro', url, publicUrl, files }
  for (const name of stackServiceNames) writeSettings(name, sandboxSettings(name, sandbox))
  writeSettings('migrations', {
    MIGRATION_DATABASE_URL: database.migratorUrl,
    AMQP_URL: amqpUrl,
    AMQP_NAMESPACE: 'cobro',
  })
  writeSettings('ops', {
    POSTGRES_URL: Object.assign(new URL(database.adminUrl), onCall).href,
    AMQP_URL: amqpUrl,
    AMQP_NAMESPACE: 'cobro',
  })
  writeFileSync(join(demonstrationFolder, 'request.json'), JSON.stringify(demoDataRequest(secrets)), { mode: 0o600 })
}

/** Shows where the stack is, who can log in, and with which API keys merchants call, as `npm start` writes it down. */
async function credentials(): Promise<void> {
  const { operator, merchants } = demoDataRequest(await loadSecrets(secretsFolder))
  const made = parseSeedOutput(readFileSync(join(demonstrationFolder, 'answer.ndjson'), 'utf8'))
  if (made.some(({ api_key }) => !api_key))
    throw userError('An API key was made and never kept: run docker compose down --volumes, and start again.')
  const [demo, second] = merchants.map(({ client }, at) => ({ ...made[at], client }))
  const url = process.env.PUBLIC_URL
  console.log(JSON.stringify({ base_url: url, hosted_url: url, ...demo, operator, second }, null, 2))
}

/** A file that Node reads as variables. None of their values holds a single quote. */
function writeSettings(name: string, of: Record<string, string>): void {
  const lines = Object.entries(of).map(([key, value]) => `${key}='${value}'\n`)
  writeFileSync(join(folder, name, 'settings.env'), lines.join(''), { mode: 0o600 })
}
