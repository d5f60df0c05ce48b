import type { EventData } from '@cobro/contracts'
import type { Database, Inbox } from '@cobro/database'
import type { VelocityLimits } from '../velocity-rules/velocity-settings.ts'
import { type CompletedAttempt, completeAttempt } from './complete-attempt.ts'
import type { PaymentAttemptKey, PaymentAttemptRow } from './payment-attempt-entity.ts'
import { storePaymentResponse } from './payment-response.ts'

type Outcome = EventData<'payment_attempt.settled'>

/** A call that pays, and waits for the outcome of its attempt. */
export interface PayingCall {
  attempt: PaymentAttemptRow
  /** Set once this process has committed the outcome. `isStored`: with the response. */
  completed?: CompletedAttempt & { isStored: boolean }
}

/** Applies outcomes. Each comes twice with the same message id, as a reply and as an event, and takes effect once. */
export interface AttemptOutcomes {
  /** Applies an outcome from an event. */
  apply(messageId: string, outcome: Outcome): Promise<void>
  /** Applies the reply to a call, which has to be the outcome of the call's own attempt. */
  applyReply(messageId: string, outcome: Outcome, call: PayingCall): Promise<void>
  /** Runs `work`. `completed` resolves once an event has completed the attempt, so that the call need not wait for a lost reply. */
  awaiting<T>(call: PayingCall, work: (completed: Promise<undefined>) => Promise<T>): Promise<T>
  /**
   * Resolves `completed` of the calls whose attempts another replica has completed. Reads the attempts of all calls that wait, with
   * one query whatever their number.
   */
  findCompleted(db: Pick<Database, 'execute' | 'schema'>): Promise<void>
}

/** Opens what calls and consumers of one process share, so that a call whose event comes first need not read what that changed. */
export function attemptOutcomes(inbox: Inbox, schema: string, limits: VelocityLimits): AttemptOutcomes {
  const calls = new Map<string, { call: PayingCall; onCompleted: () => void }>()
  const apply = async (messageId: string, outcome: Outcome, call?: PayingCall) => {
    let completed: PayingCall['completed']
    const options = { payableId: call?.attempt.payable_id, limits }
    const first = await inbox.once(messageId, async (tx, emit) => {
      const done = await completeAttempt(tx, emit, outcome, options)
      completed = { ...done, isStored: call !== undefined && storePaymentResponse(tx, schema, done) }
    })
    if (first && call && completed) call.completed = completed
  }
  return {
    apply: async (messageId, outcome) => {
      const waiting = calls.get(keyOf({ ...outcome, number: outcome.attempt }))
      await apply(messageId, outcome, waiting?.call)
      if (waiting?.call.completed) waiting.onCompleted()
    },
    applyReply: apply,
    awaiting: async (call, work) => {
      const key = keyOf(call.attempt)
      const { promise, resolve } = Promise.withResolvers<undefined>()
      calls.set(key, { call, onCompleted: () => resolve(undefined) })
      try {
        return await work(promise)
      } finally {
        calls.delete(key)
      }
    },
    findCompleted: async db => {
      if (calls.size === 0) return
      const keys = [...calls.values()].map(({ call: { attempt } }) => ({
        payment_intent_id: attempt.payment_intent_id,
        number: attempt.number,
      }))
      const completed = await db.execute<PaymentAttemptKey>(selectCompleted(db.schema), [JSON.stringify(keys)])
      for (const key of completed) calls.get(keyOf(key))?.onCompleted()
    },
  }
}

/** The `limit` makes PostgreSQL look up each attempt by its key. */
const selectCompleted = (schema: string): string => `
  select waiting.* from jsonb_to_recordset(?::jsonb) as waiting (payment_intent_id text, number integer)
  cross join lateral (
    select from ${schema}.payment_attempts a
    where a.payment_intent_id = waiting.payment_intent_id and a.number = waiting.number and a.status <> 'running' limit 1
  ) completed`

const keyOf = ({ payment_intent_id, number }: PaymentAttemptKey): string => `${payment_intent_id}:${number}`
