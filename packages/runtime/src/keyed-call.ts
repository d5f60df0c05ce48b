/** A call repeatable with its Idempotency-Key: all calls with the same `id` take effect once. */
export interface KeyedCall {
  /** The hash of the key within its scope: the merchant or caller, the method and the path. */
  id: string
  /** The SHA-256 of the raw body. The same key with another hash is another call, no repetition. */
  body_hash: string
  /**
   * When the key is leased, if the effect calls another system and so cannot share a transaction with the answer: at once, or in
   * the transaction of the call's first write. Before that the call must do nothing that may not be repeated.
   */
  lease: 'at_once' | 'with_first_write' | undefined
  /** Whether the answer is stored encrypted. */
  secret: boolean
}

/** The HTTP response to a call: its status and JSON body. */
export interface HttpAnswer {
  status: number
  body: string
  /** Further headers. They are not stored with the answer to a call with an Idempotency-Key. */
  headers?: Record<string, string>
  /** Whether the transaction of the effect has stored it with the Idempotency-Key. */
  isStored?: boolean
}

/** Carries out the calls of a service that have an Idempotency-Key. */
export interface Idempotency {
  /**
   * Carries out a call once and returns its answer, new or replayed. May be repeated if it throws.
   * Throws `idempotency_mismatch` (422) for a key used with another body or, if the response contains a secret, by
   * another caller; `conflict` (409) while the first call runs.
   */
  once(call: KeyedCall, carryOut: () => Promise<HttpAnswer>): Promise<HttpAnswer & { replayed: boolean }>
}
