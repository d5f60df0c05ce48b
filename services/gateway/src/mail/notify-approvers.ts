import type { EventData, OperatorAccess } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { type MailOutbox, recipientOf } from './mail-outbox.ts'
import type { NotifiedMerchant } from './notify-merchant.ts'

/** The accesses whose users may approve calls. */
const approving: readonly OperatorAccess[] = ['admin', 'finance']

/** Stores a mail for each operator who may approve a call: those of its merchant, but for who asked for it. */
export async function notifyApprovers(
  mails: MailOutbox,
  tx: Tx,
  { id, merchant_id, operation, amount_cents, currency, requested_by, lapses_at }: EventData<'approval.requested'>,
): Promise<void> {
  const operators = await tx.execute<(NotifiedMerchant & { id: string; email: string })[]>(
    `select u.id, u.email, m.name as merchant_name, m.timezone
     from ${mails.schema}.users u join ${mails.schema}.merchants m on m.id = ?
     where u.role = 'operator' and u.status = 'active' and u.access = any(?) and u.id <> ?
       and (u.merchants = '"all"' or u.merchants @> to_jsonb(m.id))
     order by u.id`,
    [merchant_id, `{${approving.join(',')}}`, requested_by],
  )
  const about = { approval_id: id, operation, amount_cents, currency, lapses_at: lapses_at.toISOString() }
  for (const { merchant_name, timezone, ...user } of operators) {
    const data = { merchant_name, timezone, ...about }
    await mails.add(tx, recipientOf({ ...user, merchant_id: null }), { kind: 'approval_requested', data })
  }
}
