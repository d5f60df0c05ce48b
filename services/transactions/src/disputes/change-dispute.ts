import { ApiError, type Caller, type DisputeStatus } from '@cobro/contracts'
import { changedFields, type Database, getRow, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { lockTransaction } from '../transactions/settle-transaction.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'
import { mayMoveDispute, stageOf } from './dispute-states.ts'
import { beginDispute, moveDispute, withdrawDispute } from './move-dispute.ts'

type Evidence = Record<string, string | null>

interface Opening {
  transaction_id: string
  reason: string
  network_reason_code?: string | null
  due_by?: Date | null
  evidence?: Evidence
}

interface Change extends Partial<Omit<Opening, 'transaction_id'>> {
  status?: DisputeStatus
}

/** Opens a dispute of a whole approved payment by hand. */
export function openDispute(db: Database, caller: Caller, { transaction_id, evidence, ...terms }: Opening) {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, transaction_id, { lock: true })
    if (row.status !== 'approved') throw new ApiError('conflict', `the transaction is ${row.status}`)
    const now = new Date()
    const { amount_cents, currency } = row
    const given = { ...terms, evidence: evidence ? withEvidence(null, evidence) : null }
    return beginDispute({ tx, emit, row, now }, { ...given, amount_cents, currency, status: 'open', opened_at: now })
  })
}

/** Changes a dispute. A merchant hands in evidence or gives in; all else is for operators. */
export function changeDispute(db: Database, caller: Caller, id: string, change: Change): Promise<DisputeRow> {
  const { status, evidence, ...terms } = change
  return db.write(async (tx, emit) => {
    const { dispute, row } = await lockDispute(tx, caller, id)
    if (caller.kind !== 'operator') refuseForeign(change)
    if (stageOf[dispute.status] !== 'held') throw new ApiError('conflict', `the dispute is ${dispute.status}`)
    const now = new Date()
    const given = { ...terms, ...(evidence ? { evidence: withEvidence(dispute.evidence ?? null, evidence) } : {}) }
    const changed = changedFields(dispute, given)
    if (Object.keys(changed).length > 0) {
      tx.assign(dispute, { ...given, updated_at: now })
      // What was handed in as evidence may be private.
      const { evidence: _evidence, ...changes } = changed
      emit('dispute.updated', { ...dispute, changes })
    }
    if (status === undefined || status === dispute.status) return dispute
    if (!mayMoveDispute(dispute.status, status)) {
      throw new ApiError('conflict', `a dispute that is ${dispute.status} cannot become ${status}`)
    }
    // Its merchant may give in to it; what else becomes of the money is not for us to say.
    if (caller.kind === 'operator' && dispute.acquirer_reference != null && stageOf[status] !== 'held') {
      throw new ApiError('conflict', 'the acquirer says how this dispute ends')
    }
    await moveDispute({ tx, emit, row, now }, dispute, status)
    return dispute
  })
}

/** Takes back a dispute that was opened by hand and is still open. */
export async function removeDispute(db: Database, caller: Caller, id: string): Promise<void> {
  await db.write(async (tx, emit) => {
    const { dispute, row } = await lockDispute(tx, caller, id)
    if (dispute.acquirer_reference != null) throw new ApiError('conflict', "the dispute is the acquirer's")
    if (stageOf[dispute.status] !== 'held') throw new ApiError('conflict', `the dispute is ${dispute.status}`)
    await withdrawDispute({ tx, emit, row, now: new Date() }, dispute)
  })
}

/** The transaction first, as everybody does, so that none waits for another who waits for it. */
async function lockDispute(tx: Tx, caller: Caller, id: string): Promise<{ dispute: DisputeRow; row: TransactionRow }> {
  const { transaction_id } = await getRow(tx, DisputeEntity, caller, id)
  const row = await lockTransaction(tx, transaction_id)
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
  const dispute = await tx.findOneOrFail(DisputeEntity, { id }, locked)
  if (dispute.deleted_at) throw new ApiError('not_found')
  return { dispute, row }
}

function refuseForeign({ status, evidence: _evidence, ...others }: Change): void {
  if ((status !== undefined && status !== 'accepted') || Object.keys(others).length > 0) throw new ApiError('forbidden')
}

/** What is named anew replaces itself, and null takes it away. */
function withEvidence(known: Record<string, string> | null, given: Evidence): Record<string, string> | null {
  const texts = Object.entries({ ...known, ...given }).filter((entry): entry is [string, string] => entry[1] !== null)
  if (texts.length > 50) throw new ApiError('invalid_request', 'evidence: expected at most 50 texts')
  return texts.length > 0 ? Object.fromEntries(texts) : null
}
