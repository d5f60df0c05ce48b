import { hasCardNumber } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { Voucher } from '../../src/index.ts'
import { type Bench, money, newKey, twentyAtOnce } from './acquirer-under-test.ts'

const inSomeDays = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 3 * 86_400_000)
const soon = () => new Date(Date.now() + 700)

/** Issues a voucher under a key of its own. */
export async function issued(bench: Bench, given: { due_at?: Date } = {}): Promise<Voucher & { key: string }> {
  const key = newKey()
  const voucher = await bench.acquirer().voucher({ key, ...money, due_at: inSomeDays(), ...given })
  if (!('reference' in voucher)) throw new Error(`The voucher was not issued: ${voucher.status}.`)
  return { ...voucher, key }
}

export function describeVouchers(bench: Bench): void {
  const { acquirer } = bench

  describe('vouchers', () => {
    test('have a reference to say and a barcode to scan, neither of them like a card number', async () => {
      const due_at = inSomeDays()
      const { key: _key, ...voucher } = await issued(bench, { due_at })
      expect(voucher).toEqual({
        ...{ status: 'pending', ...money, due_at, paid_at: null },
        ...{ reference: expect.stringMatching(/./), barcode: expect.stringMatching(/./) },
      })
      expect(hasCardNumber(`${voucher.reference} and ${voucher.barcode}`)).toBe(false)
    })

    test('are not found before, and found as they were told afterwards', async () => {
      const request = { key: newKey(), ...money, due_at: inSomeDays(), concept: 'Pedido 1042' }
      expect(await acquirer().findVoucher(request.key)).toEqual({ status: 'not_found' })
      const voucher = await acquirer().voucher(request)
      expect(await acquirer().findVoucher(request.key)).toEqual(voucher)
    })

    test('are issued once per key, also twenty times at once', async () => {
      const request = { key: newKey(), ...money, due_at: inSomeDays() }
      const vouchers = await twentyAtOnce(() => acquirer().voucher(request))
      expect(vouchers[0]).toMatchObject({ status: 'pending', reference: expect.any(String) })
      for (const voucher of vouchers) expect(voucher).toEqual(vouchers[0])
    })

    test('of another amount or day do not come under a used key', async () => {
      const { key, ...first } = await issued(bench)
      for (const change of [{ amount_cents: 1 }, { currency: 'USD' }, { due_at: soon() }, { concept: 'another' }]) {
        await acquirer().voucher({ key, ...money, due_at: first.due_at, ...change })
        expect(await acquirer().findVoucher(key)).toEqual(first)
      }
    })

    test('are paid once, and not withdrawn any more', async () => {
      const { key, reference } = await issued(bench)
      await bench.under().payVoucher(reference)
      const paid = await acquirer().findVoucher(key)
      expect(paid).toMatchObject({ status: 'paid', reference, paid_at: expect.any(Date) })
      expect(await acquirer().withdrawVoucher(key)).toEqual(paid)
    })

    test('expire when they are due', async () => {
      const { key } = await issued(bench, { due_at: soon() })
      await waitFor(async () => (await acquirer().findVoucher(key)).status === 'expired')
      expect(await acquirer().withdrawVoucher(key)).toMatchObject({ status: 'expired', paid_at: null })
    })

    test('are withdrawn, as often as asked', async () => {
      const { key, reference } = await issued(bench)
      for (const tell of [acquirer().withdrawVoucher, acquirer().withdrawVoucher, acquirer().findVoucher]) {
        expect(await tell(key)).toMatchObject({ status: 'withdrawn', reference })
      }
    })

    test('do not come under a key that was ended before', async () => {
      const key = newKey()
      expect(await acquirer().withdrawVoucher(key)).toEqual({ status: 'reversed' })
      expect(await acquirer().voucher({ key, ...money, due_at: inSomeDays() })).toEqual({ status: 'failed' })
      expect(await acquirer().findVoucher(key)).toEqual({ status: 'failed' })
      expect(await acquirer().withdrawVoucher(key)).toEqual({ status: 'reversed' })
    })

    test('and withdrawals that meet: a voucher is never left pending', async () => {
      await twentyAtOnce(async () => {
        const key = newKey()
        const request = { key, ...money, due_at: inSomeDays() }
        const [, ended] = await Promise.all([acquirer().voucher(request), acquirer().withdrawVoucher(key)])
        const found = await acquirer().findVoucher(key)
        expect([ended.status, found.status]).toEqual(
          ended.status === 'reversed' ? ['reversed', 'failed'] : ['withdrawn', 'withdrawn'],
        )
      })
    })

    test('that were paid are paid back, or it is said that this cannot be done', async () => {
      const { key: voucher_key, reference } = await issued(bench)
      const early = await acquirer().refund({ key: newKey(), voucher_key, ...money })
      expect(early).toMatchObject({ status: 'failed' })
      await bench.under().payVoucher(reference)
      const key = newKey()
      await acquirer().refund({ key, voucher_key, ...money })
      const refund = await waitFor(async () => {
        const found = await acquirer().findRefund(key)
        return found.status !== 'processing' && found
      })
      const unsupported = { status: 'failed', failure_reason: 'unsupported' }
      expect(refund).toMatchObject(refund.status === 'failed' ? unsupported : { status: 'completed' })
    })

    test('are never an error: where nobody listens none is issued, and nothing is said of other keys', async () => {
      const { unreachable } = bench.under()
      const key = newKey()
      const voucher = await unreachable.voucher({ key, ...money, due_at: inSomeDays() })
      expect(['failed', 'processing']).toContain(voucher.status)
      expect(await unreachable.findVoucher(key)).toEqual({ status: 'processing' })
      expect(await unreachable.withdrawVoucher(key)).toEqual({ status: 'processing' })
    })
  })
}
