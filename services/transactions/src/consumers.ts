import type { Message } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import type { CommandHandlers, EventHandlers } from '@cobro/messaging'
import { type ChargingDeps, chargePayment } from './transactions/charge-payment.ts'
import { resolvePayment } from './transactions/resolve-payment.ts'
import { endVouchers } from './vouchers/end-vouchers.ts'
import { requestVoucher } from './vouchers/request-voucher.ts'

type Reply = (answer: Message) => void

/**
 * Command → function. No inbox: an attempt's own row is what makes a second delivery harmless, and it has to stand before
 * the acquirer is asked, which no single transaction could hold together.
 */
export const commandHandlers = (deps: ChargingDeps): CommandHandlers<Reply> => ({
  'payment.charge': async (command, _message, reply) => reply(await chargePayment(deps, command)),
  'payment.voucher': async (command, _message, reply) => reply(await requestVoucher(deps, command)),
  'payment.resolve': command => resolvePayment(deps, command),
})

/** The transaction that an event has its effect in. */
interface Effect {
  tx: Tx
  emit: Emit
}

/** Event → function. */
export const eventHandlers: EventHandlers<'transactions', Effect> = {
  'payment.expired': (payable, _message, { tx, emit }) => endVouchers(tx, emit, payable, 'expire'),
  'payment.cancelled': (payable, _message, { tx, emit }) => endVouchers(tx, emit, payable, 'cancel'),
}
