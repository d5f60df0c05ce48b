/** A webhook's body: what happened, to which of your objects. */
export interface WebhookEvent<Data = Record<string, unknown>> {
  /** `evt_…`, the same for every endpoint and every attempt. */
  id: string
  object: 'event'
  /** Its name in the catalog, such as `payment.approved`. */
  event: string
  merchant_id: string
  /** ISO 8601, UTC. */
  created_at: string
  /** The transaction, session or link as it was then. */
  data: Data
}

/** The headers of a request, as Node or Express (`request.headers`) or the Fetch API (`request.headers`) hand them out. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Why a webhook was not taken for ours. The codes are stable. */
export type WebhookRefusal =
  /** A header that each webhook bears is missing, or came more than once. */
  | 'header_missing'
  /** The timestamp is no Unix time in whole seconds. */
  | 'timestamp_invalid'
  /** It was signed longer ago, or further ahead, than is tolerated: a recorded webhook, or a clock that is wrong. */
  | 'timestamp_out_of_tolerance'
  /** No signature was made with this secret over these very bytes. */
  | 'signature_mismatch'
  /** It was signed by us, and yet is no event in JSON. */
  | 'body_invalid'

/** Says that a webhook is not to be believed. Answer 400, and do nothing of what it says. */
export class WebhookRefused extends Error {
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal, detail: string) {
    super(`${code}: ${detail}`)
    this.name = 'WebhookRefused'
    this.code = code
  }
}
