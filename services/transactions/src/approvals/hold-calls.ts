import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type IncomingCall, type Route, readJson } from '@cobro/http'
import { captureTrace, currentCall, type HttpAnswer, inNewTrace, withCallContext } from '@cobro/runtime'
import { type DualControl, mayNeedApproval, needsApproval } from './approval-rules.ts'
import { movedAmount } from './moved-amount.ts'
import { requestApproval } from './request-approval.ts'

export interface HoldDeps {
  db: Database
  /** Undefined if no call needs an approval. */
  dualControl: DualControl | undefined
}

interface HeldCall {
  operation: Operation
  caller: Extract<Caller, { kind: 'operator' }>
  incoming: IncomingCall
  carryOut: () => Promise<HttpAnswer>
}

/** Returns routes that answer an operator's call that needs an approval with 202, and do nothing else. */
export function holdCalls({ db, dualControl }: HoldDeps, routes: readonly Route[]): Route[] {
  if (!dualControl) return [...routes]
  return routes.map(({ operation, accept }) => ({
    operation,
    accept: incoming => {
      const execution = accept(incoming)
      const { caller } = incoming
      if (caller.kind !== 'operator' || 'write' in execution || !mayNeedApproval(operation, execution.body))
        return execution
      const held = { operation, caller, incoming, carryOut: execution.answer }
      return { ...execution, answer: () => holdOrCarryOut({ db, dualControl }, held) }
    },
  }))
}

/**
 * Rehearses a call to find out whether it would succeed, and how much it would move: it is rejected as it would be without an
 * approval. The amount is compared again when the call is carried out.
 */
async function holdOrCarryOut(
  { db, dualControl: { limitCents } }: { db: Database; dualControl: DualControl },
  call: HeldCall,
): Promise<HttpAnswer> {
  const { operation, carryOut } = call
  const moved = await rehearse(db, async () => movedAmount(db, operation.id, await carryOut()))
  if (needsApproval(operation, moved, limitCents)) return requestApproval(db, { ...call, ...inputOf(call), moved })
  return db.inSharedTransaction(async () => {
    const answer = await carryOut()
    if (needsApproval(operation, await movedAmount(db, operation.id, answer), limitCents))
      throw new ApiError('conflict', 'the amount now exceeds the limit for approvals: repeat the call')
    return answer
  })
}

/** Keeps the lifecycle of a row that will not exist out of the call's own context and trace. */
function rehearse<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const isolated = () => withCallContext({ ...currentCall() }, () => db.rehearse(work))
  return inNewTrace('rehearse call', { links: [captureTrace()] }, isolated)
}

/** Returns the input as it was sent: it is validated again when the call is approved. */
function inputOf({ incoming: { request } }: HeldCall) {
  const body = readJson(request)
  return {
    params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    body: typeof body === 'object' && body !== null ? { ...body } : null,
  }
}
