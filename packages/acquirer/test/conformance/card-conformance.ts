import { waitFor } from '@cobro/testing'
import { AcquirerUnavailable, UnreadableCard } from '../../src/index.ts'
import {
  type ConformanceContext,
  cardPayment,
  charged,
  encryptedCard,
  knownOutcome,
  money,
  newKey,
  tokenOf,
  twentyAtOnce,
} from './acquirer-under-test.ts'

export function describeCards(context: ConformanceContext): void {
  const { acquirer, cards } = context

  describe('cards', () => {
    test('publishes an encryption key for cards without its private part', async () => {
      expect(Object.keys(await acquirer().encryptionKey())).not.toContain('d')
    })

    test('exchanges a card for a token and its displayable parts, whatever the outcome of a charge would be', async () => {
      for (const number of [cards.approved, cards.declined]) {
        const token = await acquirer().tokenize(await encryptedCard(acquirer(), number), cardPayment)
        expect(token).toMatchObject({ last4: number.slice(-4), exp_month: 12, exp_year: 2099 })
        expect(JSON.stringify(token)).not.toContain(number.slice(0, -4))
      }
    })

    test('recognizes a card number by its fingerprint, if it answers any', async () => {
      const fingerprintOf = async (number: string) =>
        (await acquirer().tokenize(await encryptedCard(acquirer(), number), cardPayment)).fingerprint
      const first = await fingerprintOf(cards.approved)
      expect(await fingerprintOf(cards.approved)).toBe(first)
      if (first !== undefined) expect(await fingerprintOf(cards.declined)).not.toBe(first)
    })

    test('accepts an encrypted card for one attempt of the payment that it was encrypted for', async () => {
      const jwe = await encryptedCard(acquirer(), cards.approved)
      const { token } = await acquirer().tokenize(jwe, cardPayment)
      expect((await acquirer().tokenize(jwe, cardPayment)).token).toBe(token)
      for (const change of [{ attempt: 'pi_conformance:2' }, { payable_id: 'cs_other' }, { amount_cents: 1 }])
        await expect(acquirer().tokenize(jwe, { ...cardPayment, ...change })).rejects.toBeInstanceOf(UnreadableCard)
    })

    test.each(['', 'hello', 'a.b.c.d.e'])('rejects the unreadable card %p with UnreadableCard', async jwe => {
      await expect(acquirer().tokenize(jwe, cardPayment)).rejects.toBeInstanceOf(UnreadableCard)
    })
  })
}

export function describeCharges(context: ConformanceContext): void {
  const { acquirer, cards } = context

  describe('charges', () => {
    test('approves and declines charges, each with a reference, and gives the reason of a decline', async () => {
      const approved = await charged(context, cards.approved)
      expect(approved.outcome).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
      const declined = await charged(context, cards.declined)
      expect(declined.outcome).toMatchObject({ status: 'declined', decline_reason: expect.any(String) })
    })

    test('does not find a charge before it is made, and finds its outcome afterwards', async () => {
      const request = { key: newKey(), token: await tokenOf(context, cards.approved), ...money }
      expect(await acquirer().findCharge(request.key)).toEqual({ status: 'not_found' })
      const outcome = await acquirer().charge(request)
      expect(await acquirer().findCharge(request.key)).toEqual(outcome)
    })

    test('charges once per key, even if the request is sent twenty times concurrently', async () => {
      const request = { key: newKey(), token: await tokenOf(context, cards.approved), ...money }
      const outcomes = await twentyAtOnce(() => acquirer().charge(request))
      expect(outcomes[0]).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
      expect(await acquirer().charge(request)).toEqual(outcomes[0])
    })

    test('makes separate charges under different keys', async () => {
      const [one, other] = [await charged(context, cards.approved), await charged(context, cards.approved)]
      expect(one.outcome.acquirer_reference).not.toBe(other.outcome.acquirer_reference)
    })

    test('makes no charge with another amount, currency or token under a used key', async () => {
      const { key, outcome } = await charged(context, cards.declined)
      const [same, other] = [await tokenOf(context, cards.declined), await tokenOf(context, cards.approved)]
      for (const change of [{ amount_cents: 1 }, { currency: 'USD' }, { token: other }]) {
        const repeated = await acquirer().charge({ key, token: same, ...money, ...change })
        expect(repeated.status).not.toBe('approved')
        expect(await acquirer().findCharge(key)).toEqual(outcome)
      }
    })

    test('fails a charge of an unknown token', async () => {
      const request = { key: newKey(), token: 'tok_unknown', ...money }
      expect(await acquirer().charge(request)).toMatchObject({ status: 'failed' })
    })

    test('finds neither a refund nor a voucher under the key of a charge', async () => {
      const { key } = await charged(context, cards.approved)
      expect(await acquirer().findRefund(key)).toEqual({ status: 'not_found' })
      expect(await acquirer().findVoucher(key)).toEqual({ status: 'not_found' })
    })
  })
  describeReversals(context)
  describeUnclearCharges(context)
}

function describeReversals(context: ConformanceContext): void {
  const { acquirer, cards } = context

  describe('a reversal', () => {
    test('ends the key of a charge for good: a charge that arrives later fails', async () => {
      const key = newKey()
      expect(await acquirer().reverseCharge(key)).toEqual({ status: 'reversed' })
      const late = { key, token: await tokenOf(context, cards.approved), ...money }
      expect(await acquirer().charge(late)).toMatchObject({ status: 'failed' })
      expect(await acquirer().findCharge(key)).toMatchObject({ status: 'failed' })
      expect(await acquirer().reverseCharge(key)).toEqual({ status: 'reversed' })
    })

    test('returns the outcome of a charge instead of reversing it', async () => {
      const { key, outcome } = await charged(context, cards.approved)
      expect(await acquirer().reverseCharge(key)).toEqual(outcome)
      expect(await acquirer().findCharge(key)).toEqual(outcome)
    })

    test('lets either a charge or its concurrent reversal win, and both report it', async () => {
      const token = await tokenOf(context, cards.approved)
      await twentyAtOnce(async () => {
        const key = newKey()
        const [charge, reversal] = await Promise.all([
          knownOutcome(acquirer().charge({ key, token, ...money }), () => acquirer().findCharge(key)),
          knownOutcome(acquirer().reverseCharge(key), () => acquirer().reverseCharge(key)),
        ])
        const expected = reversal.status === 'reversed' ? ['failed', 'reversed'] : ['approved', 'approved']
        expect([charge.status, reversal.status]).toEqual(expected)
      })
    })
  })
}

function describeUnclearCharges(context: ConformanceContext): void {
  const { acquirer, impatient, cards } = context
  const testWith = (card: string | undefined) => (card === undefined ? test.skip : test)

  describe('an unclear charge', () => {
    testWith(cards.cut)('never reports a charge as failed whose connection was cut', async () => {
      const { key, outcome } = await charged(context, cards.cut as string)
      expect(['approved', 'processing']).toContain(outcome.status)
      await waitFor(async () => (await acquirer().findCharge(key)).status === 'approved')
    })

    testWith(cards.late)('reports a charge with a late response as processing, and finally as approved', async () => {
      const { key, outcome } = await charged(context, cards.late as string, impatient())
      expect(outcome.status).toBe('processing')
      expect((await acquirer().reverseCharge(key)).status).toBe('processing')
      await context.harness().settleLate?.()
      const found = await waitFor(async () => {
        const now = await acquirer().findCharge(key)
        expect(['processing', 'approved']).toContain(now.status)
        return now.status === 'approved' && now
      })
      expect(found).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
    })

    test('does not throw for a charge while the acquirer is unreachable, and leaves its outcome unknown', async () => {
      const { unreachable } = context.harness()
      const request = { key: newKey(), token: 'tok_any', ...money }
      expect(['failed', 'processing']).toContain((await unreachable.charge(request)).status)
      expect((await unreachable.findCharge(request.key)).status).toBe('processing')
      expect((await unreachable.reverseCharge(request.key)).status).toBe('processing')
      await expect(unreachable.encryptionKey()).rejects.toBeInstanceOf(AcquirerUnavailable)
      await expect(unreachable.tokenize('any', cardPayment)).rejects.toBeInstanceOf(AcquirerUnavailable)
    })
  })
}
