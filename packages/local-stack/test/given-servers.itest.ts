import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '../src/layout/stack-ports.ts'
import { loadSecrets } from '../src/services/secrets.ts'
import { provideBroker, provideDatabase } from '../src/stack/stack-servers.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-given-'))
})
afterAll(() => rm(dir, { recursive: true }))

const options = async () => ({
  ...{ dir, ports: await choosePorts(undefined), secrets: await loadSecrets(dir), report: () => {} },
  signal: new AbortController().signal,
})
const started = () => {
  throw new Error('A server was started.')
}

test('provideDatabase says that the server at POSTGRES_URL does not answer, and starts none', async () => {
  const givenUrl = 'postgres://postgres:secret@127.0.0.1:1/postgres'
  const provided = provideDatabase({ ...(await options()), givenUrl, database: 'cobro' }, started)
  await expect(provided).rejects.toThrow(
    /^Cannot use the PostgreSQL at POSTGRES_URL \(.*ECONNREFUSED.*\): fix that, or unset POSTGRES_URL\.$/,
  )
})

test('provideBroker says that no RabbitMQ answers at AMQP_URL, and starts none', async () => {
  const given = { givenUrl: 'amqp://cobro:secret@127.0.0.1:1', givenApiUrl: undefined, namespace: 'cobro' }
  const provided = provideBroker({ ...(await options()), ...given }, started)
  await expect(provided).rejects.toThrow('No RabbitMQ answers at AMQP_URL (127.0.0.1:1): start it, or unset AMQP_URL.')
})
