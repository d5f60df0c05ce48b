import { operations } from '@cobro/contracts'
import { amountRules, dualControlOf, mayNeedApproval, needsApproval } from './approval-rules.ts'

const limitCents = 5_000_000
const moved = (amount_cents: number) => ({ amount_cents, currency: 'MXN' })
const operationOf = (id: string) => operations.find(operation => operation.id === id)!

test('these operations may need an approval, and those above the limit have an amount', () => {
  const ruled = operations.filter(({ approval }) => approval)
  const idsWith = (rule: string) => ruled.filter(({ approval }) => approval === rule).map(({ id }) => id)
  expect(idsWith('always').sort()).toEqual([
    ...['createFeeRule', 'createRollingReserve', 'deleteFeeRule', 'deleteRollingReserve'],
    ...['updateFeeRule', 'updateRollingReserve'],
  ])
  expect(idsWith('above_limit').sort()).toEqual(Object.keys(amountRules).sort())
  for (const { id, service, callers } of ruled)
    expect([id, service, callers.includes('operator')]).toEqual([id, 'transactions', true])
})

test('operations without a rule never need an approval', () => {
  for (const operation of operations.filter(({ approval }) => !approval))
    expect([operation.id, mayNeedApproval(operation, { status: 'paid' })]).toEqual([operation.id, false])
})

test.each([
  ['createTransaction', { amount_cents: 1 }, true],
  ['deleteTransaction', undefined, true],
  ['updateTransaction', { status: 'approved' }, true],
  ['updateTransaction', { status: 'cancelled' }, false],
  ['updateTransaction', { reference: 'A-1' }, false],
  ['createSettlement', {}, true],
  ['updateSettlement', { status: 'paid' }, true],
  ['updateSettlement', { status: 'failed' }, false],
  ['updateSettlement', { reference: 'SPEI 1' }, false],
  ['updateFeeRule', { priority: 1 }, true],
])('%s with the body %j may need an approval: %j', (id, body, expected) => {
  expect(mayNeedApproval(operationOf(id), body)).toBe(expected)
})

test('an amount needs an approval above the limit, not at it', () => {
  const settle = operationOf('createSettlement')
  expect(needsApproval(settle, moved(limitCents), limitCents)).toBe(false)
  expect(needsApproval(settle, moved(limitCents + 1), limitCents)).toBe(true)
  expect(needsApproval(settle, undefined, limitCents)).toBe(false)
  expect(needsApproval(operationOf('createFeeRule'), undefined, limitCents)).toBe(true)
})

test.each([
  ['production', undefined, true],
  ['production', 'off', false],
  ['sandbox', undefined, false],
  ['sandbox', 'on', true],
] as const)('in %s with DUAL_CONTROL %s, dual control is on: %j', (COBRO_ENV, DUAL_CONTROL, isOn) => {
  const control = dualControlOf({ COBRO_ENV, DUAL_CONTROL, DUAL_CONTROL_CENTS: limitCents })
  expect(control).toEqual(isOn ? { limitCents } : undefined)
})
