import type { Database, Emit, Tx } from '@cobro/database'
import type { AtStep } from '../steps.ts'
import { disableEndpoint } from '../webhooks/disable-endpoint.ts'
import type { Outcome } from './attempt-outcome.ts'
import type { Job } from './claim-jobs.ts'
import { emitAttempt, type Told } from './job-events.ts'
import type { Answer } from './post-webhook.ts'

const maxExhaustedInARow = 20
const statusAfter = {
  succeeded: 'succeeded',
  retry: 'pending',
  exhausted: 'exhausted',
  failed: 'failed',
  gone: 'failed',
} as const

/**
 * Records an attempt and what follows from it, in one transaction. Gives false, and changes nothing, where the lease has
 * passed on: the attempt counts as unknown then, and another sender has the delivery.
 */
export function concludeAttempt(
  { db, atStep }: { db: Database; atStep: AtStep },
  job: Job,
  { at, answer, outcome }: { at: Date; answer: Answer; outcome: Outcome },
): Promise<boolean> {
  const { status_code, error, response_body, duration_ms } = answer
  const waitMs = outcome.kind === 'retry' ? outcome.waitMs : null
  return db.write(async (tx, emit) => {
    const held = await tx.execute<unknown[]>(conclude, [
      ...[statusAfter[outcome.kind], at, duration_ms, status_code, error, response_body, waitMs],
      ...[job.delivery_id, job.attempt],
    ])
    if (held.length === 0) return false
    const name = outcome.kind === 'succeeded' ? 'webhook.delivered' : 'webhook.attempt_failed'
    emitAttempt(emit, name, job, { attempt: job.attempt, status_code, error })
    if (outcome.kind === 'exhausted') await noteExhausted(tx, emit, job, { attempt: job.attempt, status_code, error })
    if (outcome.kind === 'gone') await disableEndpoint(tx, emit, job.webhook_id, 'gone')
    await atStep('concluded')
    return true
  })
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
  const unknown = { attempt: job.attempt - 1, status_code: null, error: 'unknown' }
  if (status === 'exhausted') await noteExhausted(tx, emit, job, unknown)
}

async function noteExhausted(tx: Tx, emit: Emit, job: Job, told: Told): Promise<void> {
  emitAttempt(emit, 'webhook.exhausted', job, told)
  const [endpoint] = await tx.execute<{ exhausted_in_a_row: number }[]>(
    'update webhooks.endpoints set exhausted_in_a_row = exhausted_in_a_row + 1 where id = ? returning exhausted_in_a_row',
    [job.webhook_id],
  )
  const count = endpoint?.exhausted_in_a_row ?? 0
  if (count >= maxExhaustedInARow) await disableEndpoint(tx, emit, job.webhook_id, 'deliveries_exhausted')
}

/**
 * All of it hangs on the lease: a job that is still leased for this very attempt. The endpoint's row is touched at most once
 * a second while nothing about it changes, or it would be the one row that every delivery waits for.
 */
const conclude = `
  with result (status, at, duration_ms, status_code, error, response_body, wait_ms) as (
    values (?, ?::timestamptz, ?::integer, ?::integer, ?, ?, ?::bigint)
  ),
  lease as (
    select j.delivery_id, j.webhook_id, j.attempt, now() + result.wait_ms * interval '1 millisecond' as due_at
    from webhooks.jobs j cross join result
    where j.delivery_id = ? and j.attempt = ? and j.leased for update of j
  ),
  done as (
    delete from webhooks.jobs j using lease where j.delivery_id = lease.delivery_id and lease.due_at is null
  ),
  later as (
    update webhooks.jobs j set leased = false, due_at = lease.due_at
    from lease where j.delivery_id = lease.delivery_id and lease.due_at is not null
    returning j.webhook_id, j.due_at
  ),
  lane as (
    update webhooks.lanes l set next_due = later.due_at
    from later where l.webhook_id = later.webhook_id and (l.next_due is null or l.next_due > later.due_at)
  ),
  noted as (
    insert into webhooks.attempts (delivery_id, number, at, duration_ms, status_code, error, response_body)
    select lease.delivery_id, lease.attempt, r.at, r.duration_ms, r.status_code, r.error, r.response_body
    from lease cross join result r
  ),
  told as (
    select lease.webhook_id, case when r.status = 'succeeded' then 'succeeded' else 'failed' end as status
    from lease cross join result r
  ),
  endpoint as (
    update webhooks.endpoints w set
      last_delivery_at = now(),
      last_delivery_status = told.status,
      exhausted_in_a_row = case when told.status = 'succeeded' then 0 else w.exhausted_in_a_row end
    from told
    where w.id = told.webhook_id and (
      w.last_delivery_status is distinct from told.status or w.last_delivery_at < now() - interval '1 second'
      or (told.status = 'succeeded' and w.exhausted_in_a_row > 0)
    )
  )
  update webhooks.deliveries d set
    status = r.status,
    next_attempt_at = lease.due_at,
    response_status = r.status_code,
    response_body = r.response_body,
    delivered_at = case when r.status = 'succeeded' then now() else d.delivered_at end
  from lease cross join result r
  where d.id = lease.delivery_id
  returning d.id`
