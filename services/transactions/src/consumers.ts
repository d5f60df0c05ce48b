import type { Message } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import type { CommandHandlers, EventHandlers } from '@cobro/messaging'
import { type ChargeDeps, chargePayment } from './charges/charge-payment.ts'
import { resolvePayment } from './pending-payments/resolve-payment.ts'
import { findUnpaid, listPayments } from './reconciliation/compare-with-checkout.ts'
import { endVouchers } from './vouchers/end-vouchers.ts'
import { requestVoucher } from './vouchers/request-voucher.ts'

/**
 * Command → function. Commands need no inbox: the attempt's row makes a second delivery harmless.
 * The row is committed before the acquirer is called, so command and inbox row could not share a transaction anyway.
 */
export const commandHandlers = (deps: ChargeDeps): CommandHandlers<(message: Message) => void> => ({
  'payment.charge': async (command, _message, reply) => reply(await chargePayment(deps, command)),
  'payment.voucher': async (command, _message, reply) => reply(await requestVoucher(deps, command)),
  'payment.resolve': command => resolvePayment(deps, command),
  'reconciliation.find_unpaid': async (command, _message, reply) => reply(await findUnpaid(deps.db, command)),
  'reconciliation.list_payments': async (command, _message, reply) => reply(await listPayments(deps.db, command)),
})

/** Event → function, in the transaction of the inbox. */
export const eventHandlers: EventHandlers<'transactions', { tx: Tx; emit: Emit }> = {
  'payment.expired': (payable, _message, { tx, emit }) => endVouchers(tx, emit, payable, 'expire'),
  'payment.cancelled': (payable, _message, { tx, emit }) => endVouchers(tx, emit, payable, 'cancel'),
}
