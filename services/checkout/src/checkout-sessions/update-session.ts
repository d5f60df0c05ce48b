import { ApiError, type Caller, type Id, type UpdateCheckoutSession } from '@cobro/contracts'
import { assignRow, type Database, getRow } from '@cobro/database'
import { SessionEntity, type SessionRow } from '../payables/session-entity.ts'
import { rejectWhilePaymentRuns } from '../payment-attempts/find-payment-attempts.ts'

/** Updates a pending session. */
export function updateSession(
  db: Database,
  caller: Caller,
  id: Id<'cs'>,
  input: UpdateCheckoutSession,
): Promise<SessionRow> {
  return db.write(async (tx, emit) => {
    const session = await getRow(tx, SessionEntity, caller, id, { lock: true })
    await rejectWhilePaymentRuns(tx, id)
    if (session.status !== 'pending') throw new ApiError('conflict', `the session is ${session.status}`)
    const changes = input.customer === undefined ? {} : mergedCustomer(session, input.customer)
    assignRow(session, { ...input, ...changes, modified_at: new Date() })
    emit('checkout_session.updated', session)
    return session
  })
}

/** Merges the customer like the session's own fields: absent keeps the value, null clears it. */
function mergedCustomer(session: SessionRow, input: UpdateCheckoutSession['customer']) {
  const customer = input ? { ...session.customer, ...input } : null
  return { customer, customer_email: customer?.email ?? null }
}
