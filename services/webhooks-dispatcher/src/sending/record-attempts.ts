import { type Database, type Emit, executeBound, isDatabaseUnavailable, type Tx, tracedApart } from '@cobro/database'
import { batchWriter, inCall, inNewTrace, type TraceCarrier, withTrace } from '@cobro/runtime'
import type { AtStep } from '../steps.ts'
import type { DeliveryStatus } from '../webhook-deliveries/delivery-entity.ts'
import { disableEndpoint } from '../webhooks/disable-endpoint.ts'
import type { Outcome } from './attempt-outcome.ts'
import type { Job } from './claim-jobs.ts'
import { emitAttempt, emitCancelled, type Told } from './job-events.ts'
import type { Answer } from './post-webhook.ts'

const maxExhaustedInARow = 20
const statusAfter = {
  succeeded: 'succeeded',
  retry: 'pending',
  exhausted: 'exhausted',
  failed: 'failed',
  gone: 'failed',
} as const

/** An attempt that was made, and the trace in which it was made. */
export interface EndedAttempt {
  job: Job
  at: Date
  answer: Answer
  outcome: Outcome
  trace: TraceCarrier
}

type Deps = { db: Database; atStep: AtStep }

/** Records one attempt, and tells whether its lease still held. */
export type RecordAttempt = (made: EndedAttempt) => Promise<boolean>

/** OpenTelemetry keeps no more than 128 links of a span. */
const maxBatch = 100

/** Records attempts as they end: those that end while a transaction is under way go together into the next one. */
export function attemptRecorder(deps: Deps): RecordAttempt {
  const write = (batch: EndedAttempt[]) => {
    const links = batch.map(({ trace }) => trace)
    const attributes = { 'messaging.batch.message_count': batch.length }
    return inNewTrace('record attempts', { links, attributes }, () => concludeAttempts(deps, batch))
  }
  return batchWriter({ write, maxItems: maxBatch, isUnavailable: isDatabaseUnavailable })
}

/**
 * Records attempts and what follows from them, in one transaction. Gives false, and changes nothing, for each whose lease has
 * passed on: that attempt counts as unknown then, and another sender has the delivery.
 */
export function concludeAttempts({ db, atStep }: Deps, batch: EndedAttempt[]): Promise<boolean[]> {
  const results = JSON.stringify(batch.map(resultOf))
  return db.write(async (tx, emit) => {
    const held = await executeBound<ConcludedRow>(tx, conclude, [results])
    const statuses = new Map(held.map(row => [leaseName(row), row.status]))
    const concluded = batch.map(({ job: { delivery_id: id, attempt } }) => statuses.get(leaseName({ id, attempt })))
    const traced = tracedApart(emit)
    for (const [index, made] of batch.entries()) {
      const status = concluded[index]
      if (status === undefined) continue
      const { correlation_id, merchant_id } = made.job
      // In the trace of the attempt: that of the batch belongs to no one lifecycle.
      const inItsCall = () => inCall({ correlation_id, merchant_id }, () => follow(tx, traced, made, status))
      await withTrace(made.trace, inItsCall)
      await atStep('concluded')
    }
    return concluded.map(status => status !== undefined)
  })
}

/** A delivery whose lease held, and what became of it. */
interface ConcludedRow {
  id: string
  attempt: number
  status: DeliveryStatus
}

const leaseName = ({ id, attempt }: Omit<ConcludedRow, 'status'>) => `${id} ${attempt}`

function resultOf({ job, at, answer, outcome }: EndedAttempt) {
  const { status_code, error, response_body, duration_ms } = answer
  const wait_ms = outcome.kind === 'retry' ? outcome.waitMs : null
  const { delivery_id, attempt } = job
  return {
    ...{ delivery_id, attempt, status: statusAfter[outcome.kind], at, duration_ms },
    ...{ status_code, error, response_body, wait_ms },
  }
}

async function follow(tx: Tx, emit: Emit, made: EndedAttempt, status: DeliveryStatus): Promise<void> {
  const { job, at, outcome } = made
  const { status_code, error } = made.answer
  const told = { attempt: job.attempt, status_code, error }
  emitAttempt(emit, outcome.kind === 'succeeded' ? 'webhook.delivered' : 'webhook.attempt_failed', job, told)
  if (status === 'cancelled') emitCancelled(emit, job)
  if (outcome.kind === 'exhausted') await noteExhausted(tx, emit, job, { ...told, at })
  if (outcome.kind === 'gone') await disableEndpoint(tx, emit, job, { reason: 'gone', at })
}

/** Ends a delivery whose claimed attempt is not made: its endpoint takes nothing any more, or its attempts are used up. */
export async function endUnsent(
  tx: Tx,
  emit: Emit,
  job: Job,
  status: 'cancelled' | 'exhausted' | 'failed',
): Promise<void> {
  await tx.execute(
    `with job as (delete from webhooks.jobs where delivery_id = ? returning delivery_id, attempt)
     update webhooks.deliveries d set status = ?, attempt_count = job.attempt - 1 from job where d.id = job.delivery_id`,
    [job.delivery_id, status],
  )
  const unknown = { attempt: job.attempt - 1, status_code: null, error: 'unknown', at: new Date() }
  if (status === 'exhausted') await noteExhausted(tx, emit, job, unknown)
  if (status === 'cancelled') emitCancelled(emit, job)
}

/** What was used up at an address that the endpoint has left says nothing of its new one. */
async function noteExhausted(tx: Tx, emit: Emit, job: Job, { at, ...told }: Told & { at: Date }): Promise<void> {
  emitAttempt(emit, 'webhook.exhausted', job, told)
  const [endpoint] = await tx.execute<{ exhausted_in_a_row: number }[]>(
    `update webhooks.endpoints set exhausted_in_a_row = exhausted_in_a_row + 1
     where id = ? and url = ? returning exhausted_in_a_row`,
    [job.webhook_id, job.url],
  )
  const count = endpoint?.exhausted_in_a_row ?? 0
  if (count >= maxExhaustedInARow) await disableEndpoint(tx, emit, job, { reason: 'deliveries_exhausted', at })
}

/**
 * All of it hangs on the lease: a job that is still leased for this very attempt. An endpoint's row is touched at most once
 * a second while nothing about it changes, or it would be the one row that every delivery waits for. Rows that several senders
 * write are locked in the order of their ids, endpoints also where they are only written by what follows, so that two batches
 * never wait for each other in a circle.
 */
const conclude = `
  with result as (
    select * from json_to_recordset($1::json) as r (
      delivery_id text, attempt integer, status text, at timestamptz, duration_ms integer,
      status_code integer, error text, response_body text, wait_ms bigint
    )
  ),
  lease as (
    select r.delivery_id, j.webhook_id, r.attempt, r.at, r.duration_ms, r.status_code, r.error, r.response_body,
      case when r.wait_ms is null or w.status = 'active' then r.status else 'cancelled' end as status,
      case when w.status = 'active' then now() + r.wait_ms * interval '1 millisecond' end as due_at
    from result r join webhooks.jobs j on j.delivery_id = r.delivery_id and j.attempt = r.attempt
    left join webhooks.endpoints w on w.id = j.webhook_id
    where j.leased order by j.delivery_id for update of j
  ),
  done as (
    delete from webhooks.jobs j using lease where j.delivery_id = lease.delivery_id and lease.due_at is null
  ),
  later as (
    update webhooks.jobs j set leased = false, due_at = lease.due_at
    from lease where j.delivery_id = lease.delivery_id and lease.due_at is not null
  ),
  soonest as (
    select webhook_id, min(due_at) as due_at from lease where due_at is not null group by webhook_id
  ),
  lane as (
    update webhooks.lanes l set next_due = found.due_at
    from (
      select l.webhook_id, soonest.due_at from webhooks.lanes l join soonest on soonest.webhook_id = l.webhook_id
      where l.next_due is null or l.next_due > soonest.due_at
      order by l.webhook_id for update of l
    ) found
    where l.webhook_id = found.webhook_id
  ),
  noted as (
    insert into webhooks.attempts (delivery_id, number, at, duration_ms, status_code, error, response_body)
    select delivery_id, attempt, at, duration_ms, status_code, error, response_body from lease
  ),
  told as (
    select webhook_id, bool_or(status = 'succeeded') as any_succeeded,
      bool_or(status in ('exhausted', 'failed')) as any_followed,
      (array_agg(case when status = 'succeeded' then status else 'failed' end order by at desc))[1] as status
    from lease group by webhook_id
  ),
  endpoint as (
    update webhooks.endpoints w set
      last_delivery_at = now(),
      last_delivery_status = found.status,
      exhausted_in_a_row = case when found.any_succeeded then 0 else w.exhausted_in_a_row end
    from (
      select w.id, told.status, told.any_succeeded from webhooks.endpoints w join told on told.webhook_id = w.id
      where w.last_delivery_status is distinct from told.status or w.last_delivery_at < now() - interval '1 second'
        or (told.any_succeeded and w.exhausted_in_a_row > 0) or told.any_followed
      order by w.id for update of w
    ) found
    where w.id = found.id
  )
  update webhooks.deliveries d set
    status = lease.status,
    next_attempt_at = lease.due_at,
    response_status = lease.status_code,
    response_body = lease.response_body,
    delivered_at = case when lease.status = 'succeeded' then now() else d.delivered_at end
  from lease
  where d.id = lease.delivery_id
  returning d.id, lease.attempt, d.status`
