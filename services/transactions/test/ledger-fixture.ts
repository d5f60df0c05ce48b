import { type Id, newId } from '@cobro/contracts'
import { lockRow, migrate, newRow, openDatabase } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { resolveCharge } from '../src/charges/resolve-charge.ts'
import { entities } from '../src/entities.ts'
import { FeeRuleEntity } from '../src/fee-rules/fee-rule-entity.ts'
import { type Balances, balancesOf } from '../src/ledger/ledger-accounts.ts'
import { LedgerEntryEntity } from '../src/ledger/ledger-entities.ts'
import { postingsOf } from '../src/ledger/post-entries.ts'
import { resolveRefund } from '../src/refunds/resolve-refund.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { RollingReserveEntity } from '../src/rolling-reserve/rolling-reserve-entity.ts'
import { SettlementConfigEntity } from '../src/settlement-config/settlement-config-entity.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { paymentRow } from './payment-row.ts'

/** A separate database, with functions that capture and refund payments as the service does. */
export async function ledgerFixture() {
  const database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  const db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities })
  const logger = createLogger('transactions', 'silent')

  const pending = async (merchant_id: Id<'mrc'>, change: object = {}) =>
    (await paymentRow(db, { merchant_id, status: 'pending', captured_at: null, ...change })).id
  const approve = (id: Id<'txn'>) =>
    db.write((tx, emit) => resolveCharge(tx, emit, id, { status: 'approved', acquirer_reference: 'ch_1' }))
  const world = {
    database,
    db,
    pending,
    approve,
    /** Captures a payment and returns its id. */
    captured: async (merchant_id: Id<'mrc'>, change: object = {}) => {
      const id = await pending(merchant_id, change)
      await approve(id)
      return id
    },
    row: (id: Id<'txn'>) => db.read(em => em.findOne(TransactionEntity, { id })),
    refund: async (id: Id<'txn'>) => {
      const refund = await db.write(async tx =>
        startRefund(tx, await lockRow(tx, TransactionEntity, id), { owed: false }),
      )
      await db.write((tx, emit) =>
        resolveRefund({ tx, emit, logger }, refund.id, { status: 'completed', acquirer_reference: null }),
      )
    },
    feeRule: (merchant_id: Id<'mrc'>, change: object = {}) =>
      db.write(async tx =>
        newRow(tx, FeeRuleEntity, {
          ...{ id: newId('fee'), merchant_id, name: 'Tarifa', percent_bps: 360, fixed_cents: 0, tax_bps: 1600 },
          ...{ priority: 0, active: true, ...change },
        } as never),
      ),
    reserve: (merchant_id: Id<'mrc'>, change: object = {}) =>
      db.write(async tx =>
        newRow(tx, RollingReserveEntity, {
          ...{ id: newId('rsv'), merchant_id, percent_bps: 1_000, hold_days: 90, active: true, currency: 'MXN' },
          ...change,
        } as never),
      ),
    settlementConfig: (merchant_id: Id<'mrc'>, change: object = {}) =>
      db.write(async tx =>
        newRow(tx, SettlementConfigEntity, {
          ...{ id: newId('stc'), merchant_id, frequency: 'daily', delay_days: 1, minimum_cents: 0, currency: 'MXN' },
          ...{ active: true, ...change },
        } as never),
      ),
    /** Sums a merchant's ledger entries by account, without accounts whose balance is zero. */
    balances: async (merchant_id: Id<'mrc'>, currency = 'MXN'): Promise<Partial<Balances>> => {
      const entries = await db.read(em => em.find(LedgerEntryEntity, { merchant_id, currency }))
      const all = Object.entries(balancesOf(postingsOf(entries)))
      return Object.fromEntries(all.filter(([, balance]) => balance !== 0n))
    },
    /** Simulates that days pass by moving all dates of the ledgers back. */
    pass: async (days: number) => {
      await database.query(`
        begin;
        alter table transactions.ledger_entries disable trigger immutable;
        update transactions.ledger_entries set day = day - ${days}, created_at = created_at - interval '${days} days';
        alter table transactions.ledger_entries enable always trigger immutable;
        update transactions.ledger_positions
          set captured_on = captured_on - ${days}, hold_until = hold_until - ${days}, matured_on = matured_on - ${days};
        -- Through another century, because the days have to stay unique after each update.
        update transactions.balance_snapshots set day = day - 36500, created_at = created_at - interval '${days} days';
        update transactions.balance_snapshots set day = day + ${36_500 - days};
        commit`)
    },
    stop: async () => {
      await db.close()
      await database.drop()
    },
  }
  return world
}
