/** How many declines a session takes before it is cancelled, and a link before it is blocked for a while. */
export const declineLimit = 10

/** How long a link that was declined too often takes no payment. */
export const blockedMs = 15 * 60_000

/** How long a charge command is good for: transactions does not charge on one that comes later. */
export const deadlineMs = 20_000

/** How long past its deadline an attempt may run before transactions is asked what became of it. */
export const resolveDelayMs = 10_000

/** How long the payer's call waits for the outcome. Past that the page learns it from the session. */
export const responseTimeoutMs = 25_000
