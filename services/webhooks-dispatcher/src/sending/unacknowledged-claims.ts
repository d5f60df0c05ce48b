/**
 * Claims without a reply from the database, which may have leased deliveries that no process sends. They
 * are requeued before anything else is claimed, and again when they cannot be committed any more.
 */
export interface UnacknowledgedClaims {
  add(claimId: string): void
  /** Whether a claim may still be committed. */
  some(): boolean
  /** Requeues the claims whose time has come. A failed one keeps its time. */
  requeueDue(): Promise<void>
}

/** Longer than a statement can take. */
const mayCommitForMs = 25_000

/** Creates an empty list. `now` is the clock, in ms. */
export function unacknowledgedClaims(
  requeue: (claimId: string) => Promise<void>,
  now = () => performance.now(),
): UnacknowledgedClaims {
  /** When each claim is requeued for the last time; undefined until it is requeued once. */
  const claims = new Map<string, number | undefined>()
  return {
    add: claimId => void claims.set(claimId, undefined),
    some: () => claims.size > 0,
    requeueDue: async () => {
      for (const [id, requeueAt] of claims) {
        if (requeueAt !== undefined && now() < requeueAt) continue
        await requeue(id)
        if (requeueAt === undefined) claims.set(id, now() + mayCommitForMs)
        else claims.delete(id)
      }
    },
  }
}
