import { waitFor } from '@cobro/testing'
import { type Acquirer, AcquirerAway, UnreadableCard } from '../../src/index.ts'
import { type Bench, charged, encryptedCard, money, newKey, tokenOf, twentyAtOnce } from './acquirer-under-test.ts'

export function describeCards(bench: Bench): void {
  const { acquirer, cards } = bench

  describe('cards', () => {
    test('are encrypted to a key that has no private part', async () => {
      expect(Object.keys(await acquirer().encryptionKey())).not.toContain('d')
    })

    test('become a token and what may be shown, whatever a charge would come to', async () => {
      for (const number of [cards.approved, cards.declined]) {
        const token = await acquirer().tokenize(await encryptedCard(acquirer(), number))
        expect(token).toMatchObject({ last4: number.slice(-4), exp_month: 12, exp_year: 2099 })
        expect(JSON.stringify(token)).not.toContain(number.slice(0, -4))
      }
    })

    test.each(['', 'hello', 'a.b.c.d.e'])('that cannot be read (%p) are refused as such', async jwe => {
      await expect(acquirer().tokenize(jwe)).rejects.toBeInstanceOf(UnreadableCard)
    })
  })
}

export function describeCharges(bench: Bench): void {
  const { acquirer, cards } = bench

  describe('charges', () => {
    test('are approved and declined, with a reference and for a decline the reason', async () => {
      const approved = await charged(bench, cards.approved)
      expect(approved.outcome).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
      const declined = await charged(bench, cards.declined)
      expect(declined.outcome).toMatchObject({ status: 'declined', decline_reason: expect.any(String) })
    })

    test('are not found before, and found as they were told afterwards', async () => {
      const request = { key: newKey(), token: await tokenOf(bench, cards.approved), ...money }
      expect(await acquirer().find(request.key)).toEqual({ status: 'not_found' })
      const outcome = await acquirer().charge(request)
      expect(await acquirer().find(request.key)).toEqual(outcome)
    })

    test('are made once per key, also twenty times at once', async () => {
      const request = { key: newKey(), token: await tokenOf(bench, cards.approved), ...money }
      const outcomes = await twentyAtOnce(() => acquirer().charge(request))
      expect(outcomes[0]).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
      expect(await acquirer().charge(request)).toEqual(outcomes[0])
    })

    test('under different keys are different charges', async () => {
      const [one, other] = [await charged(bench, cards.approved), await charged(bench, cards.approved)]
      expect(one.outcome.acquirer_reference).not.toBe(other.outcome.acquirer_reference)
    })

    test('of another amount, currency or token do not come under a used key', async () => {
      const { key, outcome } = await charged(bench, cards.declined)
      const [same, other] = [await tokenOf(bench, cards.declined), await tokenOf(bench, cards.approved)]
      for (const change of [{ amount_cents: 1 }, { currency: 'USD' }, { token: other }]) {
        const told = await acquirer().charge({ key, token: same, ...money, ...change })
        expect(told.status).not.toBe('approved')
        expect(await acquirer().find(key)).toEqual(outcome)
      }
    })

    test('of a token that nobody knows fail', async () => {
      const request = { key: newKey(), token: 'tok_of_nobody', ...money }
      expect(await acquirer().charge(request)).toMatchObject({ status: 'failed' })
    })

    test('have keys of their own: no refund and no voucher is found under them', async () => {
      const { key } = await charged(bench, cards.approved)
      expect(await acquirer().findRefund(key)).toEqual({ status: 'not_found' })
      expect(await acquirer().findVoucher(key)).toEqual({ status: 'not_found' })
    })
  })
  describeReversals(bench)
  describeUnclearCharges(bench)
}

function describeReversals(bench: Bench): void {
  const { acquirer, cards } = bench

  describe('a reversal', () => {
    test('ends a key for good: a charge that arrives later fails', async () => {
      const key = newKey()
      expect(await acquirer().reverse(key)).toEqual({ status: 'reversed' })
      const late = { key, token: await tokenOf(bench, cards.approved), ...money }
      expect(await acquirer().charge(late)).toMatchObject({ status: 'failed' })
      expect(await acquirer().find(key)).toMatchObject({ status: 'failed' })
      expect(await acquirer().reverse(key)).toEqual({ status: 'reversed' })
    })

    test('leaves a charge alone and says what it came to', async () => {
      const { key, outcome } = await charged(bench, cards.approved)
      expect(await acquirer().reverse(key)).toEqual(outcome)
      expect(await acquirer().find(key)).toEqual(outcome)
    })

    test('and a charge that meet: one of them wins, and both say so', async () => {
      const token = await tokenOf(bench, cards.approved)
      await twentyAtOnce(async () => {
        const key = newKey()
        const [charge, first] = await Promise.all([
          acquirer().charge({ key, token, ...money }),
          acquirer().reverse(key),
        ])
        // An acquirer that is too busy to answer in time leaves it unclear, and is asked again.
        const reversal = first.status === 'processing' ? await clearReversal(acquirer(), key) : first
        const won = reversal.status === 'reversed' ? ['failed', 'reversed'] : ['approved', 'approved']
        expect([charge.status, reversal.status]).toEqual(won)
      })
    })
  })
}

const clearReversal = (acquirer: Acquirer, key: string) =>
  waitFor(async () => {
    const reversal = await acquirer.reverse(key)
    return reversal.status !== 'processing' && reversal
  })

function describeUnclearCharges(bench: Bench): void {
  const { acquirer, cards } = bench
  const given = (card: string | undefined) => (card === undefined ? test.skip : test)

  describe('an unclear charge', () => {
    given(cards.cut)('whose connection is cut was taken, and is never called failed', async () => {
      const { key, outcome } = await charged(bench, cards.cut as string)
      expect(['approved', 'processing']).toContain(outcome.status)
      await waitFor(async () => (await acquirer().find(key)).status === 'approved')
    })

    given(cards.late)('whose answer is late is processing, and approved in the end', async () => {
      const { key, outcome } = await charged(bench, cards.late as string)
      expect(outcome.status).toBe('processing')
      expect((await acquirer().reverse(key)).status).toBe('processing')
      const found = await waitFor(async () => {
        const now = await acquirer().find(key)
        expect(['processing', 'approved']).toContain(now.status)
        return now.status === 'approved' && now
      })
      expect(found).toMatchObject({ status: 'approved', acquirer_reference: expect.any(String) })
    })

    test('is never an error: where nobody listens nothing is taken, and nothing is said of other keys', async () => {
      const { unreachable } = bench.under()
      const request = { key: newKey(), token: 'tok_any', ...money }
      expect(['failed', 'processing']).toContain((await unreachable.charge(request)).status)
      expect((await unreachable.find(request.key)).status).toBe('processing')
      expect((await unreachable.reverse(request.key)).status).toBe('processing')
      await expect(unreachable.encryptionKey()).rejects.toBeInstanceOf(AcquirerAway)
      await expect(unreachable.tokenize('any')).rejects.toBeInstanceOf(AcquirerAway)
    })
  })
}
