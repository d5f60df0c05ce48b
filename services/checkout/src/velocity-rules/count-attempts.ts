import type { VelocityRule } from '@cobro/contracts'
import type { Statement } from '@cobro/database'
import { inForce } from './payment-block-entity.ts'
import type { VelocityLimits } from './velocity-settings.ts'
import { type Counted, subjectOf } from './velocity-subjects.ts'

/** An attempt that is stored as `running`. */
export interface CountedAttempt extends Counted {
  payment_intent_id: string
  created_at: Date
}

/** What a rule counts: the attempt itself included, except for declines. */
export interface RuleCount {
  rule: VelocityRule
  count: number
}

/** The rules before a card's token is asked for, and those after it, by when the card is known. */
export const rulesBeforeCard = [
  'payable_attempts',
  'address_attempts',
  'address_declines',
  'merchant_attempts',
] as const satisfies VelocityRule[]
export const rulesOfCard = ['card_attempts'] as const satisfies VelocityRule[]

type CountedRule = (typeof rulesBeforeCard | typeof rulesOfCard)[number]

/**
 * Returns the statement that counts for the rules whose subject is known, if there is any. The attempt has to be committed, and
 * every attempt counts itself: of any number that begin at the same time, the last one to commit sees all others, so no more than
 * the limit pass. No row is locked for that, and an approved payment writes nothing.
 */
export function countStatement(
  schema: string,
  limits: VelocityLimits,
  rules: readonly CountedRule[],
  attempt: CountedAttempt,
): Statement | undefined {
  const counts = rules.flatMap(rule => {
    const subject = subjectOf(rule, attempt)
    return subject === undefined ? [] : [countOf(schema, limits, rule, subject, attempt)]
  })
  if (counts.length === 0) return undefined
  return { sql: counts.map(({ sql }) => sql).join(' union all '), params: counts.flatMap(({ params }) => params) }
}

/** Returns the first rule that blocks a payment: one with more attempts than its limit, or as many declines. */
export function exceededRule(limits: VelocityLimits, counts: readonly RuleCount[]): VelocityRule | undefined {
  return counts.find(({ rule, count }) => (rule === 'address_declines' ? count + 1 : count) > limits[rule].max)?.rule
}

/** An attempt that may yet be declined counts until it is not: honest payments are given back as they succeed. */
const undecided = `status in ('running', 'declined')`

/** The rows that a rule counts, with a place for the subject. */
const rows: Record<CountedRule, string> = {
  card_attempts: `card_fingerprint = ? and ${undecided}`,
  address_attempts: `address_digest = ? and ${undecided}`,
  address_declines: `address_digest = ? and status = 'declined'`,
  // By the primary key. Technical failures do not count, as they do not elsewhere; refused attempts do.
  payable_attempts: `payment_intent_id = ? and (status <> 'failed' or decline_reason = 'rate_limited')`,
  merchant_attempts: `merchant_id = ? and ${undecided}`,
}

function countOf(
  schema: string,
  limits: VelocityLimits,
  rule: CountedRule,
  subject: string,
  { payment_intent_id, created_at }: CountedAttempt,
): Statement {
  const { max, windowMs } = limits[rule]
  const since = new Date(created_at.getTime() - windowMs)
  const attempts = `${schema}.payment_attempts`
  const starts = [
    '?::timestamptz',
    `(select max(lifted_at) from ${schema}.payment_blocks where subject = ? and rule = '${rule}')`,
  ]
  const params: unknown[] = [rule === 'payable_attempts' ? payment_intent_id : subject, since, subject]
  if (rule === 'address_declines') {
    // An approval ends a row of declines.
    starts.push(
      `(select created_at from ${attempts} where address_digest = ? and status = 'approved' order by created_at desc limit 1)`,
    )
    params.push(subject)
  }
  // Counts no further than to what exceeds the limit.
  const counted = `select from ${attempts} where ${rows[rule]} and created_at > greatest(${starts.join(', ')}) limit ${max + 1}`
  if (rule !== 'card_attempts')
    return { sql: `select '${rule}' as rule, count(*)::int as count from (${counted}) ${rule}`, params }
  // Blocks of the others were read before the attempt began, when the card was not known.
  const blocked = `exists (select from ${schema}.payment_blocks where subject = ? and ${inForce})`
  return {
    sql: `select '${rule}' as rule, (case when ${blocked} then ${max + 1} else count(*) end)::int as count from (${counted}) ${rule}`,
    params: [subject, created_at, ...params],
  }
}
