import type { Message } from '@cobro/contracts'
import type { CommandHandlers } from '@cobro/messaging'
import { type ChargeDeps, chargePayment } from './transactions/charge-payment.ts'
import { resolvePayment } from './transactions/resolve-payment.ts'
import { requestVoucher } from './vouchers/request-voucher.ts'

type Reply = (answer: Message) => void

/**
 * Command → function. No inbox: an attempt's own row is what makes a second delivery harmless, and it has to stand before
 * the acquirer is asked, which no single transaction could hold together.
 */
export const commandHandlers = (deps: ChargeDeps): CommandHandlers<Reply> => ({
  'payment.charge': async (command, _message, reply) => reply(await chargePayment(deps, command)),
  'payment.voucher': async (command, _message, reply) => reply(await requestVoucher(deps, command)),
  'payment.resolve': command => resolvePayment(deps, command),
})
