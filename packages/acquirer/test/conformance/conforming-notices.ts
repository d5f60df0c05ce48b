import type { Notice } from '../../src/index.ts'
import { type Bench, charged, money, newKey, noticeThat } from './acquirer-under-test.ts'
import { issued } from './conforming-vouchers.ts'

export function describeNotices(bench: Bench): void {
  const { acquirer, cards } = bench
  const about = (of: Notice['of'], key: string) => (notice: Notice) =>
    notice.of === of && 'key' in notice && notice.key === key
  const given = (card: string | undefined) => (card === undefined ? test.skip : test)

  describe('notices', () => {
    given(cards.late)('tell of a late charge what find says of it', async () => {
      const { key } = await charged(bench, cards.late as string)
      const notice = await noticeThat(bench, about('charge', key))
      expect(notice).toMatchObject({ outcome: { status: 'approved' } })
      expect(notice).toMatchObject({ outcome: await acquirer().find(key) })
    })

    test('tell of a refund that was confirmed what findRefund says of it', async () => {
      const { key: charge_key } = await charged(bench, cards.approved)
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const notice = await noticeThat(bench, about('refund', key))
      expect(notice).toMatchObject({ outcome: { status: 'completed' } })
      expect(notice).toMatchObject({ outcome: await acquirer().findRefund(key) })
    })

    given(cards.unrefundable)('tell of a refund that was refused', async () => {
      const { key: charge_key } = await charged(bench, cards.unrefundable as string)
      const key = newKey()
      await acquirer().refund({ key, charge_key, ...money })
      const notice = await noticeThat(bench, about('refund', key))
      expect(notice).toMatchObject({ outcome: { status: 'failed', failure_reason: 'refused' } })
    })

    given(cards.disputed)('tell of a dispute', async () => {
      const { key } = await charged(bench, cards.disputed as string)
      const notice = await noticeThat(bench, one => one.of === 'dispute' && one.dispute.charge_key === key)
      expect(notice).toMatchObject({ dispute: { status: 'open', ...money, opened_at: expect.any(Date) } })
    })

    test('tell of a voucher that was paid, and of one that expired, what findVoucher says of it', async () => {
      const paid = await issued(bench)
      await bench.under().payVoucher(paid.reference)
      const expired = await issued(bench, { due_at: new Date(Date.now() + 100) })
      for (const { key, status } of [
        { key: paid.key, status: 'paid' },
        { key: expired.key, status: 'expired' },
      ]) {
        const notice = await noticeThat(bench, about('voucher', key))
        expect(notice).toMatchObject({ outcome: { status } })
        expect(notice).toMatchObject({ outcome: await acquirer().findVoucher(key) })
      }
    })

    test('are believed only as they came', async () => {
      const { reference } = await issued(bench)
      await bench.under().payVoucher(reference)
      await noticeThat(bench, notice => notice.of === 'voucher' && notice.outcome.reference === reference)
      const [first] = bench.under().received()
      const { body, headers } = first as NonNullable<typeof first>
      const read = acquirer().readNotice
      expect(await read(body, headers)).toMatchObject({ id: expect.any(String), created_at: expect.any(Date) })
      const changed = Uint8Array.from(body)
      changed[10] = (changed[10] ?? 0) ^ 1
      expect(await read(changed, headers)).toBeUndefined()
      expect(await read(Buffer.concat([body, Buffer.from(' ')]), headers)).toBeUndefined()
      expect(await read(body, {})).toBeUndefined()
    })
  })
}
