import type { Id, MerchantAccess } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { NewMail } from './mail-kinds.ts'
import { type MailOutbox, recipientOf } from './mail-outbox.ts'

/** What mails say about a merchant. */
export interface NotifiedMerchant {
  merchant_name: string
  timezone: string
}

/** Stores a mail for each active user of a merchant who has one of the accesses. `mailOf` gets the merchant. */
export async function notifyMerchant(
  mails: MailOutbox,
  tx: Tx,
  { merchant_id, accesses }: { merchant_id: Id<'mrc'>; accesses: readonly MerchantAccess[] },
  mailOf: (merchant: NotifiedMerchant) => NewMail,
): Promise<void> {
  if (!mails.enabled) return
  const users = await tx.execute<(NotifiedMerchant & { id: string; email: string; access: MerchantAccess })[]>(
    `select u.id, u.email, u.access, m.name as merchant_name, m.timezone
     from ${mails.schema}.users u join ${mails.schema}.merchants m on m.id = u.merchant_id
     where u.merchant_id = ? and u.status = 'active' order by u.id`,
    [merchant_id],
  )
  for (const user of users.filter(({ access }) => accesses.includes(access)))
    await mails.add(tx, recipientOf({ ...user, merchant_id }), mailOf(user))
}
