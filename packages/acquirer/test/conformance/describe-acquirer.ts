import type { AcquirerUnderTest, ConformanceContext, TestCards } from './acquirer-under-test.ts'
import { describeCards, describeCharges } from './card-conformance.ts'
import { describeNotifications } from './notification-conformance.ts'
import { describeRefunds } from './refund-conformance.ts'
import { describeVouchers } from './voucher-conformance.ts'

export type { AcquirerUnderTest, TestCards } from './acquirer-under-test.ts'

/**
 * Runs the conformance tests of every adapter against a sandbox that `start` makes reachable.
 * `impatient` needs a timeout shorter than the delay of the `late` card, `acquirer` one for a busy machine.
 */
export function describeAcquirer(
  name: string,
  { start, cards }: { start: () => Promise<AcquirerUnderTest>; cards: TestCards },
): void {
  describe(name, () => {
    let harness: AcquirerUnderTest
    beforeAll(async () => {
      harness = await start()
    })
    afterAll(() => harness?.stop())

    const context: ConformanceContext = {
      harness: () => harness,
      acquirer: () => harness.acquirer,
      impatient: () => harness.impatient ?? harness.acquirer,
      cards,
    }
    describeCards(context)
    describeCharges(context)
    describeRefunds(context)
    describeVouchers(context)
    describeNotifications(context)
  })
}
