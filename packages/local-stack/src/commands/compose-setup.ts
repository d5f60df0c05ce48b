import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOnCallLogin } from '../database/on-call-login.ts'
import { prepareDatabase, withClient } from '../database/prepare-database.ts'
import { stackServiceNames } from '../layout/stack-layout.ts'
import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import { prepareBroker } from '../servers/broker-logins.ts'
import { demoDataRequest, parseSeedOutput } from '../services/demo-data.ts'
import { loadSecrets } from '../services/secrets.ts'
import { sandboxSettings } from '../services/service-settings.ts'

/** The port of every service in its container. */
const port = 8080
/** Its subdirectories are volumes. Each container mounts only the volume with its own settings. */
const folder = '/settings'
const files = { spool: '/var/lib/cobro/spool', checkpoints: '/var/lib/cobro/checkpoints.ndjson' }
const secretsFolder = join(folder, 'secrets')
const demonstrationFolder = join(folder, 'demonstration')

/** The setup steps of `docker-compose.yml`. Each is idempotent. */
const steps: Record<string, () => Promise<void>> = { passwords, settings, credentials }

await runCli(async () => {
  const name = process.argv[2] ?? ''
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (!step) throw userError(`Expected one of ${Object.keys(steps).join(', ')}.`)
  await step()
  return 0
})

/** Generates missing secrets, and writes the passwords of the two servers. */
async function passwords(): Promise<void> {
  const { postgres_password, amqp_password } = await loadSecrets(secretsFolder)
  for (const [name, password] of Object.entries({ postgres: postgres_password, rabbitmq: amqp_password })) {
    const file = join(folder, `${name}-password`, 'password')
    rmSync(file, { force: true })
    // The server runs as another user, so everyone may read the file. Only that server's container mounts it.
    writeFileSync(file, password, { mode: 0o444 })
  }
}

/** Prepares the database and its roles, and the broker's logins, and writes the settings of each service. */
async function settings(): Promise<void> {
  const secrets = await loadSecrets(secretsFolder)
  const adminUrl = `postgres://postgres:${secrets.postgres_password}@postgres:5432/postgres`
  const administrator = `cobro:${secrets.amqp_password}@rabbitmq`
  const broker = await prepareBroker({
    amqpUrl: `amqp://${administrator}:5672`,
    apiUrl: `http://${administrator}:15672`,
    namespace: 'cobro',
  })
  const database = await prepareDatabase({ adminUrl, database: 'cobro' })
  const onCall = await withClient(database.adminUrl, createOnCallLogin)
  const url = (service: string) => `http://${service}:${port}`
  const publicUrl = process.env.PUBLIC_URL ?? ''
  const sandbox = { secrets, database, broker, namespace: 'cobro', url, publicUrl, files }
  for (const name of stackServiceNames) writeSettings(name, sandboxSettings(name, sandbox))
  writeSettings('migrations', {
    MIGRATION_DATABASE_URL: database.migratorUrl,
    AMQP_URL: broker.url('migrate'),
    AMQP_NAMESPACE: 'cobro',
  })
  writeSettings('ops', {
    POSTGRES_URL: Object.assign(new URL(database.adminUrl), onCall).href,
    AMQP_URL: broker.url('ops'),
    AMQP_NAMESPACE: 'cobro',
  })
  writeFileSync(join(demonstrationFolder, 'request.json'), JSON.stringify(demoDataRequest(secrets)), { mode: 0o600 })
}

/** Prints the URLs, logins and API keys, like the `stack.json` of `npm start`. */
async function credentials(): Promise<void> {
  const { operator, merchants } = demoDataRequest(await loadSecrets(secretsFolder))
  const created = parseSeedOutput(readFileSync(join(demonstrationFolder, 'answer.ndjson'), 'utf8'))
  if (created.some(({ api_key }) => !api_key))
    throw userError('An API key was created but not stored: run docker compose down --volumes, and start again.')
  const [demo, second] = merchants.map(({ client }, at) => ({ ...created[at], client }))
  const url = process.env.PUBLIC_URL
  console.log(JSON.stringify({ base_url: url, hosted_url: url, ...demo, operator, second }, null, 2))
}

/** Writes a file for node --env-file. No value contains a single quote. */
function writeSettings(name: string, of: Record<string, string>): void {
  const lines = Object.entries(of).map(([key, value]) => `${key}='${value}'\n`)
  writeFileSync(join(folder, name, 'settings.env'), lines.join(''), { mode: 0o600 })
}
