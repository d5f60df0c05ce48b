import { hasCardNumber } from '@cobro/contracts'
import { voucherBarcode, voucherReference } from './voucher-numbers.ts'

/** 23:59 of the previous day in Mexico City. */
const due_at = new Date('2026-11-24T05:59:00Z')

test.each([
  [0, '93000000000000'],
  [7, '93000000000007'],
  [999_999_999_999, '93999999999999'],
])('voucherReference converts %i to %s', (random, reference) => {
  expect(voucherReference(random)).toBe(reference)
})

test('a voucher’s barcode contains its reference, due day and amount, and its check digit detects any changed digit', () => {
  const barcode = voucherBarcode({ reference: '93000000000007', due_at, amount_cents: 25_000 })
  expect(barcode).toMatch(/^9300000000000726112300000025000\d$/)
  const weighted = (digits: string) =>
    [...digits].toReversed().reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10
  expect(weighted(barcode)).toBe(0)
  for (let at = 0; at < barcode.length; at++) {
    const digit = String((Number(barcode[at]) + 1) % 10)
    expect(weighted(barcode.slice(0, at) + digit + barcode.slice(at + 1))).not.toBe(0)
  }
})

test('all voucher barcodes have the same length, and none looks like a card number', () => {
  for (let i = 0; i < 2_000; i++) {
    const reference = voucherReference(i * 499_999_999)
    const barcode = voucherBarcode({ reference, due_at, amount_cents: i % 2 ? 1 : 99_999_999_999 })
    expect(barcode).toHaveLength(32)
    expect(hasCardNumber(`${reference} ${barcode}`) || hasCardNumber(reference) || hasCardNumber(barcode)).toBe(false)
  }
})
