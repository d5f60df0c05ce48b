import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleEvent } from '@cobro/sdk/testing'
import { forwardFeed, type Listening } from './forward-feed.ts'
import { listenState } from './listen-state.ts'

const before = process.env.XDG_STATE_HOME
beforeAll(() => {
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), 'cobro-state-'))
})
afterAll(() => {
  if (before === undefined) delete process.env.XDG_STATE_HOME
  else process.env.XDG_STATE_HOME = before
})

const payload = JSON.stringify(exampleEvent('payment.approved'))
const event = { sequence: 7, id: 'evt_7', event: 'payment.approved', created_at: '', correlation_id: null, payload }
const page = { data: [event], after: 6, through: 9, head: 9, floor: 1 }

/** Listens to a feed of one page with one event. */
function listening(test: string, change: Partial<Listening> = {}): Listening {
  return {
    feed: {
      async *follow({ onPage } = {}) {
        yield { ...event, event: exampleEvent('payment.approved') }
        onPage?.(page)
      },
      retrieve: () => {
        throw new Error('The feed is away.')
      },
    },
    state: listenState({ baseUrl: 'https://pay.example' }, [test]),
    report: { connection: { onConnected() {}, onDisconnected() {} }, event() {}, lost() {} },
    after: 'latest',
    events: undefined,
    matches: () => true,
    url: undefined,
    secret: `whsec_${'A'.repeat(43)}=`,
    save: undefined,
    until: undefined,
    timeScale: undefined,
    ...change,
  }
}

const stored = (test: string) => listenState({ baseUrl: 'https://pay.example' }, [test]).current()

test('the position moves to the end of a page, also past events that do not match', async () => {
  await forwardFeed(listening('page', { matches: () => false }), new AbortController().signal)
  expect(stored('page')).toEqual({ sequence: 9, retries: [] })
})

test('the position stays before an event whose forwarding was interrupted', async () => {
  const interrupted = new AbortController()
  const matches = () => {
    interrupted.abort()
    return true
  }
  expect(await forwardFeed(listening('stop', { matches }), interrupted.signal)).toBe(false)
  expect(stored('stop')).toEqual({ retries: [] })
})

test('the position moves past a failed event together with its retry, which a run without retries leaves', async () => {
  const url = 'http://127.0.0.1:1'
  const before = Date.now()
  await forwardFeed(listening('retry', { url, timeScale: 1 }), new AbortController().signal)
  const { sequence, retries } = stored('retry')
  expect([sequence, retries]).toEqual([
    9,
    [expect.objectContaining({ id: 'evt_7', sequence: 7, attempts: 1, due_ms: expect.any(Number) })],
  ])
  expect((retries[0]?.due_ms ?? 0) - before).toBeGreaterThanOrEqual(30_000)
  await forwardFeed(listening('retry', { url }), new AbortController().signal)
  expect(stored('retry').retries).toEqual(retries)
})
