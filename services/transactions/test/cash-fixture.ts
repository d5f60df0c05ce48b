import type { CommandData, Id, Message } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { createLogger, type Logger } from '@cobro/runtime'
import { migratedDatabase, type TestDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { entities } from '../src/entities.ts'
import { RefundEntity } from '../src/refunds/refund-entity.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { endVouchers } from '../src/vouchers/end-vouchers.ts'
import { requestVoucher } from '../src/vouchers/request-voucher.ts'
import { resolveVoucher } from '../src/vouchers/resolve-voucher.ts'
import type { VoucherReport } from '../src/vouchers/voucher-states.ts'
import { aVoucher, scriptedAcquirer, voucherCommand } from './scripted-acquirer.ts'

export const logger: Logger = createLogger('transactions', 'silent')
let database: TestDatabase
/** The service's database without the service; tests call its functions directly. */
export let db: Database

/** Gives the calling test file a database of its own. */
export function ownDatabase(): void {
  beforeAll(async () => {
    database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
    db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities })
  })
  afterAll(async () => {
    await db.close()
    await database.drop()
  })
  // Otherwise the next test would process rows that this one left due.
  afterEach(async () => {
    await db.read(em => em.execute('update transactions.transactions set next_check_at = null'))
    await db.read(em => em.execute('update transactions.refunds set next_check_at = null'))
  })
}

type Command = CommandData<'payment.voucher'>

export const rowOf = async ({ payment_intent_id }: Pick<Command, 'payment_intent_id'>) => {
  const row = await db.read(em => em.findOne(TransactionEntity, { payment_intent_id }))
  if (!row) throw new Error('There is no such transaction.')
  return row
}
export const lateOf = (id: Id<'txn'>) => db.read(em => em.find(TransactionEntity, { late_payment_of: id }))
export const refundsOf = (transaction_id: Id<'txn'>) =>
  db.read(em => em.find(RefundEntity, { transaction_id }, { orderBy: { id: 'asc' } }))
export const eventsOf = async ({ correlation_id }: Pick<Command, 'correlation_id'>) =>
  (
    await db.read(em =>
      em.execute<{ name: string }[]>('select name from transactions.outbox where correlation_id = ? order by id', [
        correlation_id,
      ]),
    )
  ).map(row => row.name)
export const messagesOf = async ({ correlation_id }: Pick<Command, 'correlation_id'>, name: string) => {
  const select = 'select body from transactions.outbox where correlation_id = ? and name = ? order by id'
  const rows = await db.read(em => em.execute<{ body: Buffer }[]>(select, [correlation_id, name]))
  return rows.map(({ body }) => JSON.parse(body.toString()) as Message)
}
export const makeDue = (table: 'transactions' | 'refunds', id: string, olderBy = '0 seconds') =>
  db.read(em =>
    em.execute(
      `update transactions.${table} set next_check_at = now() - interval '1 second',
         created_at = created_at - interval '${olderBy}'
         ${table === 'refunds' ? `, asked_at = asked_at - interval '${olderBy}'` : ''} where id = ?`,
      [id],
    ),
  )
export const applyReport = (id: Id<'txn'>, report: VoucherReport) =>
  db.write((tx, emit) => resolveVoucher(tx, emit, id, report))
export const endVoucherOf = (command: Command, action: 'expire' | 'cancel') =>
  db.write((tx, emit) => endVouchers(tx, emit, { id: command.payable_id } as never, action))

/** Issues a voucher. */
export async function issueVoucher(change: Partial<Command> = {}) {
  const command = voucherCommand(change)
  const voucher = aVoucher()
  const { acquirer } = scriptedAcquirer({ issueVoucher: voucher })
  const reply = await requestVoucher({ db, acquirer }, command)
  return { command, voucher, reply, row: await rowOf(command) }
}
