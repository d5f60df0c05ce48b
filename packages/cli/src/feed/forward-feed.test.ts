import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '@cobro/sdk'
import { exampleEvent } from '@cobro/sdk/testing'
import { forwardFeed, type Listening } from './forward-feed.ts'
import { listenState, listenStatePath } from './listen-state.ts'

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

const pathOf = (test: string) => listenStatePath({ baseUrl: 'https://pay.example' }, [test])
const stored = (test: string) => listenState(pathOf(test)).current()

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
    state: listenState(pathOf(test)),
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

test('an event that comes again while its retry is pending keeps one retry, which its success removes', async () => {
  const failing = { url: 'http://127.0.0.1:1', timeScale: 1 }
  await forwardFeed(listening('again', failing), new AbortController().signal)
  await forwardFeed(listening('again', failing), new AbortController().signal)
  expect(stored('again').retries).toHaveLength(1)
  await forwardFeed(listening('again', { timeScale: 1 }), new AbortController().signal)
  expect(stored('again').retries).toEqual([])
})

test('an event is saved before the position moves, in a file that only its user can read', async () => {
  const save = join(mkdtempSync(join(tmpdir(), 'cobro-save-')), 'events.ndjson')
  await forwardFeed(listening('save', { save }), new AbortController().signal)
  expect(readFileSync(save, 'utf8')).toBe(`${payload}\n`)
  expect(statSync(save).mode & 0o777).toBe(0o600)
  const nowhere = forwardFeed(listening('nowhere', { save: tmpdir() }), new AbortController().signal)
  await expect(nowhere).rejects.toThrow(`Cannot write to ${tmpdir()}: EISDIR.`)
  expect(stored('nowhere')).toEqual({ retries: [] })
})

test('a retry whose event the API refuses to return ends the listener with the error', async () => {
  const test = 'refused'
  listenState(pathOf(test)).change({ retries: [{ id: 'evt_1', sequence: 1, attempts: 1, due_ms: 0 }] })
  const error = new ApiError({ status: 403, code: 'forbidden', operationId: 'getWebhookEvent', headers: new Headers() })
  const listened = listening(test, { timeScale: 1, matches: () => false })
  const waiting: Listening['feed'] = {
    async *follow({ signal } = {}) {
      await new Promise(resolve => signal?.addEventListener('abort', resolve))
    },
    retrieve: () => {
      throw error
    },
  }
  await expect(forwardFeed({ ...listened, feed: waiting }, new AbortController().signal)).rejects.toBe(error)
  expect(stored(test).retries).toHaveLength(1)
})

test.each(['', '{', '{"sequence":"7","retries":[]}', '{"sequence":7}'])(
  'the state %j is an error that names the file, and not an empty state',
  text => {
    writeFileSync(pathOf('broken'), text)
    expect(() => stored('broken')).toThrow(`${pathOf('broken')} does not have the position`)
  },
)
