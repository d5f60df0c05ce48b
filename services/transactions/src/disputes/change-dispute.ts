import { ApiError, type BodyOf, type Caller, type disputes, type Id } from '@cobro/contracts'
import { assignRow, changedFields, type Database, getRow, lockRow, type Tx } from '@cobro/database'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'
import { stageOf } from './dispute-states.ts'
import { recordDispute, transitionDispute, withdrawDispute } from './transition-dispute.ts'

type Opening = BodyOf<typeof disputes.operations.create>
type Change = BodyOf<typeof disputes.operations.update>

/** Opens a dispute over an approved payment or a part of it, on behalf of an operator. */
export function openDispute(db: Database, caller: Caller, input: Opening) {
  const { transaction_id, evidence, amount_cents, ...terms } = input
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, transaction_id, { lock: true })
    if (row.status !== 'approved') throw new ApiError('conflict', `the transaction is ${row.status}`)
    // The acquirer would pay back the same money twice. Its own disputes are recorded in any case.
    if (row.refund_status === 'processing') throw new ApiError('conflict', 'a refund is being processed')
    const now = new Date()
    const disputed = { amount_cents: amount_cents ?? row.amount_cents, currency: row.currency }
    if (disputed.amount_cents > row.amount_cents)
      throw new ApiError('invalid_request', `amount_cents: expected at most the transaction's ${row.amount_cents}`)
    const given = { ...terms, evidence: evidence ? mergeEvidence(null, evidence) : null }
    return recordDispute({ tx, emit, row, now }, { ...given, ...disputed, status: 'open', opened_at: now })
  })
}

/** Changes a dispute. Merchants may submit evidence or accept it; the rest is for operators. */
export function changeDispute(db: Database, caller: Caller, id: Id<'dsp'>, change: Change): Promise<DisputeRow> {
  const { status, evidence, ...terms } = change
  return db.write(async (tx, emit) => {
    const { dispute, row } = await lockDispute(tx, caller, id)
    if (caller.kind !== 'operator') requireMerchantChange(change)
    if (stageOf[dispute.status] !== 'held') throw new ApiError('conflict', `the dispute is ${dispute.status}`)
    const now = new Date()
    const given = { ...terms, ...(evidence ? { evidence: mergeEvidence(dispute.evidence ?? null, evidence) } : {}) }
    const changed = changedFields(dispute, given)
    if (Object.keys(changed).length > 0) {
      assignRow(dispute, { ...given, updated_at: now })
      // Evidence may contain personal data, so the event leaves it out.
      const { evidence: _evidence, ...changes } = changed
      emit('dispute.updated', { ...dispute, changes })
    }
    if (status === undefined || status === dispute.status) return dispute
    // Only the acquirer decides the outcome of its disputes; but a merchant may accept one.
    if (caller.kind === 'operator' && dispute.acquirer_reference != null && stageOf[status] !== 'held') {
      throw new ApiError('conflict', 'the acquirer says how this dispute ends')
    }
    await transitionDispute({ tx, emit, row, now }, dispute, status, 'caller')
    return dispute
  })
}

/** Withdraws an open dispute that was opened through the API. */
export async function removeDispute(db: Database, caller: Caller, id: Id<'dsp'>): Promise<void> {
  await db.write(async (tx, emit) => {
    const { dispute, row } = await lockDispute(tx, caller, id)
    if (dispute.acquirer_reference != null) throw new ApiError('conflict', "the dispute is the acquirer's")
    if (stageOf[dispute.status] !== 'held') throw new ApiError('conflict', `the dispute is ${dispute.status}`)
    await withdrawDispute({ tx, emit, row, now: new Date() }, dispute)
  })
}

/** Locks the transaction first, as all code does, so that concurrent changes don't deadlock. */
async function lockDispute(tx: Tx, caller: Caller, id: Id<'dsp'>) {
  const { transaction_id } = await getRow(tx, DisputeEntity, caller, id)
  const row = await lockRow(tx, TransactionEntity, transaction_id)
  const dispute = await lockRow(tx, DisputeEntity, id)
  if (dispute.deleted_at) throw new ApiError('not_found')
  return { dispute, row }
}

function requireMerchantChange({ status, evidence: _evidence, ...others }: Change): void {
  if ((status !== undefined && status !== 'accepted') || Object.keys(others).length > 0) throw new ApiError('forbidden')
}

/** Adds texts to the known ones. A text under a known name replaces it, and null removes it. */
function mergeEvidence(known: Record<string, string> | null, given: Record<string, string | null>) {
  const texts = Object.entries({ ...known, ...given }).filter((entry): entry is [string, string] => entry[1] !== null)
  if (texts.length > 50) throw new ApiError('invalid_request', 'evidence: expected at most 50 texts')
  return texts.length > 0 ? Object.fromEntries(texts) : null
}
