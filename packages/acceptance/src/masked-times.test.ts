import { maskedTimes } from './masked-times.ts'

test('times keep their distances, and the duration of a run does not show', () => {
  const output = (secondsLater: number) =>
    JSON.stringify({
      created_at: 1_795_000_000_001,
      updated_at: new Date(1_795_000_000_001 + secondsLater * 1_000).toISOString(),
      expires_at: 1_795_000_000_001 + 86_400_000,
    })
  const now = new Date(1_795_000_000_500)
  expect(maskedTimes(output(0.2), now)).toBe(
    '{"created_at":1795284245123,"updated_at":"2026-11-21T18:04:05.123Z","expires_at":1795370645123}',
  )
  expect(maskedTimes(output(119), now)).toBe(maskedTimes(output(0.2), now))
})

test('a time that a guide names stays as it is', () => {
  const now = new Date('2026-11-30T10:00:00Z')
  expect(maskedTimes('"expires_at": "2036-11-21T18:04:05.123Z"', now)).toBe('"expires_at": "2036-11-21T18:04:05.123Z"')
})

test.each(['2026-11-30T04:00:00Z', '2026-11-29T12:00:00Z'])(
  'a voucher of three days is due at 23:59 in Mexico City when issued at %s',
  now => {
    expect(maskedTimes('"due_at":"2026-12-03T05:59:00.000Z"', new Date(now))).toBe(
      '"due_at":"2026-11-25T05:59:00.000Z"',
    )
  },
)

test('dates without a time are all the same day', () => {
  expect(maskedTimes('period_start: 2026-11-30')).toBe('period_start: 2026-11-21')
})
