import type { AcquirerUnderTest, Bench, TestCards } from './acquirer-under-test.ts'
import { describeCards, describeCharges } from './conforming-cards.ts'
import { describeNotices } from './conforming-notices.ts'
import { describeRefunds } from './conforming-refunds.ts'
import { describeVouchers } from './conforming-vouchers.ts'

export type { AcquirerUnderTest, TestCards } from './acquirer-under-test.ts'

/**
 * Runs what every adapter has to pass against an acquirer's sandbox, which `start` makes reachable. The adapter under test
 * should give up on an answer before the `late` card's comes.
 */
export function describeAcquirer(
  name: string,
  { start, cards }: { start: () => Promise<AcquirerUnderTest>; cards: TestCards },
): void {
  describe(name, () => {
    let under: AcquirerUnderTest
    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under?.stop())

    const bench: Bench = { under: () => under, acquirer: () => under.acquirer, cards }
    describeCards(bench)
    describeCharges(bench)
    describeRefunds(bench)
    describeVouchers(bench)
    describeNotices(bench)
  })
}
