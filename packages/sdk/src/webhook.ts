import { brandOf, CobroError } from './transport/cobro-error.ts'

/** The headers of a request in Node, Express or the Fetch API. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Why verification failed. The codes are stable. */
export type WebhookVerificationErrorCode =
  /** A required header is missing or repeated. */
  | 'header_missing'
  /** The timestamp is not a Unix time in whole seconds. */
  | 'timestamp_invalid'
  /** The timestamp is outside the tolerance: a replayed webhook or a wrong clock. */
  | 'timestamp_out_of_tolerance'
  /** No signature matches this secret and these bytes. */
  | 'signature_mismatch'
  /** The signature is valid, but the body is not an event in JSON. */
  | 'body_invalid'

/** Thrown for a webhook that cannot be trusted. Answer 400 and ignore its content. */
export class WebhookVerificationError extends CobroError {
  static override readonly brand: symbol = brandOf('WebhookVerificationError')
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, detail: string) {
    super(`${code}: ${detail}`)
    this.code = code
  }
}
