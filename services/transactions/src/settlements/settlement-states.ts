import type { EventName } from '@cobro/contracts'
import type { SettlementRow } from './settlement-entity.ts'

/** A settlement's status, or `deleted`, which the table stores as `deleted_at`. */
export const settlementStates = ['pending', 'paid', 'failed', 'deleted'] as const
type SettlementState = (typeof settlementStates)[number]

export const settlementActions = ['pay', 'fail', 'delete'] as const
export type SettlementAction = (typeof settlementActions)[number]

interface SettlementTransition {
  to: SettlementState
  emits: readonly Extract<EventName, `settlement.${string}`>[]
}

/** Every allowed transition, by the state it starts from. */
const transitions: Readonly<Record<SettlementState, Partial<Record<SettlementAction, SettlementTransition>>>> = {
  pending: {
    pay: { to: 'paid', emits: ['settlement.paid'] },
    fail: { to: 'failed', emits: ['settlement.failed'] },
    delete: { to: 'deleted', emits: ['settlement.deleted'] },
  },
  paid: {},
  failed: {},
  deleted: {},
}

/** Returns the transition of an action from a state, or undefined when it is not allowed. */
export function settlementTransition(state: SettlementState, action: SettlementAction) {
  return transitions[state][action]
}

/** The place of the net amount: on its way, paid out, or back on the available balance. */
export const payoutStageOf: Readonly<Record<SettlementState, 'in_transit' | 'paid_out' | 'returned'>> = {
  pending: 'in_transit',
  paid: 'paid_out',
  failed: 'returned',
  deleted: 'returned',
}

export function settlementState({ status, deleted_at }: Pick<SettlementRow, 'status' | 'deleted_at'>): SettlementState {
  return deleted_at ? 'deleted' : status
}
