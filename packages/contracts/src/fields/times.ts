import { z } from 'zod'

const timeExpected = 'expected an ISO 8601 UTC time'
const isoText = z.iso
  .datetime({ error: timeExpected })
  // PostgreSQL has no year 0.
  .refine(text => !text.startsWith('0000'), { error: timeExpected })

/** A moment: ISO 8601 in UTC with milliseconds in JSON, a Date in code. */
export const isoTime = z
  .codec(isoText, z.date(), { decode: text => new Date(text), encode: date => date.toISOString() })
  .meta({ id: 'Timestamp', description: 'ISO 8601 time in UTC.', examples: ['2026-11-21T18:04:05.123Z'] })

/** A moment, or null. */
export const maybeIsoTime = isoTime.nullable().describe('ISO 8601 time in UTC, or `null`.')

/** When a row was created and last changed. */
export const timestamps = {
  created_at: isoTime.describe('When it was created.'),
  updated_at: isoTime.describe('When it was last changed.'),
}

/** A moment: integer epoch milliseconds in JSON, a Date in code. Only checkout sessions use it. */
export const msTime = z.codec(z.int(), z.date(), { decode: ms => new Date(ms), encode: date => date.getTime() }).meta({
  id: 'EpochMilliseconds',
  description: 'Milliseconds since the epoch.',
  format: 'int64',
  examples: [1_795_284_245_123],
})

/** A UTC day, `YYYY-MM-DD`. Rejects days that do not exist, such as 2026-02-30, and the year 0. */
export const day = z.iso
  .date({ error: 'expected a day as YYYY-MM-DD' })
  .refine(text => !text.startsWith('0000'), { error: 'expected a day as YYYY-MM-DD' })
  .meta({ id: 'Day', description: 'A UTC day.', examples: ['2026-11-21'] })

/** Where a range of time starts: a UTC day or a moment in JSON, a Date in code. */
export const rangeStart = rangeBound('T00:00:00.000Z')

/** Where a range of time ends, inclusive: a whole UTC day or a moment in JSON, a Date in code. */
export const rangeEnd = rangeBound('T23:59:59.999Z')

function rangeBound(timeOfDay: string) {
  return z.union([day.transform(text => new Date(text + timeOfDay)), isoTime], {
    error: 'expected a day as YYYY-MM-DD or an ISO 8601 UTC time',
  })
}
