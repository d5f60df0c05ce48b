import { ApiError, type Id, newId, rollingReserves } from '@cobro/contracts'
import { lockRow, type Reader } from '@cobro/database'
import type { IncomingCall, Route } from '@cobro/http'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import fc from 'fast-check'
import { applyNotification } from '../src/acquirer-notifications/apply-notification.ts'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { runDay } from '../src/daily-run/run-day.ts'
import { changeDispute, openDispute, removeDispute } from '../src/disputes/change-dispute.ts'
import { DisputeEntity } from '../src/disputes/dispute-entity.ts'
import { LedgerEntryEntity } from '../src/ledger/ledger-entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { enterTransaction } from '../src/manual-transactions/enter-transaction.ts'
import { refundDuplicate } from '../src/refunds/record-late-payment.ts'
import { RefundEntity } from '../src/refunds/refund-entity.ts'
import { refundTransaction } from '../src/refunds/refund-transaction.ts'
import { resolveRefund } from '../src/refunds/resolve-refund.ts'
import { rollingReserveRoutes } from '../src/rolling-reserve/rolling-reserve-routes.ts'
import { settlePeriod } from '../src/settlements/settle-period.ts'
import { SettlementEntity } from '../src/settlements/settlement-entity.ts'
import type { SettlementAction } from '../src/settlements/settlement-states.ts'
import { transitionSettlement } from '../src/settlements/transition-settlement.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { acquirerKey } from '../src/transactions/acquirer-key.ts'
import { isManual, TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { ledgerFixture } from './ledger-fixture.ts'
import { recount, type Terms } from './ledger-recount.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const runs = long ? 300 : 8
const logger = createLogger('transactions', 'silent')
let today: string
beforeEach(() => {
  today = dayOf(new Date())
})
let world: Awaited<ReturnType<typeof ledgerFixture>>
/** The runs until the database is replaced, because a daily run processes every ledger in it. */
const runsOfWorld = 5
let runsLeft = 0
async function enterWorld() {
  if (runsLeft-- > 0) return
  await world?.stop()
  world = await ledgerFixture()
  runsLeft = runsOfWorld - 1
}
afterAll(() => world?.stop())

type Ledger = Terms & { delayDays: number | null; holdDays: number }
type Payment = { id: Id<'txn'>; ledger: Ledger }
type Step = [name: keyof ReturnType<typeof stepsOn>, nth: number, value: number]
const counts = { steps: 0, refused: 0, entries: 0, settlements: 0 }

/** Returns all of an amount or, for every third value, a part of it. */
const partOf = (amount: number, value: number) => (value % 3 === 0 ? 1 + (value % amount) : amount)

const callerOf = ({ merchant }: Ledger) => operatorCaller('all', merchant)
const nth = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(from.length, 1)]

/** Every step that may happen to payments of some ledgers. Numbers choose among existing rows. */
function stepsOn(ledgers: Ledger[], payments: Payment[]) {
  const { db } = world
  const some = async <Row extends { id: string; merchant_id: string }>(
    find: (em: Reader, where: { merchant_id: Id<'mrc'>[] }, order: { orderBy: { id: 'asc' } }) => Promise<Row[]>,
    index: number,
  ) => {
    const merchant_id = ledgers.map(ledger => ledger.merchant)
    const row = nth(await db.read(em => find(em, { merchant_id }, { orderBy: { id: 'asc' } })), index)
    const ledger = ledgers.find(one => one.merchant === row?.merchant_id)
    return row && ledger && { row, ledger }
  }
  const onPayment = (index: number, step: (payment: Payment) => Promise<unknown>) => {
    const payment = nth(payments, index)
    return payment && step(payment)
  }
  const notify = async (index: number, status: 'open' | 'won' | 'lost', value: number) => {
    const row = payments.length > 0 ? await world.row(nth(payments, index)!.id) : undefined
    if (row?.payment_intent_id == null) return
    const { currency } = row
    const amount_cents = partOf(row.amount_cents, value)
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
    const notification = {
      id: newId('evt'),
      created_at: now,
      of: 'dispute' as const,
      dispute: { ...dispute, ...times },
    }
    await db.write((tx, emit) => applyNotification({ tx, emit, logger }, notification))
  }
  const endRefundAs = (status: 'completed' | 'failed') => async (index: number) => {
    const found = await some((em, ...where) => em.find(RefundEntity, ...where), index)
    const failure_reason = status === 'failed' ? ('refused' as const) : undefined
    const outcome = { status, acquirer_reference: 'rf_1', ...(failure_reason && { failure_reason }) } as Parameters<
      typeof resolveRefund
    >[2]
    if (found?.row.status === 'processing')
      await db.write((tx, emit) => resolveRefund({ tx, emit, logger }, found.row.id, outcome))
  }
  const endSettlementBy = (action: SettlementAction) => async (index: number) => {
    const found = await some((em, ...where) => em.find(SettlementEntity, ...where), index)
    if (!found) return
    await db.write(async (tx, emit) => {
      const row = await tx.findOneOrFail(SettlementEntity, { id: found.row.id })
      await transitionSettlement({ tx, emit }, row, action)
    })
  }
  const changeDisputeTo = (status: 'under_review' | 'won' | 'lost' | 'accepted') => async (index: number) => {
    const found = await some((em, ...where) => em.find(DisputeEntity, ...where), index)
    if (found) await changeDispute(db, callerOf(found.ledger), found.row.id, { status })
  }
  return {
    charge: async (index: number, amount_cents: number) => {
      const ledger = nth(ledgers, index) as Ledger
      payments.push({ ledger, id: await world.captured(ledger.merchant, { amount_cents, currency: ledger.currency }) })
    },
    enter: async (index: number, amount_cents: number) => {
      const ledger = nth(ledgers, index) as Ledger
      const captured_at = new Date(Date.now() - (amount_cents % 4) * 86_400_000)
      const payment = { rail: 'online_cnp', payment_method: 'card', status: 'approved', captured_at } as const
      const input = { ...payment, amount_cents, currency: ledger.currency }
      payments.push({ ledger, id: (await enterTransaction(db, callerOf(ledger), input)).id })
    },
    refund: (index: number) =>
      onPayment(index, ({ id, ledger }) =>
        refundTransaction({ db, logger, supportRefundCents: 0, confirmedRefundCents: 0 }, callerOf(ledger), id),
      ),
    duplicate: (index: number) =>
      onPayment(index, ({ id }) =>
        db.write(async (tx, emit) => {
          const row = await lockRow(tx, TransactionEntity, id)
          if (row.status === 'approved' && !row.refund_status && !isManual(row)) await refundDuplicate(tx, emit, row)
        }),
      ),
    refundDone: endRefundAs('completed'),
    refundFailed: endRefundAs('failed'),
    dispute: (index: number, value: number) =>
      onPayment(index, async ({ id, ledger }) => {
        const amount_cents = partOf((await world.row(id))?.amount_cents ?? 1, value)
        return openDispute(db, callerOf(ledger), { transaction_id: id, amount_cents, reason: 'fraud' })
      }),
    ...{
      review: changeDisputeTo('under_review'),
      win: changeDisputeTo('won'),
      lose: changeDisputeTo('lost'),
      accept: changeDisputeTo('accepted'),
    },
    withdraw: async (index: number) => {
      const found = await some((em, ...where) => em.find(DisputeEntity, ...where), index)
      if (found) await removeDispute(db, callerOf(found.ledger), found.row.id)
    },
    notifyOpen: (index: number, value: number) => notify(index, 'open', value),
    notifyWon: (index: number, value: number) => notify(index, 'won', value),
    notifyLost: (index: number, value: number) => notify(index, 'lost', value),
    remove: (index: number) => onPayment(index, ({ id, ledger }) => deleteTransaction(db, callerOf(ledger), id)),
    day: (_index: number, value: number) => runDay({ db, logger }, addDays(today, (value % 7) - 2)),
    settle: async (index: number, value: number) => {
      const { currency, ...ledger } = nth(ledgers, index) as Ledger
      const period_end = addDays(today, -(value % 3))
      await settlePeriod(db, callerOf({ currency, ...ledger }), { period_start: period_end, period_end, currency })
    },
    ...{ paid: endSettlementBy('pay'), failed: endSettlementBy('fail'), deleted: endSettlementBy('delete') },
  }
}

/** Creates ledgers of two merchants in two currencies, each with its own terms. */
async function openLedgers(
  terms: { feeBps: number; holdBps: number; holdDays: number; delayDays: number | null }[],
): Promise<Ledger[]> {
  const merchants = [newId('mrc'), newId('mrc')]
  const ledgers = terms.map(({ feeBps, holdBps, ...days }, index) => ({
    ...{ merchant: merchants[index % 2] as Id<'mrc'>, currency: index < 2 ? 'MXN' : 'USD' },
    ...{ feeBps: BigInt(feeBps), holdBps: BigInt(holdBps), ...days },
  }))
  for (const { merchant, currency, feeBps, holdBps, holdDays, delayDays } of ledgers) {
    await world.feeRule(merchant, { currency, percent_bps: Number(feeBps), tax_bps: 0 })
    await world.reserve(merchant, { currency, percent_bps: Number(holdBps), hold_days: holdDays })
    if (delayDays !== null) await world.settlementConfig(merchant, { currency, delay_days: delayDays })
  }
  return ledgers
}

/** Returns what the service shows for a ledger: a new snapshot and its reserve's held amount. */
async function shownOf({ merchant, currency, ...ledger }: Ledger) {
  const { db } = world
  const { available_cents, pending_cents, reserved_cents, disputed_cents } = await db.write((tx, emit) =>
    takeSnapshot({ tx, emit, ledger: { merchant_id: merchant, currency } }),
  )
  const [list] = rollingReserveRoutes({ db }) as [Route]
  const caller = callerOf({ merchant, currency, ...ledger })
  const request: Partial<IncomingCall['request']> = { params: {}, query: { currency } }
  const execution = list.accept({ caller, request: request as IncomingCall['request'], idempotencyId: undefined })
  if (!('answer' in execution)) throw new Error('The list of rolling reserves is not JSON.')
  const { data } = rollingReserves.operations.list.response.parse(JSON.parse((await execution.answer()).body))
  return { snapshot: [available_cents, pending_cents, reserved_cents, disputed_cents], held: data[0]?.held_cents }
}

async function discrepanciesOf(ledgers: Ledger[]): Promise<unknown[]> {
  const discrepancies: unknown[] = []
  for (const ledger of ledgers) discrepancies.push(...(await recount(world, ledger, await shownOf(ledger))))
  const merchants = [...new Set(ledgers.map(ledger => ledger.merchant))]
  const { ok, first_fault } = await checkLedger(world.db, operatorCaller(merchants))
  return ok ? discrepancies : [...discrepancies, first_fault]
}

const countOf = (entity: typeof LedgerEntryEntity | typeof SettlementEntity, ledgers: Ledger[]) =>
  world.db.read(em =>
    em.count(entity as typeof SettlementEntity, { merchant_id: { $in: ledgers.map(ledger => ledger.merchant) } }),
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
    duplicate: 2,
    refundDone: 3,
    refundFailed: 1,
    dispute: 3,
    review: 1,
    win: 2,
    lose: 2,
    accept: 1,
  },
  ...{
    withdraw: 1,
    notifyOpen: 2,
    notifyWon: 2,
    notifyLost: 2,
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

test(`${runs} random sequences of about 40 steps leave all amounts equal to an independent recount`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTerms, { minLength: 4, maxLength: 4 }),
      fc.array(anyStep, { minLength: 30, maxLength: 40, size: 'max' }),
      async (terms, happenings) => {
        await enterWorld()
        const ledgers = await openLedgers(terms)
        const steps = stepsOn(ledgers, [])
        // Chance brings many settlements or hardly any, so each sequence begins with one: of a payment of three days ago,
        // which is longer than any delay, until today.
        await steps.enter(0, 100_003)
        await steps.settle(0, 0)
        for (const [index, [name, which, value]] of happenings.entries()) {
          counts.steps += 1
          await Promise.resolve(steps[name](which, value)).catch(error => {
            // The only acceptable errors are rejections of steps that the current state does not allow.
            if (!(error instanceof ApiError) || error.status < 400 || error.status > 499) throw error
            counts.refused += 1
          })
          if (index % 20 === 19) expect([name, await discrepanciesOf(ledgers)]).toEqual([name, []])
        }
        expect(await discrepanciesOf(ledgers)).toEqual([])
        counts.entries += await countOf(LedgerEntryEntity, ledgers)
        counts.settlements += await countOf(SettlementEntity, ledgers)
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  process.stdout.write(`random ledger steps: ${runs} runs, ${JSON.stringify(counts)}\n`)
  expect(counts.refused).toBeLessThan(counts.steps * 0.6)
  expect(counts.settlements).toBeGreaterThanOrEqual(runs)
}, 3_600_000)
