import type { Acquirer, Voucher } from '@cobro/acquirer'
import { type CommandData, newId } from '@cobro/contracts'

type Call = Exclude<keyof Acquirer, 'encryptionKey' | 'tokenize' | 'readNotification'>
type Outcomes = { [C in Call]?: Awaited<ReturnType<Acquirer[C]>> }

/** A fake acquirer that returns given outcomes and records its calls. A call without one throws. */
export function scriptedAcquirer(outcomes: Outcomes) {
  const calls: string[] = []
  const requests: unknown[] = []
  const respond = (call: Call) => async (input: string | { key: string }) => {
    calls.push(`${call} ${typeof input === 'string' ? input : input.key}`)
    requests.push(input)
    const scripted = outcomes[call]
    if (!scripted) throw new Error(`${call} was not expected`)
    return scripted
  }
  const names: Call[] = ['charge', 'findCharge', 'reverseCharge', 'refund', 'findRefund', 'reverseRefund']
  names.push('issueVoucher', 'findVoucher', 'withdrawVoucher')
  const acquirer = Object.fromEntries(names.map(call => [call, respond(call)])) as unknown as Acquirer
  return { acquirer, calls, requests }
}

/** A voucher as the acquirer reports it. */
export function aVoucher(change: Partial<Voucher> = {}): Voucher {
  return {
    status: 'pending',
    reference: `93${Math.floor(Math.random() * 1e12)}`,
    barcode: '930000000001',
    amount_cents: 25_000,
    currency: 'MXN',
    due_at: new Date('2030-01-04T05:59:00.000Z'),
    paid_at: null,
    ...change,
  }
}

export function voucherCommand(change: Partial<CommandData<'payment.voucher'>> = {}): CommandData<'payment.voucher'> {
  return {
    payment_intent_id: newId('pi'),
    attempt: 1,
    payable_id: newId('cs'),
    payment_link_id: null,
    merchant_id: newId('mrc'),
    correlation_id: newId('corr'),
    amount_cents: 25_000,
    currency: 'MXN',
    payment_method: 'cash',
    card: null,
    payer_email: 'ana@example.com',
    order_id: 'A-1',
    reference: null,
    metadata: { plan: 'gold' },
    concept: 'Café Azul',
    deadline: new Date(Date.now() + 86_400_000),
    ...change,
  }
}
