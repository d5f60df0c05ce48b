import type { ChargeResponse, SandboxTestCard } from '@cobro/acquirer'
import { passesLuhn } from '@cobro/contracts'

/** The outcome of a card's charges. Response codes are from ISO 8583. */
export interface Scenario {
  status: Exclude<ChargeResponse['status'], 'processing'>
  response_code: string
  risk_score: number | null
  /** Whether the response is sent at once, late, or never, although the charge is made. */
  answer: 'prompt' | 'slow' | 'cut'
  /** Whether the cardholder disputes the charge later. */
  disputed: boolean
}

const approved: Scenario = {
  status: 'approved',
  response_code: '00',
  risk_score: 10,
  answer: 'prompt',
  disputed: false,
}
const declined = (response_code: string): Scenario => ({ ...approved, status: 'declined', response_code })

/** The outcome of a charge by the behavior of its card. */
export const scenarios = {
  approved,
  declined: declined('21'),
  insufficient_funds: declined('51'),
  expired: declined('54'),
  incorrect_number: declined('14'),
  incorrect_cvc: declined('N7'),
  unsupported: declined('31'),
  do_not_honor: declined('05'),
  call_issuer: declined('01'),
  lost_card: declined('41'),
  stolen_card: declined('43'),
  restricted_card: declined('62'),
  not_allowed: declined('57'),
  limit_exceeded: declined('61'),
  issuer_not_available: declined('91'),
  suspected_fraud: { ...declined('59'), risk_score: 95 },
  processing_error: { ...approved, status: 'failed', response_code: '96', risk_score: null },
  slow: { ...approved, answer: 'slow' },
  cut: { ...approved, answer: 'cut' },
  disputed: { ...approved, disputed: true },
  /** Its charges are approved and all their refunds fail. */
  unrefundable: approved,
} satisfies Record<string, Scenario>

export type CardBehavior = keyof typeof scenarios

/** The documented test cards. Others that have a brand are approved. */
const testCards: Readonly<Record<string, CardBehavior>> = {
  '4242424242424242': 'approved',
  '5555555555554444': 'approved',
  '378282246310005': 'approved',
  '4000000000000002': 'declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired',
  '4000000000000127': 'incorrect_cvc',
  '4000000000001018': 'do_not_honor',
  '4000000000001026': 'call_issuer',
  '4000000000009987': 'lost_card',
  '4000000000009979': 'stolen_card',
  '4000000000001034': 'restricted_card',
  '4000000000001042': 'not_allowed',
  '4000000000001059': 'limit_exceeded',
  '4000000000001067': 'issuer_not_available',
  '4000000000000119': 'processing_error',
  '4100000000000019': 'suspected_fraud',
  '4000000000000259': 'disputed',
  '4000000000005126': 'unrefundable',
  '4000000000000341': 'slow',
  '4000000000006975': 'cut',
  '4242424242424241': 'incorrect_number',
  '9999999999999995': 'unsupported',
}

/** Brands by number. The first match wins, so narrow patterns precede the wide ones around them. */
const brands: readonly (readonly [string, RegExp])[] = [
  ['amex', /^3[47]\d{13}$/],
  ['carnet', /^(?:286900|502275|506(?:199|[2-4]\d\d)|606333|627535|636318|636379|639388|639484|639559)\d{10}$/],
  ['diners', /^3[0689]\d{12}$/],
  ['jcb', /^35\d{14}$/],
  ['visa', /^4(?:\d{15}|\d{18})$/],
  ['mastercard', /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/],
  ['discover', /^6(?:011|4[4-9]\d|5\d\d)(?:\d{12}|\d{15})$/],
  ['unionpay', /^62\d{14,17}$/],
  ['maestro', /^(?:5[0678]|6\d)\d{14,17}$/],
]

/** Returns the brand of a complete card number, or undefined if no brand matches. */
export function brandOfNumber(number: string): string | undefined {
  return brands.find(([, pattern]) => pattern.test(number))?.[0]
}

/** Returns the behavior of a card. Any security code of three or four digits is correct. */
export function cardBehavior(card: { number: string; cvc: string }): CardBehavior {
  if (!passesLuhn(card.number)) return 'incorrect_number'
  if (!brandOfNumber(card.number)) return 'unsupported'
  if (!/^\d{3,4}$/.test(card.cvc)) return 'incorrect_cvc'
  return testCards[card.number] ?? 'approved'
}

/** Returns the documented test cards with what becomes of their charges. */
export function listTestCards(): SandboxTestCard[] {
  return Object.entries(testCards).map(([number, behavior]) => {
    const { status, response_code, answer, disputed }: Scenario = scenarios[behavior]
    const refundable = behavior !== 'unrefundable'
    return { number, brand: brandOfNumber(number) ?? null, status, response_code, answer, disputed, refundable }
  })
}
