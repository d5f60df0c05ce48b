import fc from 'fast-check'
import { z } from 'zod'
import { day, isoTime, msTime } from './times.ts'

test('isoTime converts between ISO 8601 with milliseconds and Date', () => {
  expect(z.encode(isoTime, new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  const years = { min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }
  fc.assert(
    fc.property(fc.date(years), date => {
      expect(z.decode(isoTime, z.encode(isoTime, date))).toEqual(date)
      expect(z.decode(msTime, z.encode(msTime, date))).toEqual(date)
    }),
  )
})

test.each([
  ...['2026-01-01', '2026-01-01T00:00:00', '2026-01-01T00:00:00+01:00', '2026-02-30T00:00:00Z', '', 'now'],
  '0000-01-01T00:00:00.000Z',
])('isoTime rejects %j', text => {
  expect(isoTime.safeDecode(text).success).toBe(false)
})

test('isoTime does not encode an invalid Date', () => {
  expect(() => z.encode(isoTime, new Date(Number.NaN))).toThrow()
  expect(() => z.encode(msTime, new Date(Number.NaN))).toThrow()
})

test.each(['2026-02-28', '2028-02-29', '0001-01-01', '9999-12-31'])('day accepts %s', text => {
  expect(day.safeParse(text).success).toBe(true)
})

test.each(['2026-02-29', '2026-13-01', '2026-1-1', '0000-01-01', '10000-01-01', '2026-02-28T00:00:00Z', ' 2026-02-28'])(
  'day rejects %p',
  text => {
    expect(day.safeParse(text).success).toBe(false)
  },
)
