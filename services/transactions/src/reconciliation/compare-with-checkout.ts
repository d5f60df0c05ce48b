import type { CommandData, Message, ReplyData } from '@cobro/contracts'
import { comparedRows, fulfillingPayments, unpaid } from '@cobro/contracts/sql'
import { type Database, replyMessage } from '@cobro/database'

type Payment = ReplyData<'reconciliation.payments'>['payments'][number]

/** How many payments a reply lists. */
const pageSize = 200

/** Returns the reply to `reconciliation.find_unpaid`. */
export async function findUnpaid(
  { execute }: Database,
  { payables }: CommandData<'reconciliation.find_unpaid'>,
): Promise<Message> {
  const rows = await execute<{ id: string }>(unpaid(comparedRows), [JSON.stringify(payables)])
  return replyMessage('reconciliation.unpaid', { ids: rows.map(({ id }) => id) })
}

/** Returns the reply to `reconciliation.list_payments`. */
export async function listPayments(
  { execute }: Database,
  { after, until }: CommandData<'reconciliation.list_payments'>,
): Promise<Message> {
  const rows = await execute<{ payment: Payment }>(
    `select to_jsonb(payment) as payment from (${fulfillingPayments}) as payment
     where (captured_at, id) > (?::timestamptz, ?) and captured_at <= ?::timestamptz
     order by captured_at, id limit ${pageSize}`,
    [after.at, after.id, until],
  )
  return replyMessage('reconciliation.payments', { payments: rows.map(({ payment }) => payment) })
}
