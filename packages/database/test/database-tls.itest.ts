import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TlsProxy, tlsProxy } from '@cobro/testing'
import { expired, type TestAuthority, testAuthority } from '@cobro/testing/test-certificates'
import { isDatabaseUnavailable } from '../src/database-errors.ts'
import { openDatabase } from '../src/open-database.ts'
import { type BranchDatabase, branchDatabase, schema } from './branch-database.ts'

let world: BranchDatabase
let authority: TestAuthority
let proxy: TlsProxy
let dir: string
beforeAll(async () => {
  world = await branchDatabase()
  authority = await testAuthority()
  proxy = await tlsProxy(world.database.url(schema), await authority.issue('127.0.0.1'))
  dir = await mkdtemp(join(tmpdir(), 'cobro-authority-'))
  await writeFile(join(dir, 'ca.pem'), authority.cert)
})
afterAll(async () => {
  await proxy.close()
  await world.stop()
  await rm(dir, { recursive: true })
})

/** Opens the database with `sslmode=verify-full` under a host name or address of this machine. */
function open(host = '127.0.0.1') {
  const url = new URL(proxy.url)
  url.hostname = host
  url.searchParams.set('sslmode', 'verify-full')
  url.searchParams.set('sslrootcert', join(dir, 'ca.pem'))
  return openDatabase({ url: url.href, schema, entities: [] })
}

async function errorOf(host?: string): Promise<unknown> {
  const db = open(host)
  return db
    .ping()
    .then(() => undefined)
    .catch(error => error)
    .finally(db.close)
}

test.each(['127.0.0.1', 'localhost'])('sslmode=verify-full encrypts the connection to %s', async host => {
  proxy.use(await authority.issue(host))
  expect(await errorOf(host)).toBeUndefined()
})

test('a URL without sslmode cannot talk to a server that only speaks TLS', async () => {
  const db = openDatabase({ url: proxy.url.href, schema, entities: [] })
  await expect(db.ping()).rejects.toThrow('no encryption')
  await db.close()
})

test.each([
  ['expired', () => authority.issue('127.0.0.1', expired)],
  ['from a foreign authority', async () => (await testAuthority('Foreign')).issue('127.0.0.1')],
  ['of another host', () => authority.issue('localhost')],
])('a certificate that is %s makes the database unavailable', async (_what, issue) => {
  proxy.use(await issue())
  const error = await errorOf()
  expect(error).toBeDefined()
  expect(isDatabaseUnavailable(error)).toBe(true)
})

test('an open database survives the rotation of the certificate, and recovers from one that had expired', async () => {
  proxy.use(await authority.issue('127.0.0.1'))
  const db = open()
  await db.ping()
  proxy.use(await authority.issue('127.0.0.1', expired))
  await db.ping()
  proxy.cut()
  await expect(db.ping()).rejects.toThrow()
  proxy.use(await authority.issue('127.0.0.1'))
  await db.ping()
  await db.close()
})
