import { ApiError, type DeclineReason, declineReasons } from '@cobro/contracts'

/** Reasons that would show a thief what the issuer knows. The transaction has the true reason. */
const hiddenReasons = new Set<DeclineReason>(['lost_card', 'stolen_card', 'suspected_fraud'])

/** Returns the 402 for a declined payment. A hidden or unknown reason becomes `card_declined`. */
export function decline402(reason: string | null): ApiError {
  const known = declineReasons.find(one => one === reason)
  return new ApiError(known === undefined || hiddenReasons.has(known) ? 'card_declined' : known)
}
