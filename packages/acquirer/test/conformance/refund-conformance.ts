import { waitFor } from '@cobro/testing'
import { type ConformanceContext, charged, knownOutcome, money, newKey, twentyAtOnce } from './acquirer-under-test.ts'

export function describeRefunds(context: ConformanceContext): void {
  const { acquirer, cards } = context
  const finalOutcome = (key: string) =>
    waitFor(async () => {
      const refund = await acquirer().findRefund(key)
      return refund.status !== 'processing' && refund
    })

  describe('refunds', () => {
    test('accepts a refund and confirms it later', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const key = newKey()
      expect(await acquirer().findRefund(key)).toEqual({ status: 'not_found' })
      const accepted = await acquirer().refund({ key, charge_key, ...money })
      expect(accepted).toMatchObject({ acquirer_reference: expect.any(String) })
      expect(['processing', 'completed']).toContain(accepted.status)
      expect(await finalOutcome(key)).toEqual({ ...accepted, status: 'completed' })
    })

    test('refunds once per key, even if the request is sent twenty times concurrently', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const request = { key: newKey(), charge_key, ...money }
      const refunds = await twentyAtOnce(() => acquirer().refund(request))
      const references = refunds.map(refund => 'acquirer_reference' in refund && refund.acquirer_reference)
      expect(new Set(references)).toEqual(new Set([expect.any(String)]))
      await finalOutcome(request.key)
      expect(await acquirer().refund(request)).toMatchObject({ status: 'completed', acquirer_reference: references[0] })
    })

    test('refunds no more than the charge under twenty concurrent keys', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const refunds = await twentyAtOnce(() => acquirer().refund({ key: newKey(), charge_key, ...money }))
      const failed = refunds.filter(refund => refund.status === 'failed')
      expect(failed).toHaveLength(19)
      for (const refund of failed) expect(refund).toMatchObject({ failure_reason: 'already_refunded' })
      const late = await acquirer().refund({ key: newKey(), charge_key, amount_cents: 1, currency: money.currency })
      expect(late).toMatchObject({ status: 'failed', failure_reason: 'already_refunded' })
    })

    test('fails refunds of unpaid charges and refunds above the charged amount', async () => {
      const { key: declined } = await charged(context, cards.declined)
      const { key: approved } = await charged(context, cards.approved)
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

    test('makes no refund of another amount or charge under a used key', async () => {
      const [{ key: charge_key }, { key: other }] = [
        await charged(context, cards.approved),
        await charged(context, cards.approved),
      ]
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const first = await finalOutcome(key)
      await acquirer().refund({ key, charge_key: other, ...money })
      await acquirer().refund({ key, charge_key, ...money, amount_cents: 1 })
      expect(await acquirer().findRefund(key)).toEqual(first)
      expect((await acquirer().refund({ key: newKey(), charge_key: other, ...money })).status).not.toBe('failed')
    })

    test('fails a refund under a reversed key, and refunds the charge under another', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const key = newKey()
      expect(await acquirer().reverseRefund(key)).toEqual({ status: 'reversed' })
      expect(await acquirer().refund({ key, charge_key, ...money })).toMatchObject({ status: 'failed' })
      expect(await acquirer().findRefund(key)).toMatchObject({ status: 'failed' })
      expect(await acquirer().reverseRefund(key)).toEqual({ status: 'reversed' })
      const next = newKey()
      await acquirer().refund({ key: next, charge_key, ...money })
      expect(await finalOutcome(next)).toMatchObject({ status: 'completed' })
    })

    test('does not reverse an accepted refund', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const key = newKey()
      const { acquirer_reference } = (await acquirer().refund({ key, charge_key, ...money })) as never
      expect(await acquirer().reverseRefund(key)).toMatchObject({ acquirer_reference })
      expect(await finalOutcome(key)).toMatchObject({ status: 'completed' })
    })

    test('lets either a refund or its concurrent reversal win, and both report it', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      await twentyAtOnce(async () => {
        const key = newKey()
        const request = { key, charge_key, amount_cents: 1, currency: money.currency }
        const [refund, reversal] = await Promise.all([
          knownOutcome(acquirer().refund(request), () => acquirer().findRefund(key)),
          knownOutcome(acquirer().reverseRefund(key), () => acquirer().reverseRefund(key)),
        ])
        expect(refund.status === 'failed').toBe(reversal.status === 'reversed')
      })
    })

    const testWith = cards.unrefundable === undefined ? test.skip : test
    testWith('fails a refund that the issuer refuses, and accepts another try', async () => {
      const { key: charge_key } = await charged(context, cards.unrefundable as string)
      for (const key of [newKey(), newKey()]) {
        await acquirer().refund({ key, charge_key, ...money })
        expect(await finalOutcome(key)).toMatchObject({ status: 'failed', failure_reason: 'refused' })
      }
    })

    test('does not throw for a refund while the acquirer is unreachable, and leaves its outcome unknown', async () => {
      const { unreachable } = context.harness()
      const key = newKey()
      const refund = await unreachable.refund({ key, charge_key: newKey(), ...money })
      expect(['failed', 'processing']).toContain(refund.status)
      expect((await unreachable.findRefund(key)).status).toBe('processing')
      expect((await unreachable.reverseRefund(key)).status).toBe('processing')
    })
  })
}
