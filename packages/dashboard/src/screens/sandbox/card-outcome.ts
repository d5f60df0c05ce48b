import type { TestCard } from '@cobro/sdk/admin'
import type { paymentTexts } from '../../text/payment-texts.ts'
import type { sandboxTexts } from '../../text/sandbox-texts.ts'

type Reasons = (typeof paymentTexts)['es']['reasons']

/** Returns what becomes of a payment with a test card, in words. */
export function cardOutcome(
  card: Omit<TestCard, 'number' | 'brand'>,
  texts: (typeof sandboxTexts)['es'],
  reasons: Reasons,
): string {
  const { status, decline_reason, answer, disputed, refundable } = card
  return [
    texts.outcomes[status],
    status === 'declined' && reasons[decline_reason ?? 'card_declined'],
    answer !== 'prompt' && texts.answers[answer],
    disputed && texts.disputed,
    !refundable && texts.notRefundable,
  ]
    .filter(Boolean)
    .join(' ')
}
