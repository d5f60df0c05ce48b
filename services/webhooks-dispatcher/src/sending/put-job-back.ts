import type { Database } from '@cobro/database'
import type { Job } from './claim-jobs.ts'

/**
 * Puts a job back, due in a minute, whose attempt cannot be begun for reasons that are ours. Nothing was sent, so it is no
 * attempt: a merchant's deliveries are not used up by a key that we miss.
 */
export async function putJobBack({ db }: { db: Database }, job: Job): Promise<void> {
  await db.read(em => em.execute(putBack, [job.delivery_id, job.attempt]))
}

const putBack = `
  with job as (
    update webhooks.jobs set leased = false, attempt = attempt - 1, due_at = now() + interval '1 minute'
    where delivery_id = ? and attempt = ? and leased
    returning delivery_id, attempt, due_at
  )
  update webhooks.deliveries d set status = 'pending', attempt_count = job.attempt, next_attempt_at = job.due_at
  from job where d.id = job.delivery_id`
