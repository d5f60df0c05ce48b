import { ApiError, newId, rollingReserves } from '@cobro/contracts'
import type { IncomingCall, Route } from '@cobro/http'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import fc from 'fast-check'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { runDay } from '../src/daily-run/run-day.ts'
import { changeDispute, openDispute, removeDispute } from '../src/disputes/change-dispute.ts'
import { DisputeEntity } from '../src/disputes/dispute-entity.ts'
import { checkLedger } from '../src/ledger/check-ledger.ts'
import { LedgerEntryEntity } from '../src/ledger/ledger-entities.ts'
import { applyNotice } from '../src/notices/apply-notice.ts'
import { RefundEntity } from '../src/refunds/refund-entity.ts'
import { refundTransaction } from '../src/refunds/refund-transaction.ts'
import { settleRefund } from '../src/refunds/settle-refund.ts'
import { rollingReserveRoutes } from '../src/rolling-reserve/rolling-reserve-routes.ts'
import { endSettlement } from '../src/settlements/end-settlement.ts'
import { settlePeriod } from '../src/settlements/settle-period.ts'
import { SettlementEntity } from '../src/settlements/settlement-entity.ts'
import { addDays, dayOf } from '../src/settlements/utc-days.ts'
import { acquirerKey } from '../src/transactions/acquirer-key.ts'
import { deleteTransaction } from '../src/transactions/delete-transaction.ts'
import { enterTransaction } from '../src/transactions/enter-transaction.ts'
import { recount, type Terms } from './ledger-recount.ts'
import { ledgerWorld } from './ledger-world.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const runs = long ? 300 : 8
const logger = createLogger('transactions', 'silent')
const today = dayOf(new Date())
let world: Awaited<ReturnType<typeof ledgerWorld>>
/** A day is run for all books that there are, so that now and then they begin anew. */
const runsOfWorld = 5
let runsLeft = 0
async function enterWorld() {
  if (runsLeft-- > 0) return
  await world?.stop()
  world = await ledgerWorld()
  runsLeft = runsOfWorld - 1
}
afterAll(() => world?.stop())

type Book = Terms & { delayDays: number | null; holdDays: number }
type Payment = { id: string; book: Book }
type Step = [name: keyof ReturnType<typeof stepsOn>, nth: number, value: number]
const counts = { steps: 0, refused: 0, entries: 0, settlements: 0 }

const callerOf = ({ merchant }: Book) => operatorCaller('all', merchant)
const nth = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(from.length, 1)]

/** Everything that may happen to the payments of some books. What is given chooses among what there is. */
function stepsOn(books: Book[], payments: Payment[]) {
  const { db } = world
  const some = async (entity: typeof DisputeEntity | typeof SettlementEntity | typeof RefundEntity, index: number) => {
    const merchants = books.map(book => book.merchant)
    const rows = await db.read(em =>
      em.find(entity as typeof DisputeEntity, { merchant_id: { $in: merchants } }, { orderBy: { id: 'asc' } }),
    )
    const row = nth(rows, index)
    const book = books.find(one => one.merchant === row?.merchant_id)
    return row && book && { id: row.id, book }
  }
  const onPayment = (index: number, step: (payment: Payment) => Promise<unknown>) => {
    const payment = nth(payments, index)
    return payment && step(payment)
  }
  const told = async (index: number, status: 'open' | 'won' | 'lost', value: number) => {
    const row = payments.length > 0 ? await world.row(nth(payments, index)?.id ?? '') : undefined
    if (row?.payment_intent_id == null) return
    const { amount_cents, currency } = row
    const now = new Date()
    const dispute = {
      status,
      reference: `dp_${row.id}_${value % 2}`,
      charge_key: acquirerKey(row),
      amount_cents,
      currency,
      reason: 'fraud',
    }
    const times = {
      network_reason_code: null,
      due_by: null,
      opened_at: now,
      resolved_at: status === 'open' ? null : now,
    }
    const notice = { id: newId('evt'), created_at: now, of: 'dispute' as const, dispute: { ...dispute, ...times } }
    await db.write((tx, emit) => applyNotice({ tx, emit, logger }, notice))
  }
  const refundEnds = (status: 'completed' | 'failed') => async (index: number) => {
    const found = await some(RefundEntity, index)
    const failure_reason = status === 'failed' ? ('refused' as const) : undefined
    const news = { status, acquirer_reference: 'rf_1', ...(failure_reason && { failure_reason }) } as Parameters<
      typeof settleRefund
    >[2]
    const refund = found && (await db.read(em => em.findOne(RefundEntity, { id: found.id })))
    if (refund?.status === 'processing')
      await db.write((tx, emit) => settleRefund({ tx, emit, logger }, refund.id, news))
  }
  const settlementEnds = (how: 'paid' | 'failed' | 'deleted') => async (index: number) => {
    const found = await some(SettlementEntity, index)
    if (!found) return
    await db.write(async (tx, emit) => {
      const row = await tx.findOneOrFail(SettlementEntity, { id: found.id })
      await endSettlement({ tx, emit, schema: 'transactions' }, row, how)
    })
  }
  const disputeMoves = (status: 'under_review' | 'won' | 'lost' | 'accepted') => async (index: number) => {
    const found = await some(DisputeEntity, index)
    if (found) await changeDispute(db, callerOf(found.book), found.id, { status })
  }
  return {
    charge: async (index: number, amount_cents: number) => {
      const book = nth(books, index) as Book
      payments.push({ book, id: await world.captured(book.merchant, { amount_cents, currency: book.currency }) })
    },
    enter: async (index: number, amount_cents: number) => {
      const book = nth(books, index) as Book
      const captured_at = new Date(Date.now() - (amount_cents % 4) * 86_400_000)
      const sale = { rail: 'online_cnp', payment_method: 'card', status: 'approved', captured_at } as const
      const input = { ...sale, amount_cents, currency: book.currency }
      payments.push({ book, id: (await enterTransaction(db, callerOf(book), input)).id })
    },
    refund: (index: number) =>
      onPayment(index, ({ id, book }) => refundTransaction({ db, logger }, callerOf(book), id)),
    refundDone: refundEnds('completed'),
    refundFailed: refundEnds('failed'),
    dispute: (index: number) =>
      onPayment(index, ({ id, book }) => openDispute(db, callerOf(book), { transaction_id: id, reason: 'fraud' })),
    ...{
      review: disputeMoves('under_review'),
      win: disputeMoves('won'),
      lose: disputeMoves('lost'),
      accept: disputeMoves('accepted'),
    },
    takeBack: async (index: number) => {
      const found = await some(DisputeEntity, index)
      if (found) await removeDispute(db, callerOf(found.book), found.id)
    },
    toldOpen: (index: number, value: number) => told(index, 'open', value),
    toldWon: (index: number, value: number) => told(index, 'won', value),
    toldLost: (index: number, value: number) => told(index, 'lost', value),
    remove: (index: number) => onPayment(index, ({ id, book }) => deleteTransaction(db, callerOf(book), id)),
    day: (_index: number, value: number) => runDay({ db, logger }, addDays(today, (value % 7) - 2)),
    settle: async (index: number, value: number) => {
      const { currency, ...book } = nth(books, index) as Book
      const period_end = addDays(today, -(value % 3))
      await settlePeriod(db, callerOf({ currency, ...book }), { period_start: period_end, period_end, currency })
    },
    ...{ paid: settlementEnds('paid'), failed: settlementEnds('failed'), deleted: settlementEnds('deleted') },
  }
}

/** Opens two merchants' books in two currencies, on terms of their own. */
async function openBooks(
  terms: { feeBps: number; holdBps: number; holdDays: number; delayDays: number | null }[],
): Promise<Book[]> {
  const merchants = [newId('mrc'), newId('mrc')]
  const books = terms.map(({ feeBps, holdBps, ...days }, index) => ({
    ...{ merchant: merchants[index % 2] as string, currency: index < 2 ? 'MXN' : 'USD' },
    ...{ feeBps: BigInt(feeBps), holdBps: BigInt(holdBps), ...days },
  }))
  for (const { merchant, currency, feeBps, holdBps, holdDays, delayDays } of books) {
    await world.feeRule(merchant, { currency, percent_bps: Number(feeBps), tax_bps: 0 })
    await world.reserve(merchant, { currency, percent_bps: Number(holdBps), hold_days: holdDays })
    if (delayDays !== null) await world.settlementConfig(merchant, { currency, delay_days: delayDays })
  }
  return books
}

/** What the service says itself of a book: a snapshot taken now, and what its reserve holds. */
async function shownOf({ merchant, currency, ...book }: Book) {
  const { db } = world
  const { available_cents, pending_cents, reserved_cents, disputed_cents } = await db.write((tx, emit) =>
    takeSnapshot({ tx, emit, schema: 'transactions', book: { merchant_id: merchant, currency } }),
  )
  const [list] = rollingReserveRoutes({ db }) as [Route]
  const caller = callerOf({ merchant, currency, ...book })
  const request: Partial<IncomingCall['request']> = { params: {}, query: { currency } }
  const execution = list.accept({ caller, request: request as IncomingCall['request'], idempotencyId: undefined })
  if (!('answer' in execution)) throw new Error('The list of rolling reserves is not JSON.')
  const { data } = rollingReserves.operations.list.response.parse(JSON.parse((await execution.answer()).body))
  return { snapshot: [available_cents, pending_cents, reserved_cents, disputed_cents], held: data[0]?.held_cents }
}

async function faultsOf(books: Book[]): Promise<unknown[]> {
  const faults: unknown[] = []
  for (const book of books) faults.push(...(await recount(world, book, await shownOf(book))))
  const merchants = [...new Set(books.map(book => book.merchant))]
  const { ok, first_fault } = await checkLedger(world.db, operatorCaller(merchants))
  return ok ? faults : [...faults, first_fault]
}

const countOf = (entity: typeof LedgerEntryEntity | typeof SettlementEntity, books: Book[]) =>
  world.db.read(em =>
    em.count(entity as typeof SettlementEntity, { merchant_id: { $in: books.map(book => book.merchant) } }),
  )

const anyTerms = fc.record({
  feeBps: fc.nat({ max: 1_000 }),
  holdBps: fc.integer({ min: 1, max: 3_000 }),
  holdDays: fc.integer({ min: 1, max: 3 }),
  delayDays: fc.option(fc.nat({ max: 2 }), { nil: null }),
})
const weights: Record<Step[0], number> = {
  ...{
    charge: 6,
    enter: 6,
    refund: 4,
    refundDone: 3,
    refundFailed: 1,
    dispute: 3,
    review: 1,
    win: 2,
    lose: 2,
    accept: 1,
  },
  ...{
    takeBack: 1,
    toldOpen: 2,
    toldWon: 2,
    toldLost: 2,
    remove: 3,
    day: 5,
    settle: 4,
    paid: 2,
    failed: 2,
    deleted: 2,
  },
}
const anyStep = fc.tuple(
  fc.oneof(...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Step[0]) }))),
  fc.nat({ max: 11 }),
  fc.integer({ min: 1, max: 1_000_000 }),
) satisfies fc.Arbitrary<Step>

test(`${runs} times some 40 things that happen in any order leave every figure as counting anew comes to`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTerms, { minLength: 4, maxLength: 4 }),
      fc.array(anyStep, { minLength: 30, maxLength: 40, size: 'max' }),
      async (terms, happenings) => {
        await enterWorld()
        const books = await openBooks(terms)
        const steps = stepsOn(books, [])
        for (const [index, [name, which, value]] of happenings.entries()) {
          counts.steps += 1
          await Promise.resolve(steps[name](which, value)).catch(error => {
            // What the state of things does not permit is refused, and nothing but that.
            if (!(error instanceof ApiError) || error.status < 400 || error.status > 499) throw error
            counts.refused += 1
          })
          if (index % 20 === 19) expect([name, await faultsOf(books)]).toEqual([name, []])
        }
        expect(await faultsOf(books)).toEqual([])
        counts.entries += await countOf(LedgerEntryEntity, books)
        counts.settlements += await countOf(SettlementEntity, books)
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  process.stdout.write(`the ledger's property: ${runs} runs, ${JSON.stringify(counts)}\n`)
  expect(counts.refused).toBeLessThan(counts.steps * 0.6)
  expect(counts.settlements).toBeGreaterThan(runs / 2)
}, 900_000)
