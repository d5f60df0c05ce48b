import { type EventData, feeRules, type RowOf, sucursales, type Transaction } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'
import type { Database } from '../src/open-database.ts'
import { type Emit, eventMessage } from '../src/outbox.ts'
import { tenantRows } from '../src/tenant-rows.ts'

// Events and rows that must not compile. Each expectation that is no error any more fails the type check.

declare const db: Database
declare const emit: Emit
declare const transaction: Transaction
declare const row: Transaction & { acquirer_reference: string }
declare const session: Extract<EventData<'payment.cancelled'>, { line_items: unknown }>
declare const outcome: EventData<'payment_attempt.settled'>
declare const one: 'payment.approved' | 'checkout_session.completed'

const { fee_cents: _fee, ...withoutFee } = transaction
const { decline_reason, ...undecided } = outcome

/** A row with more columns than the event names compiles: its schema drops them. */
export const emitted = () => [
  emit('payment.approved', row),
  emit('payment.cancelled', session),
  eventMessage('payment_attempt.settled', outcome),
]

export const rejected = () => [
  // @ts-expect-error The row lacks a field of the event.
  emit('payment.approved', withoutFee),
  // @ts-expect-error A field is spelled wrongly.
  emit('payment_attempt.settled', { ...undecided, declined_reason: decline_reason }),
  // @ts-expect-error The event has a value that its enum does not contain.
  emit('payment_attempt.settled', { ...outcome, status: 'refused' as const }),
  // @ts-expect-error A time is a date until the event's schema encodes it.
  emit('payment.approved', { ...transaction, created_at: transaction.created_at.toISOString() }),
  // @ts-expect-error The event is about transactions.
  emit('payment.approved', session),
  // @ts-expect-error The row fits one of the events that the name may be, and not the other.
  emit(one, transaction),
  // @ts-expect-error The id is that of a merchant, where the id of a transaction is expected.
  emit('payment.approved', { ...transaction, id: transaction.merchant_id }),
  // @ts-expect-error There is no such event.
  emit('payment.aproved', transaction),
  // @ts-expect-error A message that is made without a transaction is checked as well.
  eventMessage('payment_attempt.settled', undecided),
]

type Branch = RowOf<typeof sucursales>

const BranchEntity = defineEntity({
  name: 'TypedBranch',
  tableName: 'branches',
  properties: {
    id: p.text().$type<Branch['id']>().primary(),
    merchant_id: p.text().$type<Branch['merchant_id']>(),
    name: p.text(),
    address: p.json<Branch['address']>().strictNullable(),
    phone: p.text().strictNullable(),
    status: p.text().$type<Branch['status']>().default('active'),
  },
})
const events = { created: 'sucursal.created', updated: 'sucursal.updated', deleted: 'sucursal.deleted' } as const
const settled = { ...events, created: 'payment_attempt.settled' } as const

export const rows = () => [
  tenantRows(db, { resource: sucursales, entity: BranchEntity, events }),
  // @ts-expect-error The entity has no column for most of what may be changed of a fee rule.
  tenantRows(db, { resource: feeRules, entity: BranchEntity, events }),
  // @ts-expect-error The entity lacks the fields of one of its events.
  tenantRows(db, { resource: sucursales, entity: BranchEntity, events: settled }),
]

export const created = (caller: Parameters<ReturnType<typeof branches>['create']>[0]) => [
  branches().create(caller, { name: 'Centro' }),
  // @ts-expect-error A column without a default is missing.
  branches().create(caller, { phone: '555' }),
  // @ts-expect-error A column holds another type.
  branches().update(caller, 'suc_1', { name: 1 }),
  // @ts-expect-error The id is that of a merchant, where the id of a branch is expected.
  branches().update(caller, 'mrc_1', { name: 'Centro' }),
]

function branches() {
  return tenantRows(db, { resource: sucursales, entity: BranchEntity, events })
}
