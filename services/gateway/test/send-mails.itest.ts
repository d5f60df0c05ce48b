import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { createLogger, type KeyRing, secret } from '@cobro/runtime'
import { freePort, migratedDatabase, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-gateway.ts'
import { entities, schema } from '../src/gateway-schema.ts'
import type { NewMail } from '../src/mail/mail-kinds.ts'
import { type MailRecipient, mailOutbox, pruneMails } from '../src/mail/mail-outbox.ts'
import { type MailTimeouts, smtpTransport } from '../src/mail/mail-transport.ts'
import { startMailSender } from '../src/mail/start-mail-sender.ts'
import { tokenHash } from '../src/secrets/secret-tokens.ts'
import { type MailServer, mailServer, smtpError } from './mail-server.ts'

type World = Awaited<ReturnType<typeof openWorld>>
let world: World
let server: MailServer
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  server = await mailServer()
  await world.database.query('delete from gateway.mails')
  await world.database.query('delete from gateway.users')
})
afterEach(() => server.close())

const logger = createLogger('gateway', 'silent')
const encryptionKeys: KeyRing = [{ id: 'e1', bytes: secret(randomBytes(32)) }]
const from = { name: 'Cobro', address: 'no-reply@cobro.test' }

async function openWorld() {
  const database = await migratedDatabase({ schema, migrations, migrate })
  const db = openDatabase({ url: database.url(schema), schema, entities })
  const outbox = mailOutbox({ db, enabled: true, encryptionKeys, language: 'es' })
  /** Stores a mail to an address, or to a user. */
  const add = (to: string | MailRecipient, mail: NewMail = { kind: 'setup', data: {} }, token?: string) => {
    const recipient = typeof to === 'string' ? { email: to, user_id: null, merchant_id: null } : to
    const expiring = token === undefined ? undefined : { token, expires_at: new Date(Date.now() + 3_600_000) }
    return db.write(tx => outbox.add(tx, recipient, mail, expiring))
  }
  /** Adds a user who has a token. */
  const user = async (email: string, token: string, status = 'active'): Promise<MailRecipient> => {
    const id = newId('usr')
    await database.query(
      `insert into gateway.users
         (id, email, role, merchants, status, setup_token_hash, setup_expires_at, created_at, updated_at)
       values ($1, $2, 'operator', '"all"', $3, $4, now() + interval '1 hour', now(), now())`,
      [id, email, status, tokenHash(token)],
    )
    return { email, user_id: id, merchant_id: null }
  }
  const rows = () => database.query('select * from gateway.mails order by created_at, id')
  const close = async () => {
    await db.close()
    await database.drop()
  }
  return { database, db, add, user, rows, close }
}

/** A sender with delays that a test can wait for. */
function sender({
  url = server.url,
  timeouts,
  ...delays
}: {
  url?: string
  timeouts?: MailTimeouts
  leaseMs?: number
  sendTimeoutMs?: number
} = {}) {
  const transport = smtpTransport({ url: secret(url), environment: 'sandbox' }, from, timeouts)
  const { db } = world
  const deps = { db, transport, encryptionKeys, publicUrl: 'https://api.cobro.test', logger }
  const started = startMailSender({ ...deps, leaseMs: 60_000, pollMs: 50, backoffMs: () => 100, ...delays })
  return {
    stop: async () => {
      await started.stop()
      transport.close()
    },
  }
}

const statuses = async () => (await world.rows()).map(({ status }) => status)
const sent = (count: number) =>
  waitFor(async () => {
    const found = await statuses()
    return found.length === count && found.every(status => status === 'sent')
  })

test('two replicas send each mail once', async () => {
  const addresses = Array.from({ length: 20 }, (_, i) => `user-${i}@cobro.test`)
  for (const address of addresses) await world.add(address)
  const replicas = [sender(), sender()]
  await sent(20)
  for (const replica of replicas) await replica.stop()
  expect(server.mails.map(({ to }) => to[0]).sort()).toEqual(addresses.toSorted())
  expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(20)
})

test('a mail whose sender got no answer within its lease is sent by another, with the same Message-ID', async () => {
  await world.add('ana@cobro.test')
  let arrived: string | undefined
  server.behavior.onMail = ({ messageId }) => {
    arrived = messageId
    return new Promise(() => undefined)
  }
  const stuck = sender({ leaseMs: 300, timeouts: { connectMs: 2_000, silenceMs: 2_000 } })
  await waitFor(() => arrived !== undefined)
  delete server.behavior.onMail
  const other = sender()
  await sent(1)
  await Promise.all([stuck.stop(), other.stop()])
  const [row] = await world.rows()
  expect([arrived, server.mails.map(({ messageId }) => messageId)]).toEqual([
    ...[`<${row?.id}@cobro.test>`, [`<${row?.id}@cobro.test>`]],
  ])
})

test('tries a mail again that the server rejects for now', async () => {
  let attempts = 0
  server.behavior.onRecipient = () => {
    if (++attempts < 3) throw smtpError(451)
  }
  await world.add('ana@cobro.test')
  const running = sender()
  await sent(1)
  await running.stop()
  expect([server.mails.length, attempts]).toEqual([1, 3])
})

test('does not send a mail again that the server rejects for good, and goes on with others', async () => {
  let attempts = 0
  server.behavior.onRecipient = address => {
    if (!address.startsWith('gone')) return
    attempts++
    throw smtpError(550)
  }
  await world.add(await world.user('gone@cobro.test', 'vst_token'), { kind: 'setup', data: {} }, 'vst_token')
  await world.add('ana@cobro.test')
  const running = sender()
  await waitFor(async () => (await statuses()).toSorted().join() === 'bounced,sent')
  await running.stop()
  const bounced = (await world.rows()).find(({ status }) => status === 'bounced')
  expect(bounced).toMatchObject({ last_error: 'EENVELOPE 550 RCPT TO', token_sealed: null })
  expect(attempts).toBe(1)
})

test('sends the waiting mails once a server that was away is back', async () => {
  const port = await freePort()
  await world.add('ana@cobro.test')
  const running = sender({ url: `smtp://127.0.0.1:${port}` })
  await waitFor(async () => Number((await world.rows())[0]?.attempts) > 2)
  expect(await statuses()).toEqual(['pending'])
  const back = await mailServer({ port })
  await sent(1)
  await running.stop()
  expect(back.mails).toHaveLength(1)
  await back.close()
})

test('gives up an attempt with a server that accepts connections and is silent', async () => {
  const silent = await rawServer(() => undefined)
  await world.add('ana@cobro.test')
  const running = sender({ url: silent.url, timeouts: { connectMs: 200, silenceMs: 200 } })
  await waitFor(async () => Number((await world.rows())[0]?.attempts) > 1)
  expect((await world.rows())[0]).toMatchObject({ status: 'pending', last_error: 'ETIMEDOUT CONN' })
  await running.stop()
  await silent.close()
})

test('gives up attempts with a server that answers line by line without end, and needs none of their connections', async () => {
  let attempts = 0
  const slow = await rawServer(socket => {
    // As many as the sender has connections.
    if (++attempts > 2) return void pipeline(socket, connect(server.port), socket).catch(() => undefined)
    socket.write('220 ready\r\n')
    const lines = setInterval(() => socket.write('250-still there\r\n'), 20)
    socket.on('close', () => clearInterval(lines))
  })
  await world.add('ana@cobro.test')
  await world.add('luis@cobro.test')
  const running = sender({ url: slow.url, sendTimeoutMs: 500 })
  await waitFor(async () => (await world.rows()).every(({ last_error }) => last_error === 'EABORT'))
  await sent(2)
  await running.stop()
  await slow.close()
  expect(server.mails.map(({ to }) => to).sort()).toEqual([['ana@cobro.test'], ['luis@cobro.test']])
})

test('a link that was used or replaced while its mail waited is not sent', async () => {
  const ana = await world.user('ana@cobro.test', 'vst_old')
  await world.add(ana, { kind: 'setup', data: {} }, 'vst_old')
  await world.database.query('update gateway.users set setup_token_hash = $1', [tokenHash('vst_new')])
  await world.add(ana, { kind: 'password_reset', data: {} }, 'vst_new')
  const running = sender()
  await waitFor(async () => !(await statuses()).includes('pending'))
  await running.stop()
  expect((await world.rows()).map(({ status, token_sealed }) => [status, token_sealed])).toEqual([
    ['given_up', null],
    ['sent', null],
  ])
  expect(server.mails.map(({ text }) => /token=(\S+)/.exec(text)?.[1])).toEqual(['vst_new'])
})

test('gives up a mail whose time is over, and deletes its token', async () => {
  await world.add(await world.user('ana@cobro.test', 'vst_token'), { kind: 'setup', data: {} }, 'vst_token')
  await world.database.query("update gateway.mails set gives_up_at = now() - interval '1 second'")
  const running = sender()
  await waitFor(async () => (await statuses())[0] === 'given_up')
  await running.stop()
  expect([server.mails, (await world.rows())[0]?.token_sealed]).toEqual([[], null])
})

test('an address gets at most ten mails in an hour of each kind that strangers can cause, and all others', async () => {
  const device: NewMail = { kind: 'new_device', data: { at: new Date().toISOString(), address: '203.0.113.1' } }
  for (let i = 0; i < 12; i++) {
    await world.add('ana@cobro.test', device)
    await world.add('ana@cobro.test')
  }
  const kinds = [...Array(10).fill('new_device'), ...Array(12).fill('setup')]
  expect((await world.rows()).map(({ kind }) => kind).sort()).toEqual(kinds)
})

test('a user who was disabled meanwhile gets only mails about its own account', async () => {
  const ana = await world.user('ana@cobro.test', 'vst_token', 'disabled')
  const at = new Date().toISOString()
  await world.add(ana)
  await world.add(ana, { kind: 'factor_changed', data: { at, added: false } })
  await world.add(ana, { kind: 'password_changed', data: { at, address: null } })
  const running = sender()
  await waitFor(async () => !(await statuses()).includes('pending'))
  await running.stop()
  const ended = (await world.rows()).map(({ kind, status }) => [kind, status])
  expect(ended.sort()).toEqual([
    ['factor_changed', 'sent'],
    ['password_changed', 'sent'],
    ['setup', 'given_up'],
  ])
  expect(server.to('ana@cobro.test')).toHaveLength(2)
})

test('mails are deleted after 30 days', async () => {
  await world.add('old@cobro.test')
  await world.add('new@cobro.test')
  await world.database.query(
    "update gateway.mails set created_at = now() - interval '31 days' where recipient = 'old@cobro.test'",
  )
  await pruneMails(world.db)
  expect((await world.rows()).map(({ recipient }) => recipient)).toEqual(['new@cobro.test'])
})

test('texts of users cannot add headers, recipients or HTML', async () => {
  const name = 'x\r\nBcc: evil@cobro.test\r\n\r\n<script>alert(1)</script>'
  const data = { at: '2026-06-01T12:00:00.000Z', name, key_masked: 'vk_test_****abcd', merchant_name: name }
  await world.add('ana@cobro.test, evil@cobro.test', { kind: 'key_created', data })
  await world.add('ana@cobro.test', { kind: 'key_created', data })
  const running = sender()
  await waitFor(async () => !(await statuses()).includes('pending'))
  await running.stop()
  const [mail] = server.to('ana@cobro.test')
  expect(server.mails.flatMap(({ to }) => to)).not.toContain('evil@cobro.test')
  expect(mail?.raw.slice(0, mail.raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc:/im)
  expect(mail?.subject).toBe('Nueva llave de API de x Bcc: evil@cobro.test <script>alert(1)</script>')
  expect(mail?.html).toContain('&lt;script&gt;')
  expect(mail?.html).not.toContain('<script>')
})

/** A server without the protocol of mails. */
async function rawServer(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const raw = createServer(socket => {
    sockets.add(socket.on('error', () => undefined))
    onConnection(socket)
  })
  raw.listen(0, '127.0.0.1')
  await once(raw, 'listening')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    raw.close()
    await once(raw, 'close')
  }
  return { url: `smtp://127.0.0.1:${(raw.address() as AddressInfo).port}`, close }
}
