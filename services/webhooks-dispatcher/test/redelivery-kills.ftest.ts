import { newId } from '@cobro/contracts'
import { reveal } from '@cobro/runtime'
import { queryGate, type Step, waitFor } from '@cobro/testing'
import { maxInFlightPerEndpoint } from '../src/delivery-queue/claim-deliveries.ts'
import { tallyDeliveries } from './delivery-tally.ts'
import { type Endpoint, worldWithReceiver } from './dispatcher-with-receiver.ts'
import { killableReplica } from './killable-replica.ts'

const long = process.env.COBRO_TEST_LONG === '1'
/** More than an endpoint has due at once, so that most of them are held for a while. */
const number = 35
const { world, receiver, subscribed, stop } = await worldWithReceiver()
const statements = await queryGate(reveal(world.config.DATABASE_URL))
const replica = await killableReplica(world, { DATABASE_URL: statements.url })
const other = await killableReplica(world)
// A process that a failed test left would send the deliveries of the next test.
afterEach(() => Promise.all([replica.kill(), other.kill()]))
afterAll(async () => {
  await stop()
  await statements.close()
})

/** An endpoint with deliveries that have ended, and the key of the call that redelivers them. */
type Ended = Endpoint & { events: string[]; key: string }

async function ended(): Promise<Ended> {
  const endpoint = await subscribed()
  const events = Array.from({ length: number }, () => newId('evt'))
  await world.db.read(em =>
    em.execute(
      `with event as (
         insert into webhooks.events (id, merchant_id, event, body, trace, created_at)
         select id, ?, 'payment.approved', convert_to(json_build_object('id', id)::text, 'utf8'), '{}', now()
         from unnest(?::text[]) id returning id
       )
       insert into webhooks.deliveries
         (id, webhook_id, merchant_id, url, event_id, event, kind, status, attempt_count, created_at)
       select replace(id, 'evt', 'whd'), ?, ?, 'http://old.example/', id, 'payment.approved', 'auto', 'exhausted', 5,
         now() - interval '1 hour'
       from event`,
      [endpoint.merchant.merchant_id, `{${events}}`, endpoint.id, endpoint.merchant.merchant_id],
    ),
  )
  return { ...endpoint, events, key: newId('req') }
}

/** The answer to every call that redelivers all of them, and to its repetitions. */
const accepted = { status: 202, body: { data: { matched: number, created: number } } }

const period = { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date().toISOString() }
const request = (through: typeof replica, { merchant, id, key }: Ended) =>
  through.call(merchant, `/api/webhooks/${id}/redeliver`, period, { 'idempotency-key': key })

/** Repeats the call under its key until it is answered, also while the service restarts. */
const redeliver = (through: typeof replica, wanted: Ended) =>
  waitFor(async () => {
    const answer = await request(through, wanted)
    expect(answer).toMatchObject(accepted)
    return answer
  })

/** Expects one redelivery of each event: what it emitted, what it recorded, and what the receiver got. */
async function expectEachOnce(wanted: Ended, more = { unknown: 0 }) {
  const { id, path, events } = wanted
  const tally = () => tallyDeliveries(world, id, receiver.at(path), events)
  await waitFor(async () => (await tally()).lost === 0)
  const { mostAttempts, duplicates, unknown, ...rest } = await tally()
  expect(rest).toEqual({ lost: 0, unexplained: 0, deliveries: number })
  expect(unknown).toBeLessThanOrEqual(more.unknown)
  expect(duplicates).toBeLessThanOrEqual(unknown)
  const emitted = (name: string) => {
    const messages = world.tap.messages.filter(
      one => one.name === name && [one.data.webhook_id, one.data.id].includes(id),
    )
    return [...new Map(messages.map(one => [one.id, one.data])).values()]
  }
  const each = ['webhook.redelivered', 'webhook.delivered']
  await waitFor(() => each.every(name => emitted(name).length >= number))
  for (const name of each)
    expect(
      emitted(name)
        .map(({ event_id }) => event_id)
        .toSorted(),
    ).toEqual(events.toSorted())
  expect(emitted('webhook_endpoint.redelivered').map(data => data.redelivered_deliveries)).toEqual([number])
  return { requests: receiver.at(path).length, mostAttempts, unknown }
}

/** Takes the lock of a release of held deliveries: its key is in the text, those of a call are parameters. */
const takeReleaseLock = 'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken'
/** The commit that makes the next held deliveries due. */
const release = `commit of ${takeReleaseLock}`

/** The periodic tasks of a replica, besides its releases. */
const idle =
  /due_at|claim|lanes l|woken as|attempt_hours|make_attempt|outbox|road as exchange|inbox|migrations|attempts|json_to_recordset|previous_secret/

/** Returns the steps of an undisturbed call, from its first query to its answer. */
async function stepsOfCall(): Promise<Step[]> {
  const wanted = await ended()
  statements.watch()
  await redeliver(replica, wanted)
  const { steps } = statements.unwatch()
  await expectEachOnce(wanted)
  return steps.filter(({ label }) => !idle.test(label) && !label.endsWith(takeReleaseLock))
}

test('a redelivery of a period is made once when the service is killed before or after any step of the call', async () => {
  let service = await replica.start()
  const steps = await stepsOfCall()
  const isCommit = ({ label }: Step) => label.startsWith('commit')
  expect(steps.filter(isCommit)).toHaveLength(1)
  const kills = steps.flatMap(step =>
    (long || isCommit(step) ? [false, true] : [false]).map(done => ({ ...step, done })),
  )
  const unmet: Step[] = []
  for (const kill of kills) {
    const wanted = await ended()
    statements.watch({ ...kill, killProcess: () => service.child.kill('SIGKILL') })
    const answered = redeliver(replica, wanted)
    await Promise.race([service.exited, answered])
    if (!statements.unwatch().killed) unmet.push(kill)
    else {
      await service.exited
      service = await replica.start()
    }
    // Only a call that was committed has an answer to repeat.
    expect([kill, (await answered).replayed]).toEqual([kill, isCommit(kill) && kill.done])
    await expectEachOnce(wanted)
    expect(await redeliver(replica, wanted)).toMatchObject({ ...accepted, replayed: true })
    expect(receiver.at(wanted.path)).toHaveLength(number)
  }
  process.stdout.write(
    `a redelivery of ${steps.length} steps: ${kills.length} kills, each sent ${number} webhooks once\n`,
  )
  expect(unmet).toEqual([])
  await replica.stop()
}, 900_000)

test('a redelivery of a period loses nothing when its senders are killed, and repeats only attempts recorded as unknown', async () => {
  const wanted = await ended()
  let service = await replica.start()
  statements.watch({ label: release, nth: 1, done: false, killProcess: () => service.child.kill('SIGKILL') })
  // The release may come between the commit of the call and its answer, which is then lost.
  const answer = await request(replica, wanted).catch(() => undefined)
  expect(answer ?? accepted).toMatchObject(accepted)
  await service.exited
  expect(receiver.at(wanted.path)).toEqual([])
  statements.watch({ label: release, nth: 2, done: true, killProcess: () => service.child.kill('SIGKILL') })
  service = await replica.start()
  await service.exited
  expect(statements.unwatch().killed).toBe(true)
  const failpoints = ['leased', 'sent', 'recorded'] as const
  for (const CRASH_AT of failpoints) {
    await world.settled()
    await world.endLeases()
    service = await replica.start({ CRASH_AT, CRASH_PASS: '4' }, 'test/fixtures/crashing-dispatcher.ts')
    expect([CRASH_AT, ...(await service.exited)]).toEqual([CRASH_AT, null, 'SIGKILL'])
  }
  await world.settled()
  await world.endLeases()
  await replica.start()
  const most = { unknown: (1 + failpoints.length) * maxInFlightPerEndpoint }
  const { mostAttempts, ...sent } = await expectEachOnce(wanted, most)
  process.stdout.write(`five senders of a redelivery killed: ${JSON.stringify({ mostAttempts, ...sent })}\n`)
  expect(mostAttempts).toBeLessThanOrEqual(2 + failpoints.length)
  expect(await redeliver(replica, wanted)).toMatchObject({ ...accepted, replayed: true })
  await replica.stop()
}, 300_000)

test('two replicas that get a redelivery of a period at once under one Idempotency-Key make it once', async () => {
  await Promise.all([replica.start(), other.start()])
  const wanted = await ended()
  const calls = Array.from({ length: 10 }, (_, at) => request(at % 2 === 0 ? replica : other, wanted))
  const answers = await Promise.all(calls)
  for (const { status, body } of answers) {
    if (status === 409) expect(body.error).toContain('still running')
    else expect({ status, body }).toEqual(accepted)
  }
  expect(answers.filter(({ status, replayed }) => status === 202 && !replayed)).toHaveLength(1)
  for (const one of [replica, other])
    expect(await redeliver(one, wanted)).toMatchObject({ ...accepted, replayed: true })
  await expectEachOnce(wanted)
  await Promise.all([replica.stop(), other.stop()])
}, 300_000)

test('a replica suspended before its commit loses the redelivery to another one, and repeats its answer once resumed', async () => {
  const wanted = await ended()
  const [suspended] = await Promise.all([replica.start(), other.start()])
  const lock = Promise.withResolvers<void>()
  const locked = world.db.write(async tx => {
    await tx.execute('select from webhooks.deliveries where webhook_id = ? for update', [wanted.id])
    await lock.promise
  })
  const first = request(replica, wanted).catch(() => undefined)
  await waitFor(async () => (await world.waiting()) === 1)
  suspended.child.kill('SIGSTOP')
  expect((await request(other, wanted)).status).toBe(409)
  lock.resolve()
  await locked
  // PostgreSQL ends the idle transaction of the suspended replica.
  expect((await redeliver(other, wanted)).replayed).toBe(false)
  suspended.child.kill('SIGCONT')
  expect((await first)?.status).not.toBe(202)
  expect(await redeliver(replica, wanted)).toMatchObject({ ...accepted, replayed: true })
  await expectEachOnce(wanted)
  await Promise.all([replica.stop(), other.stop()])
}, 300_000)
