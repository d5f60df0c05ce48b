import { hasCardNumber } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { Voucher } from '../../src/index.ts'
import { type ConformanceContext, money, newKey, twentyAtOnce } from './acquirer-under-test.ts'

const inSomeDays = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 3 * 86_400_000)
const soon = () => new Date(Date.now() + 700)

/** Issues a voucher under a new key. */
export async function issued(
  context: ConformanceContext,
  change: { due_at?: Date } = {},
): Promise<Voucher & { key: string }> {
  const key = newKey()
  const voucher = await context.acquirer().issueVoucher({ key, ...money, due_at: inSomeDays(), ...change })
  if (!('reference' in voucher)) throw new Error(`The voucher was not issued: ${voucher.status}.`)
  return { ...voucher, key }
}

export function describeVouchers(context: ConformanceContext): void {
  const { acquirer } = context

  describe('vouchers', () => {
    test('issues a voucher whose reference and barcode do not look like card numbers', async () => {
      const due_at = inSomeDays()
      const { key: _key, ...voucher } = await issued(context, { due_at })
      expect(voucher).toEqual({
        ...{ status: 'pending', ...money, due_at, paid_at: null },
        ...{ reference: expect.stringMatching(/./), barcode: expect.stringMatching(/./) },
      })
      expect(hasCardNumber(`${voucher.reference} and ${voucher.barcode}`)).toBe(false)
    })

    test('does not find a voucher before it is issued, and finds it unchanged afterwards', async () => {
      const request = { key: newKey(), ...money, due_at: inSomeDays(), concept: 'Pedido 1042' }
      expect(await acquirer().findVoucher(request.key)).toEqual({ status: 'not_found' })
      const voucher = await acquirer().issueVoucher(request)
      expect(await acquirer().findVoucher(request.key)).toEqual(voucher)
    })

    test('issues one voucher per key, even if the request is sent twenty times concurrently', async () => {
      const request = { key: newKey(), ...money, due_at: inSomeDays() }
      const vouchers = await twentyAtOnce(() => acquirer().issueVoucher(request))
      expect(vouchers[0]).toMatchObject({ status: 'pending', reference: expect.any(String) })
      for (const voucher of vouchers) expect(voucher).toEqual(vouchers[0])
    })

    test('issues no voucher with another amount or due date under a used key', async () => {
      const { key, ...first } = await issued(context)
      for (const change of [{ amount_cents: 1 }, { currency: 'USD' }, { due_at: soon() }, { concept: 'another' }]) {
        await acquirer().issueVoucher({ key, ...money, due_at: first.due_at, ...change })
        expect(await acquirer().findVoucher(key)).toEqual(first)
      }
    })

    test('does not withdraw a paid voucher', async () => {
      const { key, reference } = await issued(context)
      await context.harness().payVoucher(reference)
      const paid = await acquirer().findVoucher(key)
      expect(paid).toMatchObject({ status: 'paid', reference, paid_at: expect.any(Date) })
      expect(await acquirer().withdrawVoucher(key)).toEqual(paid)
    })

    test('expires a voucher at its due date', async () => {
      const { key } = await issued(context, { due_at: soon() })
      await waitFor(async () => (await acquirer().findVoucher(key)).status === 'expired')
      expect(await acquirer().withdrawVoucher(key)).toMatchObject({ status: 'expired', paid_at: null })
    })

    test('withdraws a voucher, and returns the same for repeated withdrawals', async () => {
      const { key, reference } = await issued(context)
      for (const call of [acquirer().withdrawVoucher, acquirer().withdrawVoucher, acquirer().findVoucher]) {
        expect(await call(key)).toMatchObject({ status: 'withdrawn', reference })
      }
    })

    test('issues no voucher under a key that was ended before', async () => {
      const key = newKey()
      expect(await acquirer().withdrawVoucher(key)).toEqual({ status: 'reversed' })
      expect(await acquirer().issueVoucher({ key, ...money, due_at: inSomeDays() })).toEqual({ status: 'failed' })
      expect(await acquirer().findVoucher(key)).toEqual({ status: 'failed' })
      expect(await acquirer().withdrawVoucher(key)).toEqual({ status: 'reversed' })
    })

    test('never leaves a voucher pending after a concurrent withdrawal', async () => {
      await twentyAtOnce(async () => {
        const key = newKey()
        const request = { key, ...money, due_at: inSomeDays() }
        const [, ended] = await Promise.all([acquirer().issueVoucher(request), acquirer().withdrawVoucher(key)])
        const found = await acquirer().findVoucher(key)
        expect([ended.status, found.status]).toEqual(
          ended.status === 'reversed' ? ['reversed', 'failed'] : ['withdrawn', 'withdrawn'],
        )
      })
    })

    test('refunds a paid voucher, or fails the refund as unsupported', async () => {
      const { key: voucher_key, reference } = await issued(context)
      const early = await acquirer().refund({ key: newKey(), voucher_key, ...money })
      expect(early).toMatchObject({ status: 'failed' })
      await context.harness().payVoucher(reference)
      const key = newKey()
      await acquirer().refund({ key, voucher_key, ...money })
      const refund = await waitFor(async () => {
        const found = await acquirer().findRefund(key)
        return found.status !== 'processing' && found
      })
      const unsupported = { status: 'failed', failure_reason: 'unsupported' }
      expect(refund).toMatchObject(refund.status === 'failed' ? unsupported : { status: 'completed' })
    })

    test('does not throw for a voucher while the acquirer is unreachable, and leaves its outcome unknown', async () => {
      const { unreachable } = context.harness()
      const key = newKey()
      const voucher = await unreachable.issueVoucher({ key, ...money, due_at: inSomeDays() })
      expect(['failed', 'processing']).toContain(voucher.status)
      expect(await unreachable.findVoucher(key)).toEqual({ status: 'processing' })
      expect(await unreachable.withdrawVoucher(key)).toEqual({ status: 'processing' })
    })
  })
}
