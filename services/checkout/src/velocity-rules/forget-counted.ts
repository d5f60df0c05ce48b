import type { Database } from '@cobro/database'
import type { VelocityLimits } from './velocity-settings.ts'

const batch = 5_000
/** How long blocks that have ended are listed. */
const keptDays = 30

/** Removes addresses and cards from attempts that no rule counts any more, and deletes blocks that ended long ago. */
export async function forgetCounted(db: Database, limits: VelocityLimits): Promise<void> {
  const longestMs = Math.max(...Object.values(limits).map(({ windowMs }) => windowMs))
  const before = new Date(Date.now() - longestMs)
  let forgotten = batch
  while (forgotten === batch) forgotten = await forgetBatch(db, before)
  await db.execute(
    `delete from ${db.schema}.payment_blocks where greatest(ends_at, lifted_at) < now() - interval '${keptDays} days'`,
  )
}

/** Skips the rows that another replica or a payment has locked: the next run finds them. */
async function forgetBatch({ execute, schema }: Database, before: Date): Promise<number> {
  const rows = await execute(
    `update ${schema}.payment_attempts attempt set address_digest = null, card_fingerprint = null
     from (
       select payment_intent_id, number from ${schema}.payment_attempts
       where created_at < ? and (address_digest is not null or card_fingerprint is not null)
       order by created_at limit ${batch} for update skip locked
     ) due
     where attempt.payment_intent_id = due.payment_intent_id and attempt.number = due.number returning 1`,
    [before],
  )
  return rows.length
}
