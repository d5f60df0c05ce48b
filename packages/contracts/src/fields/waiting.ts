import { z } from 'zod'

/** The longest time that a call waits, in seconds. The gateway and proxies wait for longer. */
const maxWait = 20

/** How long a call waits if there is nothing to return: whole seconds as text in a query, a number in code. */
export const waitSeconds = z
  .string()
  .regex(/^\d{1,2}$/, { error: `expected a number of seconds up to ${maxWait}` })
  .transform(Number)
  .refine(seconds => seconds <= maxWait, { error: `expected at most ${maxWait} seconds` })
  .describe(`How many seconds to wait if there is nothing to return; at most ${maxWait}, by default 0.`)

/** A position after which to read: that of the page before, or `latest` for the newest. */
export const positionOrLatest = z.union(
  [
    z.literal('latest'),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ],
  { error: 'expected a position or latest' },
)
