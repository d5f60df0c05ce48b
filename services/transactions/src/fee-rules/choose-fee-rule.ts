import type { FeeRuleRow } from './fee-rule-entity.ts'

/** The fields of a payment that a rule must match, unless the rule leaves them null. */
const criteria = ['rail', 'payment_method', 'card_brand', 'currency'] as const

type Criterion = (typeof criteria)[number]
type Charged = Record<Criterion, string | null> & { captured_at: Date }
/** Which payments a fee rule applies to, and when. `valid_to` is exclusive. */
export type RuleScope = Pick<
  FeeRuleRow,
  Criterion | 'id' | 'priority' | 'active' | 'valid_from' | 'valid_to' | 'created_at'
>

/** Returns the matching rule with the most criteria, then the highest priority, then the newest. */
export function chooseFeeRule<R extends RuleScope>(rules: readonly R[], charged: Charged): R | undefined {
  return rules.filter(rule => matches(rule, charged)).toSorted(bySpecificity)[0]
}

function matches(rule: RuleScope, charged: Charged): boolean {
  const { active, valid_from, valid_to } = rule
  if (!active) return false
  if (valid_from && charged.captured_at < valid_from) return false
  if (valid_to && charged.captured_at >= valid_to) return false
  return criteria.every(name => rule[name] == null || rule[name] === charged[name])
}

function bySpecificity(a: RuleScope, b: RuleScope): number {
  const specificity = countCriteria(b) - countCriteria(a)
  if (specificity !== 0) return specificity
  if (a.priority !== b.priority) return b.priority - a.priority
  const newer = b.created_at.getTime() - a.created_at.getTime()
  // Rules created in the same millisecond are ordered by id, so that the choice is deterministic.
  return newer !== 0 ? newer : b.id < a.id ? -1 : 1
}

function countCriteria(rule: RuleScope): number {
  return criteria.filter(name => rule[name] != null).length
}
