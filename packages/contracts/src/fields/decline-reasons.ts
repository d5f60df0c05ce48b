/**
 * Why an issuer declines a card: the error codes of a 402.
 * The hosted page shows `lost_card`, `stolen_card` and `suspected_fraud` to the payer as `card_declined`.
 */
export const declineReasons = [
  'card_declined',
  'do_not_honor',
  'call_issuer',
  'insufficient_funds',
  'expired_card',
  'incorrect_number',
  'incorrect_cvc',
  'lost_card',
  'stolen_card',
  'restricted_card',
  'transaction_not_allowed',
  'card_not_supported',
  'limit_exceeded',
  'suspected_fraud',
  'issuer_not_available',
] as const

export type DeclineReason = (typeof declineReasons)[number]
