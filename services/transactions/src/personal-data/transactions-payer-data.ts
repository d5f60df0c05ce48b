import { approval, disputes as disputeResource, transaction, withoutEmail } from '@cobro/contracts'
import { type Database, type Emit, findRows, type Tx } from '@cobro/database'
import { erasureBatch, isNothing, type PayerData } from '@cobro/service'
import { z } from 'zod'
import { ApprovalEntity, type ApprovalRow } from '../approvals/approval-entity.ts'
import { DisputeEntity } from '../disputes/dispute-entity.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'

/** Calls that wait for an approval, or waited, and name the payer in their body. */
const heldForPayer = `body ->> 'payer_email' is not null and lower(body ->> 'payer_email') = ? order by id`

/** Calls about transactions, whose body may name their payer by other fields. */
const heldForTransactions = `id in (
  select id from transactions.approvals where target_id = any(?)
  union select id from transactions.approvals where params ->> 'id' = any(?)) order by id`

const ofPayer = 'select id from transactions.transactions where lower(payer_email) = ?'

/** Materialized: with a limit, the planner may read the whole table instead of the payer's rows by their index. */
const lockedIds = `id = any(array(
  with mine as materialized (${ofPayer}) select id from mine limit ${erasureBatch})) order by id for update`

/** How transactions exports and erases what it holds about a payer. */
export const transactionsPayerData: PayerData = {
  schema: 'transactions',
  entities: [TransactionEntity, DisputeEntity, ApprovalEntity],
  find,
  eraseBatch,
  countWaiting: async (db: Database, email: string) => {
    const [row] = await db.execute<{ count: number }>(`select count(*)::integer as count from (${ofPayer}) t`, [email])
    return row?.count ?? 0
  },
}

async function find(tx: Tx, emit: Emit, email: string) {
  const rows = await findRows(tx, TransactionEntity, 'lower(payer_email) = ? order by id', [email])
  const disputes = await disputesOf(tx, rows)
  const approvals = await approvalsOf(tx, rows, email, '')
  const counts = { transactions: rows.length, disputes: disputes.length, approvals: approvals.length }
  emit('payer.exported', { id: null, ...counts })
  return {
    transactions: rows.map(row => z.encode(transaction, row)),
    disputes: disputes.map(row => z.encode(disputeResource.row, row)),
    approvals: approvals.map(row => z.encode(approval, row)),
  }
}

/** Amounts, ids and the card's brand and last digits stay, and so does the ledger: they are the books. */
async function eraseBatch(tx: Tx, emit: Emit, { email, always }: { email: string; always: boolean }) {
  const rows = await findRows(tx, TransactionEntity, lockedIds, [email])
  const disputes = (await disputesOf(tx, rows, { lock: true })).filter(dispute => {
    const evidence = withoutEmail(dispute.evidence, email)
    if (JSON.stringify(evidence) === JSON.stringify(dispute.evidence)) return false
    dispute.evidence = evidence
    return true
  })
  for (const row of rows) {
    row.payer_email = null
    row.customer_ref = null
    row.metadata = withoutEmail(row.metadata, email)
  }
  const approvals = await approvalsOf(tx, rows, email, 'for update')
  for (const row of approvals) if (row.body) row.body = withoutPayer(row.body, email)
  const counts = { transactions: rows.length, disputes: disputes.length, approvals: approvals.length }
  if (always || !isNothing(counts)) emit('payer.erased', { id: null, ...counts })
  return counts
}

/** Returns the held calls that name the payer, or are about one of its transactions. */
async function approvalsOf(tx: Tx, rows: TransactionRow[], email: string, lock: '' | 'for update') {
  const ids = `{${rows.map(({ id }) => id).join(',')}}`
  const limit = lock && `limit ${erasureBatch} ${lock}`
  const named = await findRows(tx, ApprovalEntity, `${heldForPayer} ${limit}`, [email])
  const others = await findRows(tx, ApprovalEntity, `${heldForTransactions} ${lock}`, [ids, ids])
  return [...new Map([...named, ...others].map(row => [row.id, row])).values()]
}

function disputesOf(tx: Tx, rows: TransactionRow[], { lock = false } = {}) {
  const ids = `{${rows.map(({ id }) => id).join(',')}}`
  return findRows(tx, DisputeEntity, `transaction_id = any(?) order by id${lock ? ' for update' : ''}`, [ids])
}

/** A call that is approved later carries out what is left. */
function withoutPayer(body: ApprovalRow['body'], email: string): ApprovalRow['body'] {
  const erased = Object.fromEntries(
    ['payer_email', 'customer_ref'].flatMap(name => (body?.[name] ? [[name, null]] : [])),
  )
  return withoutEmail({ ...body, ...erased }, email)
}
