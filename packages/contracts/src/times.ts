import { z } from 'zod'

const timeExpected = 'expected an ISO 8601 UTC time'
const isoText = z.iso
  .datetime({ error: timeExpected })
  // A year that Postgres has not.
  .refine(text => !text.startsWith('0000'), { error: timeExpected })

/** A moment: ISO 8601 in UTC with milliseconds in JSON, a Date in code. */
export const isoTime = z.codec(isoText, z.date(), {
  decode: text => new Date(text),
  encode: date => date.toISOString(),
})

/** A moment as integer milliseconds since the epoch in JSON, a Date in code. Checkout sessions alone use it. */
export const msTime = z.codec(z.int(), z.date(), {
  decode: ms => new Date(ms),
  encode: date => date.getTime(),
})

/** A UTC calendar day, `YYYY-MM-DD`. Days that do not exist (2026-02-30, the year 0) are refused. */
export const day = z.iso
  .date({ error: 'expected a day as YYYY-MM-DD' })
  .refine(text => !text.startsWith('0000'), { error: 'expected a day as YYYY-MM-DD' })
