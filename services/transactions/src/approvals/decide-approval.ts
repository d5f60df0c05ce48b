import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { assignRow, type Database, findRows, getRow, type Tx } from '@cobro/database'
import { authorize, type IncomingCall, type Route } from '@cobro/http'
import type { HttpAnswer } from '@cobro/runtime'
import { isOlderThan, userId } from '../approvers/approver-rules.ts'
import { ApprovalEntity, type ApprovalRow } from './approval-entity.ts'
import { answeredId, movedAmount } from './moved-amount.ts'

export interface DecisionDeps {
  db: Database
  /** For how long an approver and its credentials must have existed. */
  approverAgeMs: number
}

/**
 * Carries out a call and approves it, in one transaction, with the lock of the approval: of several approvals at once, one
 * carries out the call. If the call fails, so does the approval, which then stays pending.
 */
export function approveCall(
  { db, approverAgeMs, routes }: DecisionDeps & { routes: ReadonlyMap<string, Route> },
  incoming: IncomingCall,
  id: Id<'apr'>,
): Promise<ApprovalRow> {
  const { caller } = incoming
  return db.inSharedTransaction(async () => {
    const row = await db.write(tx => lockPending(tx, caller, id))
    // A requester could create a second user, or take one over by a setup token.
    if (!isOlderThan(caller, approverAgeMs))
      throw new ApiError(
        'forbidden',
        `a user can approve calls once it and its credentials are older than ${hours(approverAgeMs)} hours`,
      )
    const answer = await carryOut(routes, row, incoming)
    await rejectLarger(db, row, answer)
    const target_id = answeredId(answer)
    return db.write(async (tx, emit) => {
      // Read again, since the call may have cleared the entity manager, which would then not store a change of the first row.
      const held = await getRow(tx, ApprovalEntity, caller, id)
      assignRow(held, { status: 'approved', ...decidedBy(caller), target_id })
      emit('approval.approved', held)
      return held
    })
  })
}

/** Rejects a call, which then never takes effect. */
export function rejectCall(
  db: Database,
  caller: Caller,
  id: Id<'apr'>,
  reason: string | null = null,
): Promise<ApprovalRow> {
  return db.write(async (tx, emit) => {
    const row = await lockPending(tx, caller, id)
    assignRow(row, { status: 'rejected', ...decidedBy(caller), reason })
    emit('approval.rejected', row)
    return row
  })
}

/** Calls the operation with the stored input as the approver. */
function carryOut(routes: ReadonlyMap<string, Route>, row: ApprovalRow, { request, caller }: IncomingCall) {
  const route = routes.get(row.operation)
  if (!route) throw new ApiError('conflict', `the operation ${row.operation} does not exist any more: reject the call`)
  authorize(route.operation, caller)
  const execution = route.accept({ request, caller, idempotencyId: undefined, stored: row })
  if ('write' in execution) throw new Error(`${row.operation} writes its answer, so it cannot be approved.`)
  return execution.answer()
}

/** A settlement may collect more by now than what the approver saw. */
async function rejectLarger(db: Database, { operation, amount_cents }: ApprovalRow, answer: HttpAnswer): Promise<void> {
  const moved = await movedAmount(db, operation, answer)
  if (!moved || amount_cents === null || moved.amount_cents <= amount_cents) return
  throw new ApiError('conflict', `the amount is now ${moved.amount_cents}: reject the call and make it again`)
}

/** Does not wait for a lock: another decision may hold it for as long as its call takes. */
async function lockPending(tx: Tx, caller: Caller, id: Id<'apr'>): Promise<ApprovalRow> {
  const { requested_by } = await getRow(tx, ApprovalEntity, caller, id)
  if (requested_by === userId(caller)) throw new ApiError('forbidden', 'another operator has to decide')
  const [row] = await findRows(tx, ApprovalEntity, 'id = ? for update skip locked', [id])
  if (!row) throw new ApiError('conflict', 'another decision is running')
  if (row.status !== 'pending') throw new ApiError('conflict', `the approval is ${row.status}`)
  if (row.lapses_at <= new Date()) throw new ApiError('conflict', 'the approval has lapsed')
  return row
}

const decidedBy = (caller: Caller) => ({ decided_by: userId(caller), decided_at: new Date() })
const hours = (ms: number) => ms / 3_600_000
