import { type Caller, type Message, newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { readNdjsonLine } from '../src/export/export-line.ts'
import { auditWorld, callMessage, eventMessage, type World } from './audit-log-world.ts'

const dayMs = 86_400_000
const mine = newId('mrc')
let world: World
let service: Awaited<ReturnType<World['start']>>

/** Half of the events are from yesterday; every fifth belongs to this merchant. */
const messages: Message[] = Array.from({ length: 500 }, (_, i) => {
  const atMs = Date.now() - (i % 2) * dayMs
  const fields = {
    id: newId('evt', atMs),
    occurred_at: new Date(atMs).toISOString(),
    merchant_id: i % 5 ? newId('mrc') : mine,
  }
  return i === 0 ? callMessage('/a,"b"\n', 200, fields) : eventMessage(fields)
})

beforeAll(async () => {
  world = await auditWorld()
  service = await world.start()
  await waitFor(() => world.connected())
  await Promise.all(messages.map(world.publish))
  await waitFor(
    async () => (await service.call(operatorCaller('all'), '/api/events?limit=1')).body.count === messages.length,
  )
})
afterAll(() => world.close())

async function ask(query: string, caller: Caller = operatorCaller('all')) {
  const response = await service.fetch(caller, `/api/events/export${query}`)
  const text = await response.text()
  const lines = text.split('\n').slice(0, -1)
  return { response, text, lines, events: lines.map(line => readNdjsonLine(line)!) }
}
const idsOf = (events: { content: Buffer }[]) =>
  events.map(({ content }) => JSON.parse(content.toString()).id as string)

test('an export contains the exact bytes of every event once, in the order of their sequence numbers', async () => {
  const { response, events } = await ask('')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
  expect(events.map(({ seq }) => seq)).toEqual(messages.map((_message, i) => i + 1))
  expect(idsOf(events).sort()).toEqual(messages.map(({ id }) => id).sort())
  const [row] = await world.sql<{ content: Buffer }>('select content from audit.events where seq = 77')
  expect(events[76]!.content).toEqual(row!.content)
})

test('an interrupted export continues with after_seq', async () => {
  const { text } = await ask('')
  const cut = text.slice(0, text.length / 2)
  const whole = cut.slice(0, cut.lastIndexOf('\n') + 1)
  const last = readNdjsonLine(whole.trimEnd().split('\n').at(-1)!)!
  expect(whole + (await ask(`?after_seq=${last.seq}`)).text).toBe(text)
  expect((await ask(`?after_seq=${messages.length}`)).text).toBe('')
})

test('a CSV export continued with after_seq has no header', async () => {
  const { text } = await ask('?format=csv')
  const [header] = text.split('\r\n', 1)
  const rest = (await ask('?format=csv&after_seq=250')).text
  expect(rest).toMatch(/^251,/)
  expect(text.endsWith(rest)).toBe(true)
  expect(text.slice(0, -rest.length)).toMatch(new RegExp(`^${header}\r\n1,[^]*\r\n250,[^]*\r\n$`))
})

test.each(['ndjson', 'csv'])('an export as %s with after_seq=0 contains everything', async format => {
  expect((await ask(`?format=${format}&after_seq=0`)).text).toBe((await ask(`?format=${format}`)).text)
})

test('after a connection closes during an export, another one returns the rest', async () => {
  const { text } = await ask('')
  const { body } = await service.fetch(operatorCaller('all'), '/api/events/export')
  const reader = body!.getReader()
  const first = Buffer.from((await reader.read()).value!).toString()
  await reader.cancel()
  const whole = first.slice(0, first.lastIndexOf('\n') + 1)
  expect(text.startsWith(whole) && whole.length < text.length).toBe(true)
  const last = readNdjsonLine(whole.trimEnd().split('\n').at(-1)!)!
  expect(whole + (await ask(`?after_seq=${last.seq}`)).text).toBe(text)
})

test('a user has at most two exports at once, which does not hold up others', async () => {
  const user = operatorCaller('all')
  const begin = (caller: Caller) => service.fetch(caller, '/api/events/export')
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const allWait = (number: number) => waitFor(async () => (await world.sql(waiting)).length === number)
  const admin = openDatabase({ url: world.database.adminUrl, schema: 'audit', entities: [] })
  const held = await admin.write(async tx => {
    await tx.execute('lock table audit.events in access exclusive mode')
    const both = [begin(user), begin(user)]
    await allWait(2)
    const third = await begin(user)
    expect([third.status, third.headers.get('retry-after'), await third.json()]).toEqual([
      429,
      '1',
      { error: 'rate_limited: expected at most 2 exports at once' },
    ])
    const all = [...both, begin(operatorCaller('all'))]
    await allWait(3)
    return all
  })
  await admin.close()
  for (const response of await Promise.all(held))
    expect((await response.text()).split('\n')).toHaveLength(messages.length + 1)
  await waitFor(async () => (await ask('', user)).events.length === messages.length)
})

test('a CSV export has a header and a line for each event', async () => {
  const { response, text } = await ask('?format=csv')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(text.split('\r\n')).toHaveLength(messages.length + 2)
  expect(text).toMatch(/^seq,id,action,/)
  expect(text).toContain('"/a,""b""\n"')
})

test('an export contains the events of the merchant that the operator states, or of those in its scope', async () => {
  const own = messages.filter(({ merchant_id }) => merchant_id === mine).map(({ id }) => id)
  for (const caller of [operatorCaller('all', mine), operatorCaller([mine])])
    expect(idsOf((await ask('', caller)).events).sort()).toEqual(own.sort())
  expect((await ask('', operatorCaller([newId('mrc')]))).events).toEqual([])
})

test('an export with from and to contains the events of these days', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const ofToday = messages.filter(({ occurred_at }) => occurred_at.startsWith(today)).map(({ id }) => id)
  expect(idsOf((await ask(`?from=${today}&to=${today}`)).events).sort()).toEqual(ofToday.sort())
  expect((await ask('?to=2020-01-01')).events).toEqual([])
})

test.each([
  '?format=xml',
  '?after_seq=-1',
  '?after_seq=00',
  '?after_seq=',
  '?from=2026-02-02&to=2026-02-01',
  '?limit=3',
])('an export with the query %s is a 400', async query => {
  expect((await ask(query)).response.status).toBe(400)
})
