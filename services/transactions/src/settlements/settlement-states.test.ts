import {
  payoutStageOf,
  settlementActions,
  settlementState,
  settlementStates,
  settlementTransition,
} from './settlement-states.ts'

const expected: Record<string, string> = {
  'pending pay': 'paid settlement.paid',
  'pending fail': 'failed settlement.failed',
  'pending delete': 'deleted settlement.deleted',
}

for (const state of settlementStates) {
  for (const action of settlementActions) {
    const result = expected[`${state} ${action}`]
    test(`the action ${action} on a settlement that is ${state} ${result ? `leads to ${result}` : 'is not allowed'}`, () => {
      const transition = settlementTransition(state, action)
      expect(transition && [transition.to, ...transition.emits].join(' ')).toBe(result)
    })
  }
}

test('a settlement that failed or was deleted returns its amount, whatever its status was', () => {
  const stages = settlementStates.map(state => payoutStageOf[state])
  expect(stages).toEqual(['in_transit', 'paid_out', 'returned', 'returned'])
  expect(settlementState({ status: 'pending', deleted_at: new Date() })).toBe('deleted')
  expect(settlementState({ status: 'paid', deleted_at: null })).toBe('paid')
})
