import type { Operation } from '@cobro/contracts'

/** Which calls of operators need the approval of a second operator. */
export interface DualControl {
  /** Above which amount those do that move money, in hundredths of the currency. */
  limitCents: number
}

interface DualControlSettings {
  COBRO_ENV: 'sandbox' | 'production'
  DUAL_CONTROL?: 'on' | 'off' | undefined
  DUAL_CONTROL_CENTS: number
}

/** Returns the dual control of a deployment: by default on in production. Undefined if no call needs an approval. */
export function dualControlOf(settings: DualControlSettings): DualControl | undefined {
  const { COBRO_ENV, DUAL_CONTROL = COBRO_ENV === 'production' ? 'on' : 'off', DUAL_CONTROL_CENTS } = settings
  return DUAL_CONTROL === 'on' ? { limitCents: DUAL_CONTROL_CENTS } : undefined
}

/** The amount that a call moves. */
export interface MovedAmount {
  amount_cents: number
  currency: string
}

interface AmountRule {
  /** The object whose amount the call moves. Its id is in the answer. */
  of: 'transaction' | 'settlement'
  /** The status that the call sets; calls that set another one, or none, move nothing out. */
  status?: string
}

/** The operations that need an approval above the limit, by id. */
export const amountRules: Readonly<Record<string, AmountRule>> = {
  createTransaction: { of: 'transaction' },
  updateTransaction: { of: 'transaction', status: 'approved' },
  deleteTransaction: { of: 'transaction' },
  createSettlement: { of: 'settlement' },
  updateSettlement: { of: 'settlement', status: 'paid' },
}

type Ruled = Pick<Operation, 'id' | 'approval'>

/** Returns whether a call may need an approval, by what is known before it is carried out. */
export function mayNeedApproval({ id, approval }: Ruled, body: unknown): boolean {
  if (approval !== 'above_limit') return approval === 'always'
  const rule = amountRules[id]
  if (!rule) throw new Error(`${id} has no amount to compare with the limit.`)
  return rule.status === undefined || rule.status === statusIn(body)
}

/** Returns whether a call that may need an approval needs one. */
export function needsApproval({ approval }: Ruled, moved: MovedAmount | undefined, limitCents: number): boolean {
  return approval === 'always' || (moved !== undefined && moved.amount_cents > limitCents)
}

function statusIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined
}
