import { type Database, type Emit, emitInCurrentTrace, isDatabaseUnavailable, type Tx } from '@cobro/database'
import { groupCommit, inNewTrace, type TraceCarrier, withCallContext, withTrace } from '@cobro/runtime'
import type { ClaimedDelivery } from '../delivery-queue/claim-deliveries.ts'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import type { ReachFailpoint } from '../delivery-queue/failpoints.ts'
import { countExhausted, disableEndpoint } from '../webhooks/disable-endpoint.ts'
import { emitTransition } from './delivery-events.ts'
import type { WebhookResponse } from './post-webhook.ts'
import type { AttemptOutcome } from './retry-policy.ts'

const { delivering } = deliveryTransitions

export interface CompletedAttempt {
  delivery: ClaimedDelivery
  sentAt: Date
  response: WebhookResponse
  outcome: AttemptOutcome
  /** The trace the attempt was made in. */
  trace: TraceCarrier
}

type Deps = { db: Database; failpoint: ReachFailpoint }

/** Records one attempt. Returns false if its lease had been lost, so that nothing was recorded. */
export type RecordAttempt = (attempt: CompletedAttempt) => Promise<boolean>

/** OpenTelemetry keeps at most 128 links of a span. */
const maxBatch = 100

/** Records attempts in batches: those that complete during a transaction go into the next one. */
export function attemptRecorder(deps: Deps): RecordAttempt {
  const write = (batch: CompletedAttempt[]) => {
    const links = batch.map(({ trace }) => trace)
    const attributes = { 'messaging.batch.message_count': batch.length }
    return inNewTrace('record attempts', { links, attributes }, () => recordAttempts(deps, batch))
  }
  return groupCommit({ write, maxItems: maxBatch, isUnavailable: isDatabaseUnavailable })
}

/**
 * Records attempts and emits their events, in one statement unless an outcome has more consequences. Returns false, and
 * changes nothing, for each attempt whose lease was lost: another sender has its delivery, and it is recorded as unknown.
 */
export function recordAttempts(deps: Deps, batch: CompletedAttempt[]): Promise<boolean[]> {
  const changesEndpoint = batch.some(({ outcome }) => outcome.kind === 'exhausted' || outcome.kind === 'gone')
  return changesEndpoint ? recordInTransaction(deps, batch) : recordInStatement(deps, batch)
}

/** PostgreSQL decides whether a retry is cancelled, so the statement gets the events of both cases. */
async function recordInStatement({ db }: Deps, batch: CompletedAttempt[]): Promise<boolean[]> {
  const effects = await db.executeWithEvents(record, [resultsOf(batch)], emitFor => {
    for (const attempt of batch)
      for (const change of possibleChanges(attempt)) emitChange(emitFor(effectName(attempt, change)), attempt, change)
  })
  return recordedChanges(batch, effects).map(change => change !== undefined)
}

/** Records attempts together with what an exhausted delivery or a 410 means for the endpoint and its queue. */
function recordInTransaction({ db, failpoint }: Deps, batch: CompletedAttempt[]): Promise<boolean[]> {
  return db.write(async (tx, emit) => {
    const rows = await tx.execute<{ name: string }[]>(`with ${record} select name from effect`, [resultsOf(batch)])
    const changes = recordedChanges(
      batch,
      rows.map(row => row.name),
    )
    for (const [index, attempt] of batch.entries()) {
      const change = changes[index]
      if (change === undefined) continue
      emitChange(emit, attempt, change)
      await inContextOf(attempt, () => changeEndpoint(tx, emit, attempt, change))
      await failpoint('recording')
    }
    return changes.map(change => change !== undefined)
  })
}

type Change = AttemptOutcome['kind'] | 'retry_cancelled'

function possibleChanges({ outcome: { kind } }: CompletedAttempt): Change[] {
  return kind === 'retry' ? ['retry', 'retry_cancelled'] : [kind]
}

/** Returns what became of each attempt, or undefined if its lease had been lost. */
function recordedChanges(batch: CompletedAttempt[], effects: string[]): (Change | undefined)[] {
  const recorded = new Set(effects)
  return batch.map(attempt => possibleChanges(attempt).find(change => recorded.has(effectName(attempt, change))))
}

/** Identifies the delivery, the lease, and the new status, as `effect` in the statement does. */
const effectName = ({ delivery: { delivery_id, attempt } }: CompletedAttempt, change: Change) =>
  `${delivery_id} ${attempt} ${delivering[change].to}`

const resultsOf = (batch: CompletedAttempt[]) => JSON.stringify(batch.map(resultOf))

function resultOf({ delivery, sentAt, response, outcome }: CompletedAttempt) {
  const { status_code, error, response_body, duration_ms } = response
  const retry_delay_ms = outcome.kind === 'retry' ? outcome.delayMs : null
  const { delivery_id, attempt } = delivery
  return {
    ...{ delivery_id, attempt, status: delivering[outcome.kind].to, at: sentAt, duration_ms },
    ...{ status_code, error, response_body, retry_delay_ms },
  }
}

/** Runs work in the trace of the attempt: the trace of the batch belongs to many deliveries. */
function inContextOf<T>({ delivery, trace }: CompletedAttempt, work: () => T): T {
  const { correlation_id, merchant_id } = delivery
  return withTrace(trace, () => withCallContext({ correlation_id, merchant_id }, work))
}

function emitChange(emit: Emit, attempt: CompletedAttempt, change: Change): void {
  const { delivery, response } = attempt
  const { status_code, error, duration_ms } = response
  const traced = emitInCurrentTrace(emit)
  const summary = { attempt: delivery.attempt, status_code, error, duration_ms }
  inContextOf(attempt, () => emitTransition(traced, delivering[change], delivery, summary))
}

async function changeEndpoint(
  tx: Tx,
  emit: Emit,
  { delivery, sentAt }: CompletedAttempt,
  change: Change,
): Promise<void> {
  const traced = emitInCurrentTrace(emit)
  if (change === 'exhausted') await countExhausted(tx, traced, delivery, sentAt)
  if (change === 'gone') await disableEndpoint(tx, traced, delivery, { reason: 'gone', sentAt })
}

/**
 * Changes only deliveries whose lease still holds: the job is leased for this very attempt.
 * Updates an endpoint at most once a second while nothing changes, or every delivery would wait for its row. Locks rows
 * that several senders write in the order of their ids, even before later statements need them, against deadlocks.
 * `offset 0` makes the planner look up each job by its id: an index of leased jobs has thousands of dead entries under load.
 * The conditions are outside of it, so that the planner expects few leases, and looks up their rows too. `any (array(...))` makes it
 * look up the jobs to change by their ids, also where it expects a short table (ADR 95).
 */
const record = `
  result as (
    select * from json_to_recordset(?::json) as r (
      delivery_id text, attempt integer, status text, at timestamptz, duration_ms integer,
      status_code integer, error text, response_body text, retry_delay_ms bigint
    )
  ),
  lease as (
    select r.delivery_id, j.webhook_id, r.attempt, r.at, r.duration_ms, r.status_code, r.error, r.response_body,
      case when r.retry_delay_ms is null or w.status = 'active' then r.status else '${delivering.retry_cancelled.to}' end as status,
      case when w.status = 'active' then now() + r.retry_delay_ms * interval '1 millisecond' end as due_at
    from (select * from result order by delivery_id) r
    cross join lateral (
      select webhook_id, attempt, leased from webhooks.jobs where delivery_id = r.delivery_id offset 0 for update
    ) j
    left join webhooks.endpoints w on w.id = j.webhook_id
    where j.attempt = r.attempt and j.leased
  ),
  ended as (
    delete from webhooks.jobs where delivery_id = any (array(select delivery_id from lease where due_at is null))
  ),
  retried as (
    update webhooks.jobs j set leased = false, due_at = lease.due_at
    from lease where j.delivery_id = lease.delivery_id
      and j.delivery_id = any (array(select delivery_id from lease where due_at is not null))
  ),
  next_retry as (
    select webhook_id, min(due_at) as due_at from lease where due_at is not null group by webhook_id
  ),
  endpoint_queue as (
    update webhooks.lanes l set next_due = found.due_at
    from (
      select l.webhook_id, next_retry.due_at from webhooks.lanes l join next_retry on next_retry.webhook_id = l.webhook_id
      where l.next_due is null or l.next_due > next_retry.due_at
      order by l.webhook_id for update of l
    ) found
    where l.webhook_id = found.webhook_id
  ),
  recorded as (
    insert into webhooks.attempts (delivery_id, number, at, duration_ms, status_code, error, response_body)
    select delivery_id, attempt, at, duration_ms, status_code, error, response_body from lease
  ),
  endpoint_result as (
    select webhook_id, bool_or(status = '${delivering.succeeded.to}') as any_succeeded,
      bool_or(status in ('${delivering.exhausted.to}', '${delivering.gone.to}')) as written_later,
      (array_agg(
        case when status = '${delivering.succeeded.to}' then status else '${delivering.failed.to}' end order by at desc
      ))[1] as status
    from lease group by webhook_id
  ),
  endpoint as (
    update webhooks.endpoints w set
      last_delivery_at = now(),
      last_delivery_status = found.status,
      exhausted_in_a_row = case when found.any_succeeded then 0 else w.exhausted_in_a_row end
    from (
      select w.id, r.status, r.any_succeeded from webhooks.endpoints w join endpoint_result r on r.webhook_id = w.id
      where w.last_delivery_status is distinct from r.status or w.last_delivery_at < now() - interval '1 second'
        or (r.any_succeeded and w.exhausted_in_a_row > 0) or r.written_later
      order by w.id for update of w
    ) found
    where w.id = found.id
  ),
  recorded_delivery as (
    update webhooks.deliveries d set
      status = lease.status,
      next_attempt_at = lease.due_at,
      response_status = lease.status_code,
      response_body = lease.response_body,
      delivered_at = case when lease.status = '${delivering.succeeded.to}' then now() else d.delivered_at end
    from lease
    where d.id = lease.delivery_id
    returning d.id, lease.attempt, d.status
  ),
  effect as (select id || ' ' || attempt || ' ' || status as name from recorded_delivery)`
