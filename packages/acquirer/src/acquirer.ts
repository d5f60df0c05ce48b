import type { DeclineReason } from '@cobro/contracts'
import type { CardToken, ChargeBody, EncryptionKey } from './acquirer-wire.ts'

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

/** The acquirer does not know the key. That proves nothing: the charge may still be on its way. Only `reverse` ends it. */
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

/**
 * What Cobro asks of an acquirer. `httpAcquirer` speaks to one over HTTP; another adapter is another object of this shape.
 * Nothing here ever sees a card number: cards come encrypted to the acquirer's own key.
 */
export interface Acquirer {
  /** The public key that browsers encrypt cards to. Throws `AcquirerAway` where none is to be had. */
  encryptionKey(): Promise<EncryptionKey>
  /**
   * Turns an encrypted card into a token and what may be shown of the card. Moves no money and judges nothing.
   * Throws `UnreadableCard` where the acquirer cannot decrypt or parse it, `AcquirerAway` where it gave no usable answer.
   */
  tokenize(jwe: string): Promise<CardToken>
  /**
   * Charges a token. Called once per key: whoever does not know what became of the call asks `find`. Never throws for what
   * the network does: a charge that surely was not taken is `failed`, and an unclear answer ends as `processing` or
   * `not_found`, which both leave the outcome unknown.
   */
  charge(request: ChargeRequest): Promise<Outcome | NotFound>
  /** Asks what a key came to. An acquirer that cannot be asked leaves it `processing`. */
  find(key: string): Promise<Outcome | NotFound>
  /**
   * Ends a key that came to nothing, or says what it came to. May be repeated. An acquirer that cannot be asked leaves it
   * `processing`.
   */
  reverse(key: string): Promise<Outcome | Reversed>
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
