import { passesLuhn } from '@cobro/contracts'

/** How a charge of a card goes. Response codes are ISO 8583's. */
export interface Course {
  status: 'approved' | 'declined' | 'failed'
  response_code: string
  risk_score: number | null
  /** Whether the caller is answered at once, late, or not at all though the charge was taken. */
  answer: 'prompt' | 'slow' | 'cut'
  /** Whether the cardholder disputes the charge some time later. */
  disputed: boolean
}

const approved: Course = { status: 'approved', response_code: '00', risk_score: 10, answer: 'prompt', disputed: false }
const declined = (response_code: string): Course => ({ ...approved, status: 'declined', response_code })

/** Every behaviour that a card can have, and what it does to a charge. */
export const courses = {
  approved,
  declined: declined('21'),
  insufficient_funds: declined('51'),
  expired: declined('54'),
  incorrect_number: declined('14'),
  incorrect_cvc: declined('N7'),
  unsupported: declined('31'),
  suspected_fraud: { ...declined('59'), risk_score: 95 },
  processing_error: { ...approved, status: 'failed', response_code: '96', risk_score: null },
  slow: { ...approved, answer: 'slow' },
  cut: { ...approved, answer: 'cut' },
  disputed: { ...approved, disputed: true },
  /** Its charge goes through, and no refund of it ever does. */
  unrefundable: approved,
} satisfies Record<string, Course>

export type Behaviour = keyof typeof courses

/** The documented test cards that do not simply go through. */
const testCards: Readonly<Record<string, Behaviour>> = {
  '4000000000000002': 'declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
  '4100000000000019': 'suspected_fraud',
  '4000000000000259': 'disputed',
  '4000000000005126': 'unrefundable',
  '4000000000000341': 'slow',
  '4000000000006975': 'cut',
}

/** The first pattern that fits wins, so narrow ones stand before the wide ones that hold them. */
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

/** The brand of a complete number, or undefined where none of ours has such numbers. */
export function brandOfNumber(number: string): string | undefined {
  return brands.find(([, pattern]) => pattern.test(number))?.[0]
}

/** How a card is going to behave. The sandbox knows no real security codes: any of three or four digits is right. */
export function behaviourOf(card: { number: string; cvc: string }): Behaviour {
  if (!passesLuhn(card.number)) return 'incorrect_number'
  if (!brandOfNumber(card.number)) return 'unsupported'
  if (!/^\d{3,4}$/.test(card.cvc)) return 'incorrect_cvc'
  return testCards[card.number] ?? 'approved'
}
