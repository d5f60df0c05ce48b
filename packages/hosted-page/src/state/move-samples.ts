import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer } from '../api/hosted-api.ts'
import { afterMove, type Move } from './page-moves.ts'
import { initialState, type PageState } from './page-state.ts'
import { sampleSession, sampleTime } from './session-sample.ts'

export const at = sampleTime
export const voucher = { reference: '93000012345678', barcode: '93000012345678', due_at: '2026-06-19T05:59:00.000Z' }
export const card = { number: '4242 4242 4242 4242', expiry: '12 / 30', cvc: '123', holder: 'Ana', email: '' }

export const read = (changes: Partial<HostedPayable> = {}): Move => ({
  type: 'read',
  answer: { kind: 'session', session: sampleSession(changes) },
  at,
})

export const paid = (answer: PayAnswer, changes?: Partial<HostedPayable>): Move => ({
  type: 'paid',
  answer,
  at,
  ...(changes && { read: { kind: 'session', session: sampleSession(changes) } }),
})

export const after = (...moves: Move[]) => moves.reduce(afterMove, initialState('es', at))
export const going = (state: PageState, ...moves: Move[]) => moves.reduce(afterMove, state)
export const filled = (changes: Partial<HostedPayable> = {}): PageState => ({ ...after(read(changes)), fields: card })
export const sending = (changes: Partial<HostedPayable> = {}) => going(filled(changes), { type: 'submitted' })
