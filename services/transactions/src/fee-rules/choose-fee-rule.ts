/** What a rule says about the payments that it is for: null fits all. */
export interface RuleScope {
  id: string
  rail?: string | null
  payment_method?: string | null
  card_brand?: string | null
  currency?: string | null
  priority: number
  active: boolean
  valid_from?: Date | null
  /** The first moment at which it no longer holds. */
  valid_to?: Date | null
  created_at: Date
}

/** What is asked of a payment to find its rule. */
export interface Charged {
  rail: string
  payment_method: string
  card_brand: string | null
  currency: string
  captured_at: Date
}

const criteria = ['rail', 'payment_method', 'card_brand', 'currency'] as const

/** The rule of a payment: the one that names most about it, then the higher priority, then the newest. Undefined where none fits. */
export function chooseFeeRule<R extends RuleScope>(rules: readonly R[], charged: Charged): R | undefined {
  return rules.filter(rule => fits(rule, charged)).toSorted(closestFirst)[0]
}

function fits(rule: RuleScope, charged: Charged): boolean {
  const { active, valid_from, valid_to } = rule
  if (!active) return false
  if (valid_from && charged.captured_at < valid_from) return false
  if (valid_to && charged.captured_at >= valid_to) return false
  return criteria.every(name => rule[name] == null || rule[name] === charged[name])
}

function closestFirst(a: RuleScope, b: RuleScope): number {
  const named = namesOf(b) - namesOf(a)
  if (named !== 0) return named
  if (a.priority !== b.priority) return b.priority - a.priority
  const newer = b.created_at.getTime() - a.created_at.getTime()
  // Ids of one millisecond still have an order, so that the choice is always the same.
  return newer !== 0 ? newer : b.id < a.id ? -1 : 1
}

function namesOf(rule: RuleScope): number {
  return criteria.filter(name => rule[name] != null).length
}
