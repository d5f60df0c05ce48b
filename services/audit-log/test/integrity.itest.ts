import { readFile } from 'node:fs/promises'
import { type Message, newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { readPages, waitFor } from '@cobro/testing'
import { acceptRestore } from '../src/integrity/accept-restore.ts'
import { isSigned, noteHash, readNote } from '../src/tree/checkpoint-note.ts'
import { auditWorld, eventMessage, type World } from './audit-log-world.ts'
import { restoreLog, saveLog } from './log-copy.ts'

const count = 40
const today = () => new Date().toISOString().slice(0, 10)
const firstDay = today()
let world: World
let service: Awaited<ReturnType<World['start']>>
let messages: Message[]

beforeAll(async () => {
  world = await auditWorld()
  service = await world.start({ AUDIT_CHECKPOINT_FILE: world.checkpointFile })
  await waitFor(() => world.connected())
  messages = Array.from({ length: count }, () => eventMessage())
  await Promise.all(messages.map(world.publish))
  await waitFor(async () => (await ask('')).body.data.size === count)
})
afterAll(() => world.close())

const ask = (query: string, caller = operatorCaller('all')) => service.call(caller, `/api/events/integrity${query}`)

test('an operator can verify the whole log or a range', async () => {
  const whole = {
    ok: true,
    size: count,
    root: expect.any(String),
    checked: count,
    retired: 0,
    first_fault: null,
    witnessed_size: count,
    restores: [],
  }
  expect(await ask('')).toMatchObject({ status: 200, body: { data: whole } })
  expect((await ask('?from_seq=3&to_seq=7')).body.data).toEqual({ ...whole, checked: 5 })
  expect((await ask('?from_seq=39')).body.data).toEqual({ ...whole, checked: 2 })
  expect((await ask('?to_seq=4')).body.data).toEqual({ ...whole, checked: 4 })
})

test.each([
  ['?from_seq=0', 'from_seq: expected the place of an event, from 1 on'],
  ['?to_seq=x', 'to_seq: expected the place of an event, from 1 on'],
  ['?from_seq=9&to_seq=8', 'from_seq: expected a place not after to_seq'],
  ['?from_seq=41', 'from_seq: the log ends at 40'],
  ['?from_seq=39&to_seq=41', 'to_seq: the log ends at 40'],
  ['?to_seq=99999', 'to_seq: the log ends at 40'],
  ['?from_seq=1&to_seq=100001', 'from_seq: expected at most 100000 events up to to_seq'],
])('verifying the range %s is a 400', async (query, detail) => {
  expect(await ask(query)).toMatchObject({
    status: 400,
    body: { error: `invalid_request: ${detail}` },
  })
})

test('events have sequence numbers without gaps', async () => {
  const { body } = await service.call(operatorCaller('all'), '/api/events?limit=200')
  const seqs = body.data.map((event: { seq: number }) => event.seq)
  expect(seqs.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
})

test('checkpoints are signed with the published key, and each refers to the one before', async () => {
  const list = (query: string) => service.call(operatorCaller('all'), `/api/events/checkpoints${query}`)
  const { body } = await list('?order=size&dir=asc&limit=200')
  expect(body.count).toBe(body.data.length)
  let previous = noteHash('')
  for (const { size, root, previous: shownPrevious, note } of body.data as Record<string, string>[]) {
    expect(isSigned(note!, [world.key])).toBe(true)
    const read = readNote(note!)!
    expect([read.size, read.root.toString('base64'), read.previous.toString('base64')]).toEqual([
      size,
      root,
      shownPrevious,
    ])
    expect(read.previous).toEqual(previous)
    previous = noteHash(note!)
  }
  const newest = await list('?limit=1')
  expect(newest.body.data).toEqual(body.data.slice(-1))
  expect((await list(`?from=${firstDay}&to=${today()}`)).body.count).toBe(body.count)
  expect((await list('?to=2020-01-01')).body.count).toBe(0)
  const keys = await service.call(operatorCaller('all'), '/api/events/checkpoint-keys')
  expect(keys.body.data).toEqual([{ verifier_key: world.key.text }])
})

test.each(['/api/events/checkpoints', '/api/events'])('the pages of %s are linked, in both directions', async path => {
  const caller = operatorCaller('all')
  for (const dir of ['asc', 'desc']) {
    const whole = await service.call(caller, `${path}?limit=200&dir=${dir}`)
    const linked = await readPages(page => service.fetch(caller, page), `${path}?limit=7&dir=${dir}`)
    expect(linked).toEqual(whole.body.data)
  }
})

test.each(['1-evt_1', `1-${'9'.repeat(16)}`, '99999999999999-1x'])(
  'the cursor %s of checkpoints is rejected',
  async cursor => {
    const { status, body } = await service.call(operatorCaller('all'), `/api/events/checkpoints?cursor=${cursor}`)
    expect([status, body]).toMatchObject([
      400,
      { error: 'invalid_request: cursor: expected the cursor of a link to the next page' },
    ])
  },
)

test.each(['99999999999999-evt_1', '0-x'])('events can be listed from the cursor %s on', async cursor => {
  expect((await service.call(operatorCaller('all'), `/api/events?cursor=${cursor}`)).status).toBe(200)
})

test('each checkpoint is also written to the checkpoint file', async () => {
  const { body } = await service.call(operatorCaller('all'), '/api/events/checkpoints?order=size&dir=asc&limit=200')
  const expected = body.data.map(({ size, note }: Record<string, unknown>) => ({ size, note, restores: 0 }))
  // The service writes to the file after the commit.
  await waitFor(async () => {
    const lines = (await readFile(world.checkpointFile, 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(expected)
    return true
  })
})

test.each(['/integrity', '/checkpoints', '/checkpoint-keys'])(
  'the path %s of the audit log is for operators of all merchants only',
  async path => {
    const status = async (caller: Parameters<typeof ask>[1] | ReturnType<typeof keyCaller>) =>
      (await service.call(caller!, `/api/events${path}`)).status
    expect(await status(operatorCaller('all'))).toBe(200)
    expect(await status(operatorCaller([newId('mrc')]))).toBe(403)
    expect(await status(keyCaller())).toBe(403)
  },
)

test('a service whose database was rolled back stores nothing until the restore is accepted', async () => {
  await world.sql(saveLog.join(';'))
  await world.publish(eventMessage())
  await waitFor(async () => (await ask('')).body.data.witnessed_size === count + 1)
  await world.sql(restoreLog.join(';'))
  const first_fault = expect.objectContaining({ kind: 'log_rolled_back', seq: count + 1 })
  expect((await ask('')).body.data).toMatchObject({ ok: false, size: count, first_fault, witnessed_size: null })
  await world.publish(eventMessage())
  await waitFor(async () => (await world.readyMessageCount('queue')) === 0)

  const db = openDatabase({ url: world.database.url('audit'), schema: 'audit', entities: [] })
  await acceptRestore({ db, key: world.key, keys: [world.key] }, [world.checkpointFile], { reason: 'x', by: 'Ana' })
  await db.close()
  await waitFor(async () => (await ask('')).body.data.witnessed_size === count + 2)
  // The service had received the event before the acceptance, and stored it after that.
  expect((await ask('')).body.data).toMatchObject({ ok: true, restores: [{ restored_size: count, seq: count + 1 }] })
})
