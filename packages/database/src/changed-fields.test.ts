import { changedFields } from './changed-fields.ts'

interface Terms {
  name: string
  percent_bps: number
  currency: string | null | undefined
  valid_from: Date
  bank: { holder: string; clabe: string } | null
}

const row: Terms = {
  name: 'Tarifa',
  percent_bps: 360,
  currency: undefined,
  valid_from: new Date('2026-01-01T00:00:00.000Z'),
  bank: { holder: 'Ana', clabe: '1' },
}

test('changedFields returns the old and new value of each changed field', () => {
  const input = { percent_bps: 0, currency: 'USD', valid_from: new Date('2026-02-01T00:00:00.000Z'), bank: null }
  expect(changedFields(row, input)).toEqual({
    percent_bps: { from: 360, to: 0 },
    currency: { from: null, to: 'USD' },
    valid_from: { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    bank: { from: { holder: 'Ana', clabe: '1' }, to: null },
  })
})

test('changedFields skips omitted and equal values, regardless of key order', () => {
  const same = { name: 'Tarifa', valid_from: new Date('2026-01-01T00:00:00.000Z'), bank: { clabe: '1', holder: 'Ana' } }
  expect(changedFields(row, { ...same, currency: null, percent_bps: undefined })).toEqual({})
})
