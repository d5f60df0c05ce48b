import { ApiError, type Caller, type Id, type UpdatePaymentLink } from '@cobro/contracts'
import { assignRow, type Database, getRow } from '@cobro/database'
import { LinkEntity, type LinkRow } from '../payables/link-entity.ts'
import { findVoucherAttempt, rejectWhilePaymentRuns } from '../payment-attempts/find-payment-attempts.ts'
import { checkedExpiry } from './open-link.ts'

/** Updates an active link. A payable voucher fixes amount and expiry, as they are printed on it. */
export function updateLink(db: Database, caller: Caller, id: Id<'pl'>, input: UpdatePaymentLink): Promise<LinkRow> {
  return db.write(async (tx, emit) => {
    const link = await getRow(tx, LinkEntity, caller, id, { lock: true })
    await rejectWhilePaymentRuns(tx, id)
    if (link.status !== 'active') throw new ApiError('conflict', `the link is ${link.status}`)
    const now = new Date()
    const termsChange = input.amount_cents !== undefined || input.expires_at !== undefined
    if (termsChange && (await findVoucherAttempt(tx, id))) throw new ApiError('conflict', 'a voucher for cash is out')
    if (input.expires_at) checkedExpiry(input.expires_at, now)
    assignRow(link, { ...input, updated_at: now })
    emit('payment_link.updated', link)
    return link
  })
}
