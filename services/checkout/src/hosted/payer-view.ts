import { type Acquirer, rejectUnavailable } from '@cobro/acquirer'
import { ApiError, type hostedPayable, type PayableId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Environment, updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import type { z } from 'zod'
import { adjustment } from '../checkout-sessions/session-amount.ts'
import { currentMerchant } from '../merchants/current-merchant.ts'
import type { LinkRow } from '../payables/link-entity.ts'
import { amountOf, isLink, isOpen, type Payable, payableEntity, payerEmailOf } from '../payables/payable.ts'
import type { SessionRow } from '../payables/session-entity.ts'
import { redirectUrl } from '../payables/session-redirect.ts'
import { findOpenAttempt, hasIssuedVoucher, voucherForPayer } from '../payment-attempts/find-payment-attempts.ts'
import type { VelocityLimits } from '../velocity-rules/velocity-settings.ts'

export interface PayerViewDeps {
  db: Database
  acquirer: Pick<Acquirer, 'encryptionKey'>
  environment: Environment
  limits: VelocityLimits
}

type PayerView = z.output<typeof hostedPayable>

const viewedIntervalMs = 60_000

/** Returns the payer's view of a session or link. Emits `viewed`, at most once a minute. */
export async function viewPayable(deps: PayerViewDeps, id: PayableId): Promise<PayerView> {
  const rows = await loadRows(deps.db, id)
  await emitViewed(deps.db, rows.payable, new Date())
  return payerView(deps, rows)
}

/** Returns the payer's view of a session or link without an event, for pages already open. */
export async function readPayerView(deps: PayerViewDeps, id: PayableId): Promise<PayerView> {
  return payerView(deps, await loadRows(deps.db, id))
}

type Rows = Awaited<ReturnType<typeof loadRows>>

async function loadRows(db: Database, id: PayableId) {
  const rows = await db.read(async em => {
    const payable = await em.findOne(payableEntity(id), { id })
    if (!payable) throw new ApiError('not_found')
    // Most pages are opened once, before any payment: then there is no attempt to look for.
    const isTried = payable.attempt_count > 0
    const attempt = isTried ? await findOpenAttempt(em, id) : null
    const hadVoucher = isTried && (await hasIssuedVoucher(em, id))
    return { payable, merchant: await currentMerchant(em, payable), attempt, hadVoucher }
  })
  updateCallContext(rows.payable)
  return rows
}

async function payerView(
  { acquirer, environment, limits }: PayerViewDeps,
  { payable, merchant, attempt, hadVoucher }: Rows,
): Promise<PayerView> {
  const now = new Date()
  const open = isOpen(payable)
  // No card can be paid with during an attempt, so that view does not need the acquirer's key.
  const takesCards =
    open && !attempt && merchant.merchant_status === 'active' && payable.payment_method_types.includes('card')
  return {
    ...(isLink(payable) ? linkView(payable, now) : sessionView(payable)),
    ...merchant,
    // The page needs no credential, so its address must not show personal data after the payment.
    ...(open ? {} : { line_items: [], adjustment_cents: 0 }),
    id: payable.id,
    amount_total: amountOf(payable),
    currency: payable.currency,
    payer_email: open ? payerEmailOf(payable) : null,
    payment_method_types: payable.payment_method_types,
    expires_at: payable.expires_at,
    now,
    attempts_left: Math.max(limits.payable_declines.max - payable.decline_count, 0),
    in_progress: attempt?.status === 'running',
    voucher: open && attempt?.status === 'pending' ? voucherForPayer(attempt) : null,
    had_voucher: hadVoucher,
    environment,
    card_encryption_key: takesCards ? { ...(await acquirer.encryptionKey().catch(rejectUnavailable)) } : null,
  }
}

/** Emits `viewed`. The condition on `viewed_at` lets one reader emit it, and no reader waits. */
async function emitViewed(db: Database, payable: Payable, now: Date): Promise<void> {
  const viewedAt = payable.viewed_at
  if (viewedAt && now.getTime() - viewedAt.getTime() < viewedIntervalMs) return
  await db.write(async (tx, emit) => {
    const unchanged = { id: payable.id, viewed_at: viewedAt }
    const row = await tx.findOne(payableEntity(payable.id), unchanged, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!row) return
    row.viewed_at = now
    if (isLink(row)) emit('payment_link.viewed', row)
    else emit('checkout_session.viewed', row)
  })
}

function sessionView(session: SessionRow) {
  const { status, transaction_status, line_items, amount_total } = session
  const ui = session.ui_config ?? {}
  return {
    ...{ kind: 'session' as const, status, transaction_status, line_items },
    concepto: null,
    reference: null,
    adjustment_cents: adjustment(amount_total, line_items),
    hide_line_items: ui.hide_line_items ?? false,
    locale: ui.locale ?? null,
    brand_color: ui.brand_color ?? null,
    logo_url: ui.logo_url ?? null,
    retry_at: null,
    redirect_url: status === 'pending' ? null : redirectUrl(session),
    cancel_url: redirectUrl({ ...session, status: 'cancelled' }),
  }
}

/** The statuses of a link in the terms of a session. */
const linkStatus = {
  active: { status: 'pending', transaction_status: 'Pending' },
  paid: { status: 'completed', transaction_status: 'Approved' },
  expired: { status: 'expired', transaction_status: 'Expired' },
  cancelled: { status: 'cancelled', transaction_status: 'Cancelled' },
} as const

function linkView({ status, concepto, reference, blocked_until, refunded_at }: LinkRow, now: Date) {
  return {
    kind: 'link' as const,
    ...linkStatus[status],
    ...(status === 'paid' && refunded_at ? { transaction_status: 'Refunded' as const } : {}),
    concepto,
    reference,
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
