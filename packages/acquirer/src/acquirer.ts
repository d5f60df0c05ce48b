import type { DeclineReason } from '@cobro/contracts'
import type { CardToken, ChargeBody, EncryptionKey, VoucherBody } from './acquirer-wire.ts'
import type { Notice } from './notice.ts'

/**
 * What a charge came to. `processing` means that nobody can say yet, the acquirer or we: ask again later.
 * `failed` means that no money moved and none will under this key.
 */
export interface Outcome {
  status: 'approved' | 'declined' | 'failed' | 'processing'
  /** The acquirer's own name for the charge; null where it never gave one. */
  acquirer_reference: string | null
  decline_reason?: DeclineReason | null
  /** 0 (harmless) to 100 (fraud), where the acquirer scores. */
  risk_score?: number | null
}

/** Why a refund failed. `unsupported`: the acquirer cannot pay this back at all, somebody has to do it by hand. */
export const refundFailures = ['refused', 'not_refundable', 'already_refunded', 'unsupported'] as const

export type RefundFailure = (typeof refundFailures)[number]

/**
 * What a refund came to. `processing` means that it was accepted and is not confirmed, or that nobody can say: both are
 * ended by a notice or by asking again. `failed` means that no money went back and none will under this key.
 */
export interface RefundOutcome {
  status: 'processing' | 'completed' | 'failed'
  /** The acquirer's own name for the refund; null where it never gave one, and then nobody knows that it was accepted. */
  acquirer_reference: string | null
  /** Null where a refund failed for a technical reason: another key may do. */
  failure_reason?: RefundFailure | null
}

/** A voucher. `paid` may follow upon `expired` and `withdrawn`: a counter that was late with its report, and money all the same. */
export interface Voucher {
  status: 'pending' | 'paid' | 'expired' | 'withdrawn'
  /** What the payer says at the counter, and the acquirer's name for the voucher. */
  reference: string
  /** What a Code 128 symbol is to hold. */
  barcode: string
  amount_cents: number
  currency: string
  due_at: Date
  paid_at: Date | null
}

/** What issuing a voucher came to. `processing`: nobody can say. `failed`: there is none, and there will be none under this key. */
export type VoucherOutcome = Voucher | { status: 'processing' | 'failed' }

/** The acquirer does not know the key. That proves nothing: the request may still be on its way. Only a reversal ends it. */
export interface NotFound {
  status: 'not_found'
}

/** The key came to nothing, and from now on the acquirer refuses it for good. */
export interface Reversed {
  status: 'reversed'
}

/** A charge of one card token. `key` is the acquirer's idempotency key: one per attempt, 1 to 255 visible ASCII characters. */
export interface ChargeRequest extends ChargeBody {
  key: string
}

/** A refund of what a charge took or a voucher brought in. `key` is the refund's own. */
export type RefundRequest = { key: string; amount_cents: number; currency: string } & (
  | { charge_key: string; voucher_key?: undefined }
  | { voucher_key: string; charge_key?: undefined }
)

/** A voucher to be issued. `key` is the voucher's own. */
export interface VoucherRequest extends VoucherBody {
  key: string
}

/** The headers of a request as Node gives them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * What Cobro asks of an acquirer. `httpAcquirer` speaks to one over HTTP; another adapter is another object of this shape.
 * Nothing here ever sees a card number: cards come encrypted to the acquirer's own key.
 *
 * Charges, refunds and vouchers follow one pattern, each with keys of its own. The call that begins one is made once per
 * key; whoever does not know what became of it asks the `find` of its kind. None of these throws for what the network does:
 * what surely was not taken is `failed`, and an unclear answer ends as `processing` or `not_found`, which both leave the
 * outcome unknown. `find` and the call that ends a key may be repeated, and leave it `processing` where the acquirer cannot be asked.
 */
export interface Acquirer {
  /** The public key that browsers encrypt cards to. Throws `AcquirerAway` where none is to be had. */
  encryptionKey(): Promise<EncryptionKey>
  /**
   * Turns an encrypted card into a token and what may be shown of the card. Moves no money and judges nothing.
   * Throws `UnreadableCard` where the acquirer cannot decrypt or parse it, `AcquirerAway` where it gave no usable answer.
   */
  tokenize(jwe: string): Promise<CardToken>

  /** Charges a token. */
  charge(request: ChargeRequest): Promise<Outcome | NotFound>
  /** Asks what a charge's key came to. */
  find(key: string): Promise<Outcome | NotFound>
  /** Ends a charge's key that came to nothing, or says what it came to. */
  reverse(key: string): Promise<Outcome | Reversed>

  /** Gives money back. All refunds of a payment together never exceed it, under however many keys. */
  refund(request: RefundRequest): Promise<RefundOutcome | NotFound>
  /** Asks what a refund's key came to. */
  findRefund(key: string): Promise<RefundOutcome | NotFound>
  /** Ends a refund's key that came to nothing, or says what it came to. */
  reverseRefund(key: string): Promise<RefundOutcome | Reversed>

  /** Issues a voucher. */
  voucher(request: VoucherRequest): Promise<VoucherOutcome | NotFound>
  /** Asks what a voucher's key came to. */
  findVoucher(key: string): Promise<VoucherOutcome | NotFound>
  /** Withdraws a voucher, or says what it came to before; ends a key under which none was issued. */
  withdrawVoucher(key: string): Promise<VoucherOutcome | Reversed>

  /**
   * Reads what the acquirer tells on its own accord: `rawBody` is the request's body, byte for byte. Gives undefined for what
   * is not surely the acquirer's, without a reason: answer 401. Throws `AcquirerAway` where that cannot be found out now, and
   * `UnreadableNotice` for what is the acquirer's and still cannot be understood: answer neither with a 2xx, so that it is told again.
   */
  readNotice(rawBody: Uint8Array, headers: Headers): Promise<Notice | undefined>
}

/** The acquirer gave no usable answer, and nothing that matters has happened. The message names the failure, never what was sent. */
export class AcquirerAway extends Error {
  constructor(reason: string) {
    super(`The acquirer gave no usable answer: ${reason}.`)
    this.name = 'AcquirerAway'
  }
}

/** The acquirer could not decrypt or parse a card. */
export class UnreadableCard extends Error {
  constructor() {
    super('The acquirer could not read the encrypted card.')
    this.name = 'UnreadableCard'
  }
}

/** The acquirer signed a notice that does not fit what it promised to send. */
export class UnreadableNotice extends Error {
  constructor() {
    super('The acquirer signed a notice that cannot be read.')
    this.name = 'UnreadableNotice'
  }
}
