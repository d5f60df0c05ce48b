import { ApiError } from '@cobro/contracts'

/** No usable response, and no money moved. The message names the failure, but no exchanged data. */
export class AcquirerUnavailable extends Error {
  constructor(reason: string) {
    super(`The acquirer returned no usable response: ${reason}.`)
    this.name = 'AcquirerUnavailable'
  }
}

/** The acquirer could not decrypt or parse a card, or the card was not encrypted for this payment. */
export class UnreadableCard extends Error {
  constructor() {
    super('The acquirer did not accept the encrypted card.')
    this.name = 'UnreadableCard'
  }
}

/** A notification with a valid signature does not match its schema. */
export class UnreadableNotification extends Error {
  constructor() {
    super('The acquirer signed a notification that cannot be read.')
    this.name = 'UnreadableNotification'
  }
}

/** Throws `AcquirerUnavailable` as the API error `unavailable`, and any other error as it is. */
export function rejectUnavailable(error: unknown): never {
  throw error instanceof AcquirerUnavailable ? new ApiError('unavailable', undefined, { cause: error }) : error
}
