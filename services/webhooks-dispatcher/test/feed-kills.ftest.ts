import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, eventOf, startReplica } from './dispatcher-service.ts'

const kills = process.env.COBRO_TEST_LONG === '1' ? 200 : 12
const replicas = 3
const publishers = 4
const pauseMs = 10
/** A replica that is not killed at a failpoint is killed from outside within this time of its start. */
const longestLifeMs = 4_000

const world = await dispatcherWorld()
await waitFor(() => world.connected())
const reading = await startReplica(world)
const children = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await reading.stop()
  await world.stop()
})

const merchants = [keyCaller(), keyCaller()]
type Merchant = (typeof merchants)[number]

/** Publishes events of both merchants until it is stopped. Returns their ids by merchant. */
function publish() {
  const ids = new Map(merchants.map(({ merchant_id }) => [merchant_id, [] as string[]]))
  let stopping = false
  const publishing = Array.from({ length: publishers }, async (_, publisher) => {
    while (!stopping) {
      const { merchant_id } = merchants[publisher % merchants.length]!
      const event = eventOf(merchant_id, publisher < merchants.length ? 'payment.approved' : 'payment.refunded')
      await world.publish(event)
      ids.get(merchant_id)?.push(event.id)
      await pause(pauseMs)
    }
  })
  return {
    stop: async () => {
      stopping = true
      await Promise.all(publishing)
      return ids
    },
  }
}

/** Starts a replica and kills it, in turn at a failpoint around the commit and at a moment of its own. */
async function startAndKill(turn: number): Promise<void> {
  const at = ['received', 'stored', ''][turn % 3]
  const env: Record<string, string> = at ? { CRASH_AT: at, CRASH_PASS: String(1 + (turn % 7)) } : {}
  const child = startProcess(world.config, { script: 'test/fixtures/crashing-dispatcher.ts', env })
  children.add(child)
  const exited = once(child, 'exit')
  if (!at) void pause((turn * 997) % longestLifeMs).then(() => child.kill('SIGKILL'))
  await exited
  children.delete(child)
}

interface SeenEvent {
  sequence: number
  id: string
  event: string
}

/** Reads a feed from its start until `done` returns true for what was read. */
async function follow(merchant: Merchant, query: string, done: (seen: SeenEvent[]) => boolean): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = []
  for (let after = 0; !done(seen); ) {
    const path = `/api/webhook-events?after=${after}&wait=1&limit=200${query}`
    const { status, body } = await reading.call(merchant, 'GET', path)
    expect(status).toBe(200)
    seen.push(...body.data)
    after = body.through
  }
  return seen
}

test(`${kills} kills of ${replicas} replicas under load: every reader sees each event once, in order and without a gap`, async () => {
  const load = publish()
  let published: Map<string, string[]> | undefined
  const isComplete =
    ({ merchant_id }: Merchant) =>
    (seen: SeenEvent[]) =>
      published !== undefined && seen.length >= (published.get(merchant_id)?.length ?? 0)
  const readers = merchants.map(merchant => follow(merchant, '', isComplete(merchant)))
  const filtered = follow(merchants[0]!, '&events=payment.refunded', () => published !== undefined)
  const slots = Array.from({ length: replicas }, async (_, slot) => {
    for (let turn = slot; turn < kills; turn += replicas) await startAndKill(turn)
  })
  await Promise.all(slots)
  published = await load.stop()
  for (const [place, merchant] of merchants.entries()) {
    const seen = await readers[place]!
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, place) => place + 1))
    expect(seen.map(({ id }) => id).toSorted()).toEqual(published.get(merchant.merchant_id)?.toSorted())
  }
  const refunds = (await readers[0]!).filter(({ event }) => event === 'payment.refunded')
  const early = await filtered
  expect(early).toEqual(refunds.slice(0, early.length))
  expect(early.length).toBeGreaterThan(0)
  const events = [...published.values()].map(ids => ids.length)
  process.stdout.write(
    `${kills} kills of replicas: ${events.join(' and ')} events of two merchants, none missed or twice\n`,
  )
}, 1_800_000)
