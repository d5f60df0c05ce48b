import { waitFor } from '@cobro/testing'
import { type Bench, charged, money, newKey, twentyAtOnce } from './acquirer-under-test.ts'

export function describeRefunds(bench: Bench): void {
  const { acquirer, cards } = bench
  const settled = (key: string) =>
    waitFor(async () => {
      const refund = await acquirer().findRefund(key)
      return refund.status !== 'processing' && refund
    })

  describe('refunds', () => {
    test('are accepted, and confirmed in the end', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const key = newKey()
      expect(await acquirer().findRefund(key)).toEqual({ status: 'not_found' })
      const accepted = await acquirer().refund({ key, charge_key, ...money })
      expect(accepted).toMatchObject({ acquirer_reference: expect.any(String) })
      expect(['processing', 'completed']).toContain(accepted.status)
      expect(await settled(key)).toEqual({ ...accepted, status: 'completed' })
    })

    test('are made once per key, also twenty times at once', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const request = { key: newKey(), charge_key, ...money }
      const refunds = await twentyAtOnce(() => acquirer().refund(request))
      const references = refunds.map(refund => 'acquirer_reference' in refund && refund.acquirer_reference)
      expect(new Set(references)).toEqual(new Set([expect.any(String)]))
      await settled(request.key)
      expect(await acquirer().refund(request)).toMatchObject({ status: 'completed', acquirer_reference: references[0] })
    })

    test('never exceed their charge, under however many keys at once', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const refunds = await twentyAtOnce(() => acquirer().refund({ key: newKey(), charge_key, ...money }))
      const failed = refunds.filter(refund => refund.status === 'failed')
      expect(failed).toHaveLength(19)
      for (const refund of failed) expect(refund).toMatchObject({ failure_reason: 'already_refunded' })
      const late = await acquirer().refund({ key: newKey(), charge_key, amount_cents: 1, currency: money.currency })
      expect(late).toMatchObject({ status: 'failed', failure_reason: 'already_refunded' })
    })

    test('of what was never paid, or of more, fail', async () => {
      const { key: declined } = await charged(bench, cards.declined)
      const { key: approved } = await charged(bench, cards.approved)
      for (const request of [
        { charge_key: newKey(), ...money },
        { charge_key: declined, ...money },
        { charge_key: approved, ...money, amount_cents: money.amount_cents + 1 },
        { charge_key: approved, ...money, currency: 'USD' },
      ]) {
        const refund = await acquirer().refund({ key: newKey(), ...request })
        expect(refund).toMatchObject({ status: 'failed', failure_reason: 'not_refundable' })
      }
    })

    test('of another amount or charge do not come under a used key', async () => {
      const [{ key: charge_key }, { key: other }] = [
        await charged(bench, cards.approved),
        await charged(bench, cards.approved),
      ]
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const first = await settled(key)
      await acquirer().refund({ key, charge_key: other, ...money })
      await acquirer().refund({ key, charge_key, ...money, amount_cents: 1 })
      expect(await acquirer().findRefund(key)).toEqual(first)
      expect((await acquirer().refund({ key: newKey(), charge_key: other, ...money })).status).not.toBe('failed')
    })

    test('do not come under a key that was reversed, and the charge can still be refunded', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const key = newKey()
      expect(await acquirer().reverseRefund(key)).toEqual({ status: 'reversed' })
      expect(await acquirer().refund({ key, charge_key, ...money })).toMatchObject({ status: 'failed' })
      expect(await acquirer().findRefund(key)).toMatchObject({ status: 'failed' })
      expect(await acquirer().reverseRefund(key)).toEqual({ status: 'reversed' })
      const next = newKey()
      await acquirer().refund({ key: next, charge_key, ...money })
      expect(await settled(next)).toMatchObject({ status: 'completed' })
    })

    test('that were accepted are not reversed', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const key = newKey()
      const { acquirer_reference } = (await acquirer().refund({ key, charge_key, ...money })) as never
      expect(await acquirer().reverseRefund(key)).toMatchObject({ acquirer_reference })
      expect(await settled(key)).toMatchObject({ status: 'completed' })
    })

    test('and reversals that meet: one of them wins, and both say so', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      await twentyAtOnce(async () => {
        const key = newKey()
        const request = { key, charge_key, amount_cents: 1, currency: money.currency }
        const [refund, reversal] = await Promise.all([acquirer().refund(request), acquirer().reverseRefund(key)])
        expect(refund.status === 'failed').toBe(reversal.status === 'reversed')
      })
    })

    const given = cards.unrefundable === undefined ? test.skip : test
    given('that an issuer refuses fail in the end, and may be asked again', async () => {
      const { key: charge_key } = await charged(bench, cards.unrefundable as string)
      for (const key of [newKey(), newKey()]) {
        await acquirer().refund({ key, charge_key, ...money })
        expect(await settled(key)).toMatchObject({ status: 'failed', failure_reason: 'refused' })
      }
    })

    test('are never an error: where nobody listens nothing goes back, and nothing is said of other keys', async () => {
      const { unreachable } = bench.under()
      const key = newKey()
      const refund = await unreachable.refund({ key, charge_key: newKey(), ...money })
      expect(['failed', 'processing']).toContain(refund.status)
      expect((await unreachable.findRefund(key)).status).toBe('processing')
      expect((await unreachable.reverseRefund(key)).status).toBe('processing')
    })
  })
}
