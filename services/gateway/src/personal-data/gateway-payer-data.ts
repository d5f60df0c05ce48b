import type { Database, Emit, Tx } from '@cobro/database'
import { erasureBatch, isNothing, type PayerData } from '@cobro/service'
import { eraseViews, findViews } from './views-of-payer.ts'

/** Mails to payers, not those to users: their addresses end with the user, or after 30 days. */
const ofPayer = 'lower(recipient) = ? and user_id is null'
const columns = 'id, kind, recipient, merchant_id, data, status, created_at, sent_at'

/**
 * How the gateway exports and erases what it holds about a payer: the mails that it got, or would get, and saved views of users
 * that look for it.
 */
export const gatewayPayerData: PayerData = {
  schema: 'gateway',
  entities: [],
  find,
  eraseBatch,
  // A mail that is being sent is deleted like others.
  countWaiting: async (_db: Database) => 0,
}

async function find(tx: Tx, emit: Emit, email: string) {
  const mails = await tx.execute<object[]>(
    `select ${columns} from gateway.mails where ${ofPayer} order by created_at`,
    [email],
  )
  const saved_views = await findViews(tx, email)
  emit('payer.exported', { id: null, mails: mails.length, saved_views: saved_views.length })
  return { mails, saved_views }
}

async function eraseBatch(tx: Tx, emit: Emit, { email, always }: { email: string; always: boolean }) {
  const erased = await tx.execute<object[]>(
    `delete from gateway.mails
     where id = any(array(select id from gateway.mails where ${ofPayer} limit ${erasureBatch})) returning id`,
    [email],
  )
  const counts = { mails: erased.length, saved_views: await eraseViews(tx, email) }
  if (always || !isNothing(counts)) emit('payer.erased', { id: null, ...counts })
  return counts
}
