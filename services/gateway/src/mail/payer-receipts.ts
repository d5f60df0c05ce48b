import { isId, type Message, type Transaction } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { MailOutbox } from './mail-outbox.ts'

/** Stores a mail for the payer of a transaction whose address is known. */
export async function addReceipt(
  { tx, mails }: { tx: Tx; mails: MailOutbox },
  kind: 'payer_receipt' | 'payer_refund',
  payment: Transaction,
  { merchant_id, occurred_at }: Message,
): Promise<void> {
  const { payer_email, id, reference, amount_cents, currency, card } = payment
  if (payer_email === null || !isId('mrc', merchant_id)) return
  const [merchant] = await tx.execute<{ merchant_name: string; timezone: string }[]>(
    `select name as merchant_name, timezone from ${mails.schema}.merchants where id = ? and payer_receipts`,
    [merchant_id],
  )
  if (!merchant) return
  const paid = { transaction_id: id, reference, amount_cents, currency, card, at: occurred_at }
  const recipient = { email: payer_email, user_id: null, merchant_id }
  await mails.add(tx, recipient, { kind, data: { ...merchant, ...paid } })
}
