import { type Cobro, createCobro } from './create-cobro.ts'
import { AuthenticationError, FeedGapError } from './transport/errors.ts'
import type { FollowedEvent } from './webhook-feed.ts'

const event = (sequence: number) => ({
  sequence,
  id: `evt_${sequence}`,
  event: 'payment.approved',
  payload: JSON.stringify({ id: `evt_${sequence}`, event: 'payment.approved', data: { id: 'txn_1' } }),
})
const page = (sequences: number[], { after = 0, through = after }: { after?: number; through?: number } = {}) =>
  Response.json({ data: sequences.map(event), after, through, head: 9, floor: 1 })
const refused = (status: number, error: string) => Response.json({ error }, { status, headers: { 'retry-after': '0' } })

function reading(answers: (Response | Error)[]): { cobro: Cobro; queries: string[]; stop: AbortController } {
  const queries: string[] = []
  const stop = new AbortController()
  const fetch = async (url: string | URL | Request) => {
    const answer = answers.shift()
    if (answer === undefined) {
      stop.abort()
      throw stop.signal.reason
    }
    queries.push(new URL(String(url)).search)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { cobro: createCobro({ apiKey: 'vk_test_1', baseUrl: 'https://pay.example', fetch }), queries, stop }
}

async function all(events: AsyncIterable<FollowedEvent>): Promise<number[]> {
  const sequences: number[] = []
  for await (const { sequence, event } of events) {
    expect(event).toMatchObject({ id: `evt_${sequence}`, data: { id: 'txn_1' } })
    sequences.push(sequence)
  }
  return sequences
}

test('follows the feed page by page, through failures, until it is stopped', async () => {
  const states: string[] = []
  const { cobro, queries, stop } = reading([
    page([3, 4], { after: 2, through: 4 }),
    refused(503, 'unavailable'),
    new TypeError('fetch failed'),
    page([], { after: 4 }),
    page([5], { after: 4, through: 5 }),
    page([], { after: 5 }),
  ])
  const events = cobro.webhookEvents.follow({
    after: 2,
    signal: stop.signal,
    onConnected: ({ through }) => states.push(`through ${through}`),
    onDisconnected: ({ name }) => states.push(name),
  })
  expect(await all(events)).toEqual([3, 4, 5])
  expect(states).toEqual(['through 4', 'UnavailableError', 'through 4'])
  expect(queries.map(query => new URLSearchParams(query).get('wait'))).toEqual([null, '20', null, null, '20', '20'])
  expect(queries.map(query => new URLSearchParams(query).get('after'))).toEqual(['2', '4', '4', '4', '4', '5'])
})

test('with a filter the feed has gaps, and the position is that of the page', async () => {
  const { cobro, queries, stop } = reading([page([3, 7], { after: 0, through: 8 }), page([], { after: 8 })])
  const events = cobro.webhookEvents.follow({
    after: 0,
    events: ['payment.*', 'payment_link.paid'],
    signal: stop.signal,
  })
  expect(await all(events)).toEqual([3, 7])
  expect(queries[1]).toBe('?limit=200&after=8&events=payment.*%2Cpayment_link.paid&wait=20')
})

test('a missing event is an error that names the range', async () => {
  const { cobro } = reading([
    page([3, 6], { after: 2, through: 6 }),
    page([3, 4], { after: 2, through: 6 }),
    page([3, 6], { after: 2, through: 6 }),
  ])
  await expect(all(cobro.webhookEvents.follow({ after: 2 }))).rejects.toMatchObject({ from: 4, to: 5 })
  await expect(all(cobro.webhookEvents.follow({ after: 2 }))).rejects.toMatchObject({ from: 5, to: 6 })
  const missing = cobro.webhookEvents.reconcile({ after: 2, through: 9, seen: () => false })
  await expect(all(missing)).rejects.toBeInstanceOf(FeedGapError)
})

test('events that are no longer kept are a gap', async () => {
  const { cobro } = reading([refused(410, 'gone: kept from 12 on'), Response.json({ data: [], floor: 12 })])
  const failure = await all(cobro.webhookEvents.follow({ after: 2 })).catch((caught: unknown) => caught)
  expect(failure).toBeInstanceOf(FeedGapError)
  expect(failure).toMatchObject({ from: 3, to: 11 })
})

test('a failure that waiting does not mend ends the iteration', async () => {
  const { cobro } = reading([refused(401, 'unauthorized')])
  await expect(all(cobro.webhookEvents.follow())).rejects.toBeInstanceOf(AuthenticationError)
})

test('reconciling returns what the receiver has not seen, within the range', async () => {
  const { cobro, queries } = reading([
    page([3, 4], { after: 2, through: 4 }),
    page([5], { after: 4, through: 5 }),
    page([], { after: 5 }),
  ])
  const missing = cobro.webhookEvents.reconcile({ after: 2, through: 5, seen: ({ id }) => id === 'evt_4' })
  expect(await all(missing)).toEqual([3, 5])
  expect(queries).toEqual(['?after=2&limit=3', '?after=4&limit=1'])
})

test('reconciling beyond the end of the feed, or before what is kept, is an error', async () => {
  const { cobro } = reading([
    page([3], { after: 2, through: 3 }),
    page([], { after: 3 }),
    refused(410, 'gone: kept from 12 on'),
    Response.json({ data: [], floor: 12 }),
  ])
  const range = { after: 2, through: 5, seen: () => true }
  await expect(all(cobro.webhookEvents.reconcile(range))).rejects.toThrow('The feed ends at 3, before 5.')
  await expect(all(cobro.webhookEvents.reconcile(range))).rejects.toMatchObject({ from: 3, to: 11 })
})

test('a feed that cannot be reached is not asked again at once', async () => {
  const stop = new AbortController()
  const { cobro, queries } = reading(Array.from({ length: 50 }, () => refused(503, 'unavailable')))
  setTimeout(() => stop.abort(), 300)
  expect(await all(cobro.webhookEvents.follow({ signal: stop.signal }))).toEqual([])
  expect(queries.length).toBeLessThan(20)
})
