/** The number of declines after which a session is cancelled and a link is blocked for a while. */
export const declineLimit = 10

/** How long a link rejects payments after too many declines. */
export const blockedMs = 15 * 60_000
