import type { AcquirerNotification } from '../../src/index.ts'
import { type ConformanceContext, charged, money, newKey, notificationThat } from './acquirer-under-test.ts'
import { issued } from './voucher-conformance.ts'

export function describeNotifications(context: ConformanceContext): void {
  const { acquirer, impatient, cards } = context
  const about = (of: AcquirerNotification['of'], key: string) => (notification: AcquirerNotification) =>
    notification.of === of && 'key' in notification && notification.key === key
  const testWith = (card: string | undefined) => (card === undefined ? test.skip : test)

  describe('notifications', () => {
    testWith(cards.late)('notifies the outcome of a late charge as findCharge returns it', async () => {
      const { key } = await charged(context, cards.late as string, impatient())
      await context.harness().settleLate?.()
      const notification = await notificationThat(context, about('charge', key))
      expect(notification).toMatchObject({ outcome: { status: 'approved' } })
      expect(notification).toMatchObject({ outcome: await acquirer().findCharge(key) })
    })

    test('notifies a completed refund as findRefund returns it', async () => {
      const { key: charge_key } = await charged(context, cards.approved)
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const notification = await notificationThat(context, about('refund', key))
      expect(notification).toMatchObject({ outcome: { status: 'completed' } })
      expect(notification).toMatchObject({ outcome: await acquirer().findRefund(key) })
    })

    testWith(cards.unrefundable)('notifies a refund that the issuer refused', async () => {
      const { key: charge_key } = await charged(context, cards.unrefundable as string)
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const notification = await notificationThat(context, about('refund', key))
      expect(notification).toMatchObject({ outcome: { status: 'failed', failure_reason: 'refused' } })
    })

    testWith(cards.disputed)('notifies a dispute', async () => {
      const { key } = await charged(context, cards.disputed as string)
      const notification = await notificationThat(
        context,
        one => one.of === 'dispute' && one.dispute.charge_key === key,
      )
      expect(notification).toMatchObject({ dispute: { status: 'open', ...money, opened_at: expect.any(Date) } })
    })

    test('notifies paid and expired vouchers as findVoucher returns them', async () => {
      const paid = await issued(context)
      await context.harness().payVoucher(paid.reference)
      const expired = await issued(context, { due_at: new Date(Date.now() + 100) })
      for (const { key, status } of [
        { key: paid.key, status: 'paid' },
        { key: expired.key, status: 'expired' },
      ]) {
        const notification = await notificationThat(context, about('voucher', key))
        expect(notification).toMatchObject({ outcome: { status } })
        expect(notification).toMatchObject({ outcome: await acquirer().findVoucher(key) })
      }
    })

    test('accepts a notification only with its exact bytes and signature', async () => {
      const { reference } = await issued(context)
      await context.harness().payVoucher(reference)
      await notificationThat(
        context,
        notification => notification.of === 'voucher' && notification.outcome.reference === reference,
      )
      const [first] = context.harness().received()
      const { body, headers } = first as NonNullable<typeof first>
      const read = acquirer().readNotification
      expect(await read(body, headers)).toMatchObject({ id: expect.any(String), created_at: expect.any(Date) })
      const changed = Uint8Array.from(body)
      changed[10] = (changed[10] ?? 0) ^ 1
      expect(await read(changed, headers)).toBeUndefined()
      expect(await read(Buffer.concat([body, Buffer.from(' ')]), headers)).toBeUndefined()
      expect(await read(body, {})).toBeUndefined()
    })
  })
}
