import { type Acquirer, AcquirerUnavailable } from '@cobro/acquirer'
import { ApiError, type hostedPayable } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import type { z } from 'zod'
import { adjustment } from '../checkout-sessions/session-amount.ts'
import { currentMerchant } from '../merchants/current-merchant.ts'
import type { LinkRow } from '../payables/link-entity.ts'
import { amountOf, isLink, isOpen, type Payable, payableEntity, payerEmailOf } from '../payables/payable.ts'
import type { SessionRow } from '../payables/session-entity.ts'
import { redirectUrl } from '../payables/session-redirect.ts'
import { findOpenAttempt, hasIssuedVoucher, voucherForPayer } from '../payment-attempts/payment-attempt-entity.ts'
import { declineLimit } from '../payment-attempts/payment-limits.ts'

export interface PayerViewDeps {
  db: Database
  acquirer: Pick<Acquirer, 'encryptionKey'>
  environment: 'sandbox' | 'production'
}

type Shown = z.output<typeof hostedPayable>

const viewedEveryMs = 60_000

/** What the payer's page shows of a session or link, when it asks. That it was looked at is told at most once a minute. */
export async function viewPayable(deps: PayerViewDeps, id: string): Promise<Shown> {
  const facts = await readFacts(deps.db, id)
  updateCallContext(facts.payable)
  await tellViewed(deps.db, facts.payable, new Date())
  return shownFrom(deps, facts)
}

/** What the payer's page shows of a session or link, for one who follows it: nobody has looked anew. */
export async function readPayerView(deps: PayerViewDeps, id: string): Promise<Shown> {
  const facts = await readFacts(deps.db, id)
  updateCallContext(facts.payable)
  return shownFrom(deps, facts)
}

type Facts = Awaited<ReturnType<typeof readFacts>>

function readFacts(db: Database, id: string) {
  return db.read(async em => {
    const payable = await em.findOne(payableEntity(id), { id })
    if (!payable) throw new ApiError('not_found')
    const [attempt, hadVoucher] = [await findOpenAttempt(em, id), await hasIssuedVoucher(em, id)]
    return { payable, merchant: await currentMerchant(em, payable), attempt, hadVoucher }
  })
}

async function shownFrom(
  { acquirer, environment }: PayerViewDeps,
  { payable, merchant, attempt, hadVoucher }: Facts,
): Promise<Shown> {
  const now = new Date()
  const open = isOpen(payable)
  // While an attempt runs or a voucher is out no card is taken, so that nobody has to wait for the acquirer to see it.
  const takesCards =
    open && !attempt && merchant.merchant_status === 'active' && payable.payment_method_types.includes('card')
  return {
    ...(isLink(payable) ? shownOfLink(payable, now) : shownOfSession(payable)),
    ...merchant,
    id: payable.id,
    amount_total: amountOf(payable),
    currency: payable.currency,
    payer_email: payerEmailOf(payable),
    payment_method_types: payable.payment_method_types,
    expires_at: payable.expires_at,
    now,
    attempts_left: Math.max(declineLimit - payable.decline_count, 0),
    in_progress: attempt?.status === 'running',
    voucher: (open && attempt?.status === 'pending' && voucherForPayer(attempt).voucher) || null,
    had_voucher: hadVoucher,
    environment,
    card_encryption_key: takesCards ? await encryptionKey(acquirer) : null,
  }
}

/** The guard on the old time lets one of several readers tell it. Nobody waits for a lock only to look. */
async function tellViewed(db: Database, payable: Payable, now: Date): Promise<void> {
  const before = payable.viewed_at ?? null
  if (before && now.getTime() - before.getTime() < viewedEveryMs) return
  await db.write(async (tx, emit) => {
    const seen = { id: payable.id, viewed_at: before }
    const row = await tx.findOne(payableEntity(payable.id), seen, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!row) return
    row.viewed_at = now
    emit(isLink(row) ? 'payment_link.viewed' : 'checkout_session.viewed', row)
  })
}

function shownOfSession(session: SessionRow) {
  const { status, transaction_status, line_items, amount_total } = session
  const look = session.ui_config ?? {}
  return {
    ...{ kind: 'session' as const, status, transaction_status, line_items },
    concepto: null,
    reference: null,
    adjustment_cents: adjustment(amount_total, line_items),
    hide_line_items: look.hide_line_items ?? false,
    locale: look.locale ?? null,
    brand_color: look.brand_color ?? null,
    logo_url: look.logo_url ?? null,
    retry_at: null,
    redirect_url: status === 'pending' ? null : redirectUrl(session),
    cancel_url: redirectUrl({ ...session, status: 'cancelled' }),
  }
}

/** The page's words for a link's status. */
const linkStatus = {
  active: { status: 'pending', transaction_status: 'Pending' },
  paid: { status: 'completed', transaction_status: 'Approved' },
  expired: { status: 'expired', transaction_status: 'Expired' },
  cancelled: { status: 'cancelled', transaction_status: 'Cancelled' },
} as const

function shownOfLink({ status, concepto, reference, blocked_until, refunded_at }: LinkRow, now: Date) {
  return {
    kind: 'link' as const,
    ...linkStatus[status],
    ...(status === 'paid' && refunded_at ? { transaction_status: 'Refunded' as const } : {}),
    concepto,
    reference: reference ?? null,
    line_items: [],
    adjustment_cents: 0,
    hide_line_items: true,
    locale: null,
    brand_color: null,
    logo_url: null,
    retry_at: blocked_until && blocked_until > now ? blocked_until : null,
    redirect_url: null,
    cancel_url: null,
  }
}

async function encryptionKey(acquirer: PayerViewDeps['acquirer']): Promise<Record<string, unknown>> {
  try {
    return { ...(await acquirer.encryptionKey()) }
  } catch (cause) {
    if (cause instanceof AcquirerUnavailable) throw new ApiError('unavailable', undefined, { cause })
    throw cause
  }
}
