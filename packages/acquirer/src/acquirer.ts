import type {
  ChargeOutcome,
  KeyNotFound,
  KeyReversed,
  RefundOutcome,
  Voucher,
  VoucherOutcome,
} from './acquirer-outcomes.ts'
import type { CardPayment, CardToken, ChargeBody, EncryptionKey, VoucherBody } from './acquirer-wire.ts'
import type { DisputeState } from './notification-wire.ts'

/**
 * A charge of one card token. `key` is the acquirer's idempotency key: one per attempt, 1 to 255
 * visible ASCII characters.
 */
export interface ChargeRequest extends ChargeBody {
  key: string
}

/** A refund of a charge or of a paid voucher. `key` is the refund's own. */
type RefundRequest = { key: string; amount_cents: number; currency: string } & (
  | { charge_key: string; voucher_key?: undefined }
  | { voucher_key: string; charge_key?: undefined }
)

/** A voucher to issue. `key` is the voucher's own. */
export interface VoucherRequest extends VoucherBody {
  key: string
}

/**
 * A verified notification. It contains the state that `findCharge` and its like would return,
 * so that the same code handles both. Notifications arrive at least once and in any order: deduplicate them by `id`,
 * and expect the end of a dispute before its beginning. `of: 'unknown'` is a type that this release does not know.
 */
export type AcquirerNotification = { id: string; created_at: Date } & (
  | { of: 'charge'; key: string; outcome: ChargeOutcome }
  | { of: 'refund'; key: string; outcome: RefundOutcome }
  | { of: 'voucher'; key: string; outcome: Voucher }
  | { of: 'dispute'; dispute: DisputeState }
  | { of: 'unknown'; type: string }
)

/** The headers of a request, in Node's format. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * The operations that Cobro needs from an acquirer; `httpAcquirer` implements them over HTTP.
 * Card numbers never pass through here: cards arrive encrypted to the acquirer's own key.
 *
 * Charges, refunds and vouchers follow one pattern, each with its own keys. The request that creates one is sent once
 * per key; a caller that does not know its outcome uses the `find…` function. None throws on a network failure:
 * `failed` means that the acquirer surely did not take the request, and an unclear response ends as `processing` or
 * `not_found`, which both leave the outcome unknown. `find…` and the function that ends a key may be repeated; they
 * return `processing` while the acquirer is unreachable.
 */
export interface Acquirer {
  /** Returns the key to which browsers encrypt cards. Throws `AcquirerUnavailable` without one. */
  encryptionKey(): Promise<EncryptionKey>
  /**
   * Exchanges an encrypted card for a token, the card's displayable parts and its fingerprint, which recognizes the card
   * number and is undefined if the acquirer answers none. Moves no money. The
   * same card for the same attempt gets the same token. Throws `UnreadableCard` if the acquirer cannot read it or it was
   * not encrypted for this payment, `AcquirerUnavailable` without a usable response.
   */
  tokenize(jwe: string, payment: CardPayment): Promise<CardToken>

  /** Charges a token. */
  charge(request: ChargeRequest): Promise<ChargeOutcome | KeyNotFound>
  /** Returns the outcome of a charge. */
  findCharge(key: string): Promise<ChargeOutcome | KeyNotFound>
  /** Ends the key of a charge that never happened, or returns the outcome of the charge. */
  reverseCharge(key: string): Promise<ChargeOutcome | KeyReversed>

  /** Refunds a payment. Its refunds together never exceed it, whatever number of keys they use. */
  refund(request: RefundRequest): Promise<RefundOutcome | KeyNotFound>
  /** Returns the outcome of a refund. */
  findRefund(key: string): Promise<RefundOutcome | KeyNotFound>
  /** Ends the key of a refund that never happened, or returns the outcome of the refund. */
  reverseRefund(key: string): Promise<RefundOutcome | KeyReversed>

  /** Issues a voucher. */
  issueVoucher(request: VoucherRequest): Promise<VoucherOutcome | KeyNotFound>
  /** Returns the state of a voucher. */
  findVoucher(key: string): Promise<VoucherOutcome | KeyNotFound>
  /** Withdraws a voucher; if that is too late, returns its state. Ends a key without a voucher. */
  withdrawVoucher(key: string): Promise<VoucherOutcome | KeyReversed>

  /**
   * Verifies and parses a notification. `rawBody` is the request's body, byte for byte.
   * Returns undefined without a valid signature: answer 401 without a reason. Throws `AcquirerUnavailable` if it cannot
   * be checked now, and `UnreadableNotification` if a signed body is invalid: answer no 2xx, so that the acquirer retries.
   */
  readNotification(rawBody: Uint8Array, headers: Headers): Promise<AcquirerNotification | undefined>
}
