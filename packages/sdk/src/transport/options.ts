/** What hooks are given about an attempt: no ids, no query and no data. */
export interface Attempt {
  /** The operation, as the API description names it. */
  operationId: string
  /** The path with names in place of ids, such as `/api/transactions/{id}`. */
  path: string
  /** 1 for the first attempt. */
  attempt: number
}

/** What hooks are given about a response. */
export interface AttemptAnswered extends Attempt {
  status: number
  requestId: string | undefined
  durationMs: number
}

/** What hooks are given before a further attempt. */
export interface AttemptRepeated extends Attempt {
  /** The pause before the next attempt. */
  delayMs: number
  /** Why the attempt failed. Unlike the rest, it has details, such as the idempotency key. */
  error: Error
}

/** How calls are sent. */
export interface TransportOptions {
  /** The address of the deployment, such as `https://pay.example.com`. */
  baseUrl: string
  /** In place of the global `fetch`. */
  fetch?: typeof fetch
  /** Headers of each call, such as `traceparent`. They do not replace those of the SDK. */
  headers?: () => Readonly<Record<string, string>>
  /** The time limit of an attempt. By default 35,000: the gateway sends a 504 after 30 s. */
  timeoutMs?: number
  /** The time limit of a call with all its attempts and pauses. By default 120,000. */
  deadlineMs?: number
  /** How often a failed call is repeated, where that is safe. By default 2. */
  maxRetries?: number
  /** What hooks throw is ignored: they must not change the outcome of a call. */
  onRequest?: (attempt: Attempt) => void
  onResponse?: (attempt: AttemptAnswered) => void
  onRetry?: (attempt: AttemptRepeated) => void
}

/** What one call may set. */
export interface CallOptions extends Pick<TransportOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries'> {
  /** Aborts the call. */
  signal?: AbortSignal
}

/** What a call that changes something may set. */
export interface WriteOptions extends CallOptions {
  /**
   * Derive it from your order, so that a repetition after a crash of your program has no second effect either.
   * By default a random one, the same for all attempts of the call.
   */
  idempotencyKey?: string
}

/** What the call of a list may set. */
export interface ListOptions extends CallOptions {
  /** After how many rows the iteration ends. By default never. */
  maxItems?: number
}
