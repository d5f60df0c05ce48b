import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Client } from 'pg'
import { createOnCallLogin } from '../src/database/on-call-login.ts'
import { dropDatabase, prepareDatabase, withClient } from '../src/database/prepare-database.ts'
import { repositoryRoot } from '../src/layout/stack-paths.ts'
import { runCommand } from '../src/machine/run-command.ts'
import { deleteLogins } from '../src/servers/broker-logins.ts'
import { readComposeCredentials, writeComposeSettings, writeServerPasswords } from '../src/services/compose-files.ts'
import { createDemoData } from '../src/services/demo-data.ts'
import { loadSecrets } from '../src/services/secrets.ts'
import { runServiceCommand, type ServiceProgram } from '../src/services/service-program.ts'

const {
  TEST_POSTGRES_URL: adminUrl = '',
  TEST_AMQP_URL: amqpUrl = '',
  TEST_RABBITMQ_API_URL: apiUrl = '',
} = process.env
const database = `test_${randomBytes(8).toString('hex')}`
const namespace = `test-${randomBytes(8).toString('hex')}`
const query = (url: string, sql: string) => withClient(url, async client => (await client.query(sql)).rows)
const adminUrlOf = (name: string) => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href
const withOptions = (address: string, options: string) => {
  const url = new URL(address)
  url.searchParams.set('options', options)
  return url.href
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-compose-'))
})

afterAll(async () => {
  await dropDatabase(adminUrl, database)
  await deleteLogins(apiUrl, namespace)
  await query(adminUrl, 'drop role if exists cobro_on_call')
  await rm(folder, { recursive: true, force: true })
})

const write = () =>
  writeComposeSettings(
    folder,
    () => ({ adminUrl, database, broker: { amqpUrl, apiUrl }, namespace }),
    'http://localhost:4000',
  )
const settingsOf = async (name: string) => {
  const settings = parseEnv(await readFile(join(folder, name, 'settings.env'), 'utf8'))
  return settings as Record<string, string>
}
const gateway = (env: Record<string, string>): ServiceProgram => {
  return { name: 'gateway', env: { PATH: process.env.PATH ?? '', ...env }, logFile: join(folder, 'log'), url: '' }
}

test('the setup of docker-compose.yml fills every volume, and the gateway creates the printed API keys with it', async () => {
  const compose = await readFile(join(repositoryRoot, 'docker-compose.yml'), 'utf8')
  const volumes = new Set([...compose.matchAll(/:\/settings\/([\w-]+)/g)].map(([, name]) => name as string))
  for (const name of volumes) await mkdir(join(folder, name))
  await writeServerPasswords(folder)
  // A second `docker compose up` runs each step again.
  await writeServerPasswords(folder)
  await write()
  await write()
  const filled = new Set(globSync('*/*', { cwd: folder }).map(path => path.split('/')[0]))
  expect([...filled].toSorted()).toEqual([...volumes].toSorted())

  const secrets = await loadSecrets(join(folder, 'secrets'))
  const password = join(folder, 'rabbitmq-password', 'password')
  expect([await readFile(password, 'utf8'), (await stat(password)).mode & 0o777]).toEqual([
    secrets.amqp_password,
    0o444,
  ])
  const settings = await settingsOf('gateway')
  expect((await stat(join(folder, 'gateway', 'settings.env'))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(settings.INTERNAL_SIGNING_KEY ?? '')).toEqual(secrets.internal_signing_key)
  expect(settings).toMatchObject({ CHECKOUT_URL: 'http://checkout:8080', PUBLIC_URL: 'http://localhost:4000' })

  await runServiceCommand(gateway(await settingsOf('migrations')), 'migrate')
  const request = await readFile(join(folder, 'demonstration', 'request.json'), 'utf8')
  const answer = await runServiceCommand(gateway(settings), 'seed', request)
  await writeFile(join(folder, 'demonstration', 'answer.ndjson'), answer)
  const printed = await readComposeCredentials(folder, 'http://localhost:4000')
  const keys = await query(adminUrlOf(database), 'select id, merchant_id from gateway.api_keys order by id')
  expect(printed).toMatchObject({
    ...{
      base_url: 'http://localhost:4000',
      merchant_id: keys[0].merchant_id,
      second: { merchant_id: keys[1].merchant_id },
    },
    operator: { email: 'operator@cobro.test', password: secrets.passwords.operator },
    client: { email: 'client@demo.test', password: secrets.passwords.client },
  })
  const ops = await settingsOf('ops')
  expect(await query(ops.POSTGRES_URL ?? '', 'select count(*) > 0 as any from gateway.outbox')).toEqual([{ any: true }])
})

test('createDemoData rejects a database whose API keys another directory has', async () => {
  const secrets = await loadSecrets(join(folder, 'secrets'))
  const again = createDemoData(join(folder, 'other'), gateway(await settingsOf('gateway')), secrets)
  await expect(again).rejects.toThrow('API key is not in this directory: run npm run reset')
})

test('readComposeCredentials rejects API keys that were created but not stored', async () => {
  const answer = JSON.stringify({ merchants: [{ merchant_id: 'mrc_1', api_key: null }] })
  await writeFile(join(folder, 'demonstration', 'answer.ndjson'), answer)
  await expect(readComposeCredentials(folder, '')).rejects.toThrow('run docker compose down --volumes')
})

test('runServiceCommand fails with the last lines of the log', async () => {
  const failed = runServiceCommand(gateway({}), 'migrate')
  await expect(failed).rejects.toThrow(/^gateway: the command migrate failed\..*MIGRATION_DATABASE_URL/s)
})

test('compose-setup rejects an unknown step', async () => {
  const program = join(import.meta.dirname, '../src/commands/compose-setup.ts')
  const env = { PATH: process.env.PATH }
  const unknown = await runCommand(process.execPath, ['--conditions=cobro-source', program, 'constructor'], { env })
  expect(unknown).toMatchObject({ code: 1, stderr: 'Expected one of passwords, settings, credentials.\n' })
})

test('createOnCallLogin gives an existing role the rights of operators, and the server logs no password', async () => {
  await prepareDatabase({ adminUrl, database })
  await query(adminUrl, 'drop role if exists cobro_on_call; create role cobro_on_call nologin noinherit')
  const client = new Client({
    connectionString: withOptions(adminUrl, '-c client_min_messages=log -c log_statement=ddl'),
  })
  const logged: string[] = []
  client.on('notice', ({ message }) => logged.push(message ?? ''))
  await client.connect()
  await client.query('create temporary table seen ()')
  const { username, password } = await createOnCallLogin(client)
  await client.end()
  expect(logged).toContain('statement: create temporary table seen ()')
  expect(logged.filter(line => line.includes(password))).toEqual([])

  const own = Object.assign(new URL(adminUrlOf(database)), { username, password }).href
  expect(await query(own, 'select count(*) > 0 as any from operators.activity()')).toEqual([{ any: true }])
})
