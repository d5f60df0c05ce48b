import { type Acquirer, AcquirerAway } from '@cobro/acquirer'
import { ApiError, type hostedSession } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { learn } from '@cobro/runtime'
import type { z } from 'zod'
import { adjustment } from '../checkout-sessions/session-amount.ts'
import { SessionEntity, type SessionRow } from '../checkout-sessions/session-entity.ts'
import { redirectUrl } from '../checkout-sessions/session-redirect.ts'
import { knownMerchant } from '../merchants/known-merchant.ts'
import { findRunningAttempt } from '../payment-attempts/attempt-entity.ts'
import { declineLimit } from '../payment-attempts/attempt-limits.ts'

export interface ShowDeps {
  db: Database
  acquirer: Pick<Acquirer, 'encryptionKey'>
  environment: 'sandbox' | 'production'
}

type Shown = z.output<typeof hostedSession>

const viewedEveryMs = 60_000

/** What the payer's page shows. That it was looked at is told at most once a minute. */
export async function showSession(deps: ShowDeps, id: string): Promise<Shown> {
  const now = new Date()
  const facts = await deps.db.read(async em => {
    const session = await em.findOne(SessionEntity, { id })
    if (!session) throw new ApiError('not_found')
    learn(session)
    const { name = session.merchant_name, status } = await knownMerchant(em, session.merchant_id)
    const running = await findRunningAttempt(em, id)
    return { session, merchant_name: name, merchant_status: status, in_progress: running !== null }
  })
  await tellViewed(deps.db, facts.session, now)
  return shown(deps, facts, now)
}

/** The guard on the old time lets one of several readers tell it. Nobody waits for a lock only to look. */
async function tellViewed(db: Database, session: SessionRow, now: Date): Promise<void> {
  const before = session.viewed_at ?? null
  if (before && now.getTime() - before.getTime() < viewedEveryMs) return
  await db.write(async (tx, emit) => {
    const told = await tx.nativeUpdate(SessionEntity, { id: session.id, viewed_at: before }, { viewed_at: now })
    if (told > 0) emit('checkout_session.viewed', session)
  })
}

interface Facts extends Pick<Shown, 'merchant_name' | 'merchant_status' | 'in_progress'> {
  session: SessionRow
}

async function shown(deps: ShowDeps, { session, ...facts }: Facts, now: Date): Promise<Shown> {
  const {
    id,
    status,
    transaction_status,
    amount_total,
    currency,
    line_items,
    expires_at,
    payment_method_types,
    customer,
  } = session
  const look = session.ui_config ?? {}
  const payable = status === 'pending' && facts.merchant_status === 'active'
  return {
    ...{
      id,
      status,
      transaction_status,
      amount_total,
      currency,
      line_items,
      expires_at,
      payment_method_types,
      now,
    },
    ...facts,
    adjustment_cents: adjustment(amount_total, line_items),
    hide_line_items: look.hide_line_items ?? false,
    locale: look.locale ?? null,
    brand_color: look.brand_color ?? null,
    logo_url: look.logo_url ?? null,
    payer_email: customer?.email ?? null,
    attempts_left: Math.max(declineLimit - session.decline_count, 0),
    redirect_url: status === 'pending' ? null : redirectUrl(session),
    cancel_url: redirectUrl({ ...session, status: 'cancelled' }),
    environment: deps.environment,
    card_encryption_key: payable ? await encryptionKey(deps.acquirer) : null,
  }
}

async function encryptionKey(acquirer: ShowDeps['acquirer']): Promise<Record<string, unknown>> {
  try {
    return { ...(await acquirer.encryptionKey()) }
  } catch (cause) {
    if (cause instanceof AcquirerAway) throw new ApiError('unavailable', undefined, { cause })
    throw cause
  }
}
