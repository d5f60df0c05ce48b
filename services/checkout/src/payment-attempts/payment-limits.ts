/** The number of declines after which a session is cancelled and a link is blocked for a while. */
export const declineLimit = 10

/** How long a link rejects payments after too many declines. */
export const blockedMs = 15 * 60_000

/** The deadline of a charge command: transactions rejects a later one without charging. */
export const deadlineMs = 20_000

/** How long after its deadline a running attempt is resolved by asking transactions. */
export const resolveDelayMs = 10_000

/** How long the payer's call waits for the outcome. Later, the page reads it from the session. */
export const responseTimeoutMs = 25_000
