import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOnCallLogin } from '../database/on-call-login.ts'
import { prepareDatabase, withClient } from '../database/prepare-database.ts'
import { stackServiceNames } from '../layout/stack-layout.ts'
import { userError } from '../machine/user-error.ts'
import { type BrokerAdministrator, prepareBroker } from '../servers/broker-logins.ts'
import { demoDataRequest, parseSeedOutput } from './demo-data.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { sandboxSettings } from './service-settings.ts'

/** The port of every service in its container. */
const port = 8080
const files = {
  spool: '/var/lib/cobro/spool',
  checkpoints: '/var/lib/cobro/checkpoints.ndjson',
  mail: '/var/lib/cobro/mail',
}

/** The servers of a deployment with Docker Compose, as their administrator reaches them. */
export interface ComposeServers {
  adminUrl: string
  database: string
  broker: BrokerAdministrator
  namespace: string
}

const secretsOf = (folder: string): Promise<Secrets> => loadSecrets(join(folder, 'secrets'))

/** Generates missing secrets, and writes the passwords of the two servers. */
export async function writeServerPasswords(folder: string): Promise<void> {
  const { postgres_password, amqp_password } = await secretsOf(folder)
  for (const [name, password] of Object.entries({ postgres: postgres_password, rabbitmq: amqp_password })) {
    const file = join(folder, `${name}-password`, 'password')
    rmSync(file, { force: true })
    // The server runs as another user, so everyone may read the file. Only that server's container mounts it.
    writeFileSync(file, password, { mode: 0o444 })
  }
}

/** Prepares the database and its roles, and the broker's logins, and writes the settings of each service. */
export async function writeComposeSettings(
  folder: string,
  servers: (secrets: Secrets) => ComposeServers,
  publicUrl: string,
): Promise<void> {
  const secrets = await secretsOf(folder)
  const { adminUrl, database: name, broker: administrator, namespace } = servers(secrets)
  const broker = await prepareBroker({ ...administrator, namespace })
  const database = await prepareDatabase({ adminUrl, database: name })
  const onCall = await withClient(database.adminUrl, createOnCallLogin)
  const url = (service: string) => `http://${service}:${port}`
  const sandbox = { secrets, database, broker, namespace, url, publicUrl, files }
  for (const name of stackServiceNames) writeSettings(folder, name, sandboxSettings(name, sandbox))
  writeSettings(folder, 'migrations', {
    MIGRATION_DATABASE_URL: database.migratorUrl,
    AMQP_URL: broker.url('migrate'),
    AMQP_NAMESPACE: namespace,
  })
  writeSettings(folder, 'ops', {
    POSTGRES_URL: Object.assign(new URL(database.adminUrl), onCall).href,
    AMQP_URL: broker.url('ops'),
    AMQP_NAMESPACE: namespace,
  })
  const request = JSON.stringify(demoDataRequest(secrets))
  writeFileSync(join(folder, 'demonstration', 'request.json'), request, { mode: 0o600 })
}

/** Returns the URLs, logins and API keys, like the `stack.json` of `npm start`. */
export async function readComposeCredentials(folder: string, url: string) {
  const { operator, merchants } = demoDataRequest(await secretsOf(folder))
  const created = parseSeedOutput(readFileSync(join(folder, 'demonstration', 'answer.ndjson'), 'utf8'))
  if (created.some(({ api_key }) => !api_key))
    throw userError('An API key was created but not stored: run docker compose down --volumes, and start again.')
  const [demo, second] = merchants.map(({ client }, at) => ({ ...created[at], client }))
  return { base_url: url, hosted_url: url, ...demo, operator, second }
}

/** Writes a file for node --env-file. No value contains a single quote. */
function writeSettings(folder: string, name: string, of: Record<string, string>): void {
  const lines = Object.entries(of).map(([key, value]) => `${key}='${value}'\n`)
  writeFileSync(join(folder, name, 'settings.env'), lines.join(''), { mode: 0o600 })
}
