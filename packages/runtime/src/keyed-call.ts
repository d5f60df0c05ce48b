/** A call that its client may repeat with the same Idempotency-Key: all calls with the same `id` have their effect once. */
export interface KeyedCall {
  /** The hash of the key within its scope: the merchant or caller, the method and the path. */
  id: string
  /** The SHA-256 of the raw body. Another hash with the same key means another call, not a repetition. */
  body_hash: string
  /** Whether the effect needs a call to another system, so that it cannot share a transaction with the answer. */
  lease: boolean
  /** Whether the answer is stored encrypted. */
  secret: boolean
}

/** The HTTP response to a call: its status and JSON body. */
export interface HttpAnswer {
  status: number
  body: string
}

/** Carries out the calls of a service that have an Idempotency-Key. */
export interface Idempotency {
  /**
   * Carries out a call unless it was carried out before, and returns its answer, new or replayed. Throws
   * `idempotency_mismatch` (422) if the key was used with another body, and `conflict` (409) while the first call runs. A call
   * that throws may be repeated.
   */
  once(call: KeyedCall, carryOut: () => Promise<HttpAnswer>): Promise<HttpAnswer & { replayed: boolean }>
}
