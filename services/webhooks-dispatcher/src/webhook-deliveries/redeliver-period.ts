import { ApiError, type BodyOf, type Caller, type EventData, type Id, type webhookOperations } from '@cobro/contracts'
import { type Emit, getRow, planForValues, type Tx } from '@cobro/database'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import { holdDeliveries } from '../delivery-queue/release-held.ts'
import { EndpointEntity, type EndpointRow } from '../webhooks/endpoint-entity.ts'
import { maxAttempts } from './redeliver.ts'
import { assertEndpointActive, type DeliveryDeps } from './request-delivery.ts'

type Input = BodyOf<typeof webhookOperations.redeliver>

const maxMatched = 100_000
/** The most deliveries of the period, whatever their status: all of them are read. */
const maxRead = 1_000_000
/** The gateway gives a call up after 30 s, and it must not be carried out then. */
const maxMs = 20_000
/** How many of them one statement reads. */
const batch = 5_000
/** The most deliveries to emit events for: a transaction should not store 100,000 messages. */
const maxEmitted = 1_000

/**
 * Sends the deliveries of a period once more that ended in one way, behind new events, and returns how many there are. All of
 * them in one transaction, so that none is sent if it fails. Another call for the same endpoint is a conflict meanwhile.
 */
export function redeliverPeriod({ db }: Pick<DeliveryDeps, 'db'>, caller: Caller, id: Id<'whk'>, input: Input) {
  return db.write(async (tx, emit) => {
    const endpoint = await getRow(tx, EndpointEntity, caller, id)
    assertEndpointActive(endpoint)
    await assertAlone(tx, id)
    const { matched, created, rows } = await redeliverAll(tx, endpoint, input)
    if (created > 0) emitRedelivered(emit, endpoint, input, rows, created)
    return { matched, created }
  })
}

async function assertAlone(tx: Tx, id: Id<'whk'>): Promise<void> {
  const lock = 'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken'
  const [row] = await tx.execute<{ taken: boolean }[]>(lock, [`redelivery to ${id}`])
  if (!row?.taken) throw new ApiError('conflict', 'deliveries of this webhook are being redelivered')
}

async function redeliverAll(tx: Tx, endpoint: EndpointRow, input: Input) {
  const untilMs = performance.now() + maxMs
  const total = { read: 0, matched: 0, created: 0, rows: [] as MatchingRow[] }
  for (let after: Position | undefined = { at: input.from.toISOString(), id: '' }; after; ) {
    const page: Page = await readPage(tx, endpoint.id, input, after)
    const ready = page.matching.filter(row => row.attempt_count < maxAttempts)
    total.read += page.read
    total.matched += page.matching.length
    if (total.matched > maxMatched) throw tooMany(`${maxMatched} deliveries match`)
    if (performance.now() > untilMs) throw tooMany('can be read in time')
    if (total.read > maxRead) throw tooMany(`${maxRead} deliveries were created in this period`)
    if (!input.dry_run && ready.length > 0) {
      const redelivered = await redeliverRows(tx, endpoint, input, ready)
      total.created += redelivered.length
      if (total.created <= maxEmitted) total.rows.push(...redelivered)
    }
    after = page.read < batch ? undefined : page.last
  }
  return total
}

const tooMany = (what: string) => new ApiError('conflict', `more than ${what}: choose a shorter period`)

interface Position {
  at: string
  id: string
}

interface MatchingRow {
  id: Id<'whd'>
  attempt_count: number
  event_id: Id<'evt'>
  correlation_id: Id<'corr'> | null
}

interface Page {
  read: number
  last: Position
  matching: MatchingRow[]
}

async function readPage(tx: Tx, id: string, { to, status, event }: Input, after: Position): Promise<Page> {
  const wanted = event ?? null
  const params = [id, to, after.at, after.id, batch, status, wanted, wanted]
  const [page] = await tx.execute<Page[]>(planForValues(readMatching), params)
  if (!page) throw new Error('A page of deliveries has no row.')
  return page
}

/** Locks them in the order of their ids. Leaves out what was redelivered or hidden since it was read. */
async function redeliverRows(tx: Tx, { id, url }: EndpointRow, { status }: Input, rows: MatchingRow[]) {
  const ids = `{${rows.map(row => row.id)}}`
  const found = await tx.execute<MatchingRow[]>(update, [ids, status, maxAttempts, url])
  await holdDeliveries(tx, id, found)
  return found
}

/** Emits the number, and each delivery as for a single one unless there are many. */
function emitRedelivered(
  emit: Emit,
  { id, merchant_id }: EndpointRow,
  input: Input,
  rows: MatchingRow[],
  created: number,
) {
  if (created <= maxEmitted) {
    for (const row of rows) {
      const data: EventData<'webhook.redelivered'> = { id: row.id, webhook_id: id, event_id: row.event_id }
      const { emits } = deliveryTransitions[input.status].redelivered
      for (const name of emits) emit(name, data, { merchant_id, correlation_id: row.correlation_id })
    }
  }
  emit('webhook_endpoint.redelivered', { id, redelivered_deliveries: created }, { merchant_id })
}

/** The first delivery of the period comes after no other, which has the empty id. */
const readMatching = `
  with page as materialized (
    select id, created_at, status, event, deleted_at, attempt_count, event_id, correlation_id from webhooks.deliveries
    where webhook_id = ? and created_at <= ?::timestamptz and (created_at, id) > (?::timestamptz, ?)
    order by created_at, id limit ?
  )
  select (select count(*)::integer from page) as read,
    (select json_build_object('at', created_at, 'id', id) from page order by created_at desc, id desc limit 1) as last,
    coalesce((
      select json_agg(json_build_object(
        'id', id, 'attempt_count', attempt_count, 'event_id', event_id, 'correlation_id', correlation_id
      )) from page where status = ? and deleted_at is null and (?::text is null or event = ?)
    ), '[]') as matching`

const pending = deliveryTransitions.exhausted.redelivered.to

const update = `
  with locked as materialized (
    select id from webhooks.deliveries
    where id = any (?::text[]) and status = ? and deleted_at is null and attempt_count < ? order by id for update
  )
  update webhooks.deliveries set status = '${pending}', next_attempt_at = null, url = ?
  where id = any (array(select id from locked))
  returning id, attempt_count, event_id, correlation_id`
