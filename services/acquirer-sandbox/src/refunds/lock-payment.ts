import type { RefundBody } from '@cobro/acquirer'
import type { Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { ChargeEntity } from '../charges/charge-entity.ts'
import { chargeResponseAt } from '../charges/decide-charge.ts'
import { AcquirerDisputeEntity } from '../disputes/acquirer-dispute-entity.ts'
import { TokenEntity } from '../tokens/token-entity.ts'
import { IssuedVoucherEntity } from '../vouchers/issued-voucher-entity.ts'
import type { RefundablePayment } from './decide-refund.ts'

type Payment = Pick<RefundBody, 'charge_key' | 'voucher_key'>

const locked = { lockMode: LockMode.PESSIMISTIC_WRITE }

/** Locks the payment to refund and returns its current state, or undefined if there is none. */
export async function lockPayment(tx: Tx, payment: Payment): Promise<RefundablePayment | undefined> {
  const { charge_key, voucher_key } = payment
  if (charge_key !== undefined) return lockCharge(tx, charge_key)
  return voucher_key === undefined ? undefined : lockVoucher(tx, voucher_key)
}

async function lockCharge(tx: Tx, charge_key: string): Promise<RefundablePayment | undefined> {
  const charge = await tx.findOne(ChargeEntity, { key: charge_key }, locked)
  if (!charge?.amount_cents || !charge.currency || !charge.token) return undefined
  const now = new Date()
  const token = await tx.findOne(TokenEntity, { token: charge.token })
  const open = { charge_key, status: ['open' as const, 'lost' as const], opened_at: { $lte: now } }
  return {
    amount_cents: charge.amount_cents,
    currency: charge.currency,
    paid: chargeResponseAt(charge, now).status === 'approved',
    disputed: (await tx.count(AcquirerDisputeEntity, open)) > 0,
    refunded_cents: await refundedCents(tx, 'charge_key', charge_key),
    unrefundable: token?.behaviour === 'unrefundable',
  }
}

async function lockVoucher(tx: Tx, voucher_key: string): Promise<RefundablePayment | undefined> {
  const voucher = await tx.findOne(IssuedVoucherEntity, { key: voucher_key }, locked)
  if (!voucher?.amount_cents || !voucher.currency) return undefined
  return {
    amount_cents: voucher.amount_cents,
    currency: voucher.currency,
    paid: voucher.status === 'paid',
    disputed: false,
    refunded_cents: await refundedCents(tx, 'voucher_key', voucher_key),
    unrefundable: false,
  }
}

/** Returns the sum of refunds. One that will fail counts while it still looks like `processing`. */
async function refundedCents(tx: Tx, column: 'charge_key' | 'voucher_key', key: string): Promise<number> {
  const [row] = await tx.execute<{ cents: string }[]>(
    `select coalesce(sum(amount_cents), 0) as cents from acquirer_sandbox.refunds
     where ${column} = ? and (status = 'completed' or settles_at > ?)`,
    [key, new Date()],
  )
  return Number(row?.cents)
}
