import type { VelocityRule } from '@cobro/contracts'
import { columnsOf, mapRow, type Tx } from '@cobro/database'
import { isLink, isOpen, type Payable } from '../payables/payable.ts'
import type { BlockReason } from '../velocity-rules/block-payments.ts'
import { rulesBeforeCard } from '../velocity-rules/count-attempts.ts'
import { inForce, type PaymentBlockRow } from '../velocity-rules/payment-block-entity.ts'
import { subjectOf } from '../velocity-rules/velocity-subjects.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { openStatuses } from './payment-attempt-states.ts'

interface Beginning {
  schema: string
  idempotencyId: string | undefined
  address_digest: string | null
  now: Date
}

interface Found {
  merchant_status: string | null
  block_id: PaymentBlockRow['id'] | null
  block_rule: VelocityRule
  block_max: number
  block_window: number
  block_ends_ms: number
}

/**
 * Finds what decides about a new attempt, in one statement: an earlier attempt with the same key, except one that failed, which
 * charged nothing; on an open session or link the attempt that runs or whose voucher can still be paid, of which there
 * is at most one; whether the merchant is disabled; and the block in force that ends last.
 */
export async function findCircumstances(tx: Tx, payable: Payable, beginning: Beginning) {
  const { schema, idempotencyId, now } = beginning
  const subjects = subjectsOf(payable, beginning)
  const rows = await tx.execute<(Found & object)[]>(statementOf(tx, schema, subjects.length), [
    ...[payable.merchant_id, ...subjects, now],
    ...[payable.payment_intent_id, `{${openStatuses.join(',')}}`, idempotencyId ?? null],
  ])
  const attempts = rows.flatMap(row => attemptOf(tx, row))
  const [found] = rows
  return {
    repeated: attempts.find(attempt => idempotencyId !== undefined && attempt.idempotency_id === idempotencyId),
    open: isOpen(payable) ? attempts.find(({ status }) => openStatuses.includes(status)) : undefined,
    disabled: found?.merchant_status === 'disabled',
    block: found && blockOf(found),
  }
}

/** Returns whose blocks refuse the attempt. A link knows by itself whether it is blocked, also by the previous release. */
function subjectsOf(payable: Payable, { address_digest, now }: Beginning): string[] {
  const { id: payable_id, merchant_id } = payable
  const counted = { payable_id, merchant_id, address_digest, card_fingerprint: null }
  const subjects = new Set(rulesBeforeCard.flatMap(rule => subjectOf(rule, counted) ?? []))
  if (isLink(payable) && !(payable.blocked_until && payable.blocked_until > now)) subjects.delete(payable_id)
  return [...subjects]
}

/** The statement has a place for each subject. */
function statementOf(tx: Tx, schema: string, subjects: number): string {
  const attempt = columnsOf(tx, PaymentAttemptEntity).map((column, at) => `attempt.${column} as c${at}`)
  const places = Array.from({ length: subjects }, () => '?').join(', ')
  return `
    select merchant.status as merchant_status, block.id as block_id, block.rule as block_rule, block.max_attempts as block_max,
      block.window_seconds as block_window, (extract(epoch from block.ends_at) * 1000)::float8 as block_ends_ms,
      ${attempt.join(', ')}
    from (select) one
    left join ${schema}.merchants merchant on merchant.id = ?
    left join lateral (
      select * from ${schema}.payment_blocks where subject in (${places}) and ${inForce} order by ends_at desc limit 1
    ) block on true
    left join ${schema}.payment_attempts attempt
      on attempt.payment_intent_id = ? and (attempt.status = any(?) or (attempt.status <> 'failed' and attempt.idempotency_id = ?))`
}

/** Returns the attempt in a row, if it has one. Its columns have numbers, because the other tables have columns of the same names. */
function attemptOf(tx: Tx, row: object): PaymentAttemptRow[] {
  const values = row as Record<string, unknown>
  const columns = columnsOf(tx, PaymentAttemptEntity).map((column, at) => [column.slice(1, -1), values[`c${at}`]])
  const data = Object.fromEntries(columns)
  return data.payment_intent_id === null ? [] : [mapRow(tx, PaymentAttemptEntity, data)]
}

function blockOf({ block_id, block_rule, block_max, block_window, block_ends_ms }: Found): BlockReason | undefined {
  if (block_id === null) return undefined
  return {
    ...{ id: block_id, rule: block_rule, max_attempts: block_max, window_seconds: block_window },
    ends_at: new Date(block_ends_ms),
  }
}
