import type { Database } from '@cobro/database'
import type { Job } from './claim-jobs.ts'

/**
 * Puts a job back, due in a minute, whose attempt cannot be begun for reasons that are ours. Nothing was sent, so it is no
 * attempt: a merchant's deliveries are not used up by a key that we miss.
 */
export async function putJobBack({ db }: { db: Database }, job: Job): Promise<void> {
  await db.read(em =>
    em.execute(putBack('delivery_id = ? and attempt = ?', '1 minute'), [job.delivery_id, job.attempt]),
  )
}

/**
 * Puts back all jobs of a claim whose answer never came, due at once: it may have been committed, and nobody sends them. Until
 * their leases ended they would use up what their endpoints may have in flight. Gives the endpoints.
 */
export async function putClaimBack({ db }: { db: Database }, id: string): Promise<string[]> {
  const rows = await db.read(em => em.execute<{ webhook_id: string }[]>(putBack('claim = ?', '0'), [id]))
  return rows.map(row => row.webhook_id)
}

const putBack = (which: string, restsFor: string) => `
  with job as (
    update webhooks.jobs set leased = false, attempt = attempt - 1, due_at = now() + interval '${restsFor}'
    where ${which} and leased
    returning delivery_id, webhook_id, attempt, due_at
  )
  update webhooks.deliveries d set status = 'pending', attempt_count = job.attempt, next_attempt_at = job.due_at
  from job where d.id = job.delivery_id
  returning job.webhook_id`
