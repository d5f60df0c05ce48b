import fc from 'fast-check'
import { accounts, balancesOf, type Posting } from '../ledger/ledger-accounts.ts'
import * as post from '../ledger/ledger-postings.ts'
import { calculateSettlement } from './calculate-settlement.ts'

interface Entry extends Posting {
  day: number
  settlement: number | undefined
}

interface Payment {
  ledger: string
  amount: bigint
  fee: bigint
  dueOn: number
  holdUntil: number
  position: post.Position
  entries: Entry[]
  refunded: boolean
  dispute: 'none' | 'open' | 'won' | 'lost'
  opened: Posting[]
  deleted: boolean
}

interface Settlement {
  ledger: string
  net: bigint
  status: 'pending' | 'paid' | 'failed'
}

/** A ledger in memory that uses the same posting functions as the service. */
function emptyLedger() {
  const payments: Payment[] = []
  const settlements: Settlement[] = []
  const settlementEntries: Record<string, Posting[]> = {}
  let today = 0

  const enter = (payment: Payment, postings: Posting[], day = today) => {
    payment.entries.push(...postings.map(posting => ({ ...posting, day, settlement: undefined })))
    payment.position = post.positionAfter(payment.position, postings)
  }
  const enterSettlement = (ledger: string, postings: Posting[]) => {
    settlementEntries[ledger] = [...(settlementEntries[ledger] ?? []), ...postings]
  }
  const pendingUntil = (payment: Payment, day: number) =>
    balancesOf(payment.entries.filter(entry => entry.day <= day)).merchant_pending
  const mature = (payment: Payment, day: number) => {
    enter(payment, post.transferPostings('matured', pendingUntil(payment, day)), day)
    payment.position.matured_on = String(day)
  }
  const dueOn = (day: number) => payments.filter(payment => payment.dueOn <= day)

  return {
    payments,
    settlements,
    settlementEntries,
    pass: (days: number) => {
      for (const end = today + days; today < end; ) {
        const closed = today++
        for (const payment of dueOn(closed)) mature(payment, closed)
        for (const payment of payments.filter(({ holdUntil }) => holdUntil <= closed)) {
          enter(payment, post.holdReleasedPostings(payment.position.reserve_cents), closed)
        }
      }
    },
    capture: (ledger: string, money: { amount: bigint; fee: bigint; hold: bigint }, delay: number, held: number) => {
      const payment: Payment = {
        ...{ ledger, amount: money.amount, fee: money.fee, dueOn: today + delay, holdUntil: today + held },
        ...{ position: post.emptyPosition, entries: [], refunded: false, dispute: 'none', opened: [], deleted: false },
      }
      enter(payment, post.capturePostings(money))
      payments.push(payment)
    },
    refund: (payment: Payment) => {
      if (payment.refunded || payment.deleted) return
      payment.refunded = true
      enter(payment, post.refundPostings(payment.position, payment.amount))
    },
    returnFee: (payment: Payment) => {
      if (payment.refunded || payment.deleted) return
      enter(payment, post.feeReturnedPostings(payment.position, payment.fee))
      payment.fee = 0n
    },
    dispute: (payment: Payment) => {
      if (payment.dispute !== 'none' || payment.deleted) return
      payment.dispute = 'open'
      payment.opened = post.disputeOpenedPostings(payment.position, payment.amount)
      enter(payment, payment.opened)
    },
    win: (payment: Payment) => {
      if (payment.dispute !== 'open' && payment.dispute !== 'lost') return
      if (payment.dispute === 'lost') enter(payment, post.transferPostings('dispute_reopened', payment.amount))
      payment.dispute = 'won'
      enter(payment, post.disputeWonPostings(payment.opened))
    },
    lose: (payment: Payment) => {
      if (payment.dispute !== 'open') return
      payment.dispute = 'lost'
      enter(payment, post.transferPostings('dispute_lost', payment.amount))
    },
    remove: (payment: Payment) => {
      const settled = payment.entries.some(entry => entry.settlement !== undefined)
      if (payment.refunded || payment.dispute !== 'none' || payment.deleted || settled) return
      payment.deleted = true
      enter(payment, post.deletionPostings(payment.entries))
    },
    settle: (ledger: string) => {
      const number = settlements.length
      const due = dueOn(today).filter(payment => payment.ledger === ledger)
      for (const payment of due) mature(payment, today)
      const collected = due.flatMap(({ entries }) => entries.filter(entry => entry.settlement === undefined))
      const { net } = calculateSettlement(collected)
      if (net <= 0n) return
      for (const entry of collected) entry.settlement = number
      settlements.push({ ledger, net, status: 'pending' })
      enterSettlement(ledger, post.transferPostings('settlement_made', net))
    },
    finish: (settlement: Settlement, status: 'paid' | 'failed') => {
      if (settlement.status !== 'pending') return
      settlement.status = status
      const { ledger, net } = settlement
      enterSettlement(
        ledger,
        status === 'paid'
          ? post.transferPostings('settlement_paid', net)
          : post.transferPostings('settlement_reversed', net),
      )
      if (status === 'paid') return
      const number = settlements.indexOf(settlement)
      for (const { entries } of payments)
        for (const entry of entries) if (entry.settlement === number) entry.settlement = undefined
    },
  }
}

const total = (sums: bigint[]) => sums.reduce((all, one) => all + one, 0n)

/** Returns where positions, payments and settlements differ from the sums of the ledger entries. */
function discrepanciesOf({ payments, settlements, settlementEntries }: ReturnType<typeof emptyLedger>): string[] {
  const discrepancies: string[] = []
  const same = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) discrepancies.push(`${what}: ${found} instead of ${expected}`)
  }
  for (const { entries, position } of payments) {
    const balances = balancesOf(entries)
    same('pending', position.pending_cents, balances.merchant_pending)
    same('available', position.available_cents, balances.merchant_available)
    same('reserve', position.reserve_cents, balances.merchant_reserve)
    same('disputed', position.disputed_cents, balances.merchant_disputed)
  }
  for (const ledger of ledgers) {
    const ours = payments.filter(payment => payment.ledger === ledger)
    const entries = [...ours.flatMap(payment => payment.entries), ...(settlementEntries[ledger] ?? [])]
    const on = balancesOf(entries)
    const own = settlements.filter(settlement => settlement.ledger === ledger)
    const net = (status: Settlement['status']) => total(own.filter(one => one.status === status).map(one => one.net))
    const sum = (of: (payment: Payment) => bigint) => total(ours.filter(payment => !payment.deleted).map(of))
    const refunded = sum(payment => (payment.refunded ? payment.amount : 0n))
    const lost = sum(payment => (payment.dispute === 'lost' ? payment.amount : 0n))
    const open = sum(payment => (payment.dispute === 'open' ? payment.amount : 0n))
    const captured = sum(payment => payment.amount)
    const fees = sum(payment => payment.fee)
    same('all accounts', total(accounts.map(account => on[account])), 0n)
    same(
      'amounts above zero',
      entries.every(entry => entry.amount > 0n),
      true,
    )
    same('fees', on.fee_revenue, fees)
    same('disputed', on.merchant_disputed, open)
    same('payouts', on.payouts, net('pending'))
    same('receivable', -on.receivable_acquirer, captured - refunded - lost - net('paid'))
    const owed = on.merchant_pending + on.merchant_available + on.merchant_reserve
    same('owed', owed, captured - fees - refunded - lost - open - net('pending') - net('paid'))
  }
  settlements.forEach((settlement, number) => {
    if (settlement.status === 'failed') return
    const collected = payments.flatMap(({ entries }) => entries.filter(entry => entry.settlement === number))
    same('pending of a settlement', balancesOf(collected).merchant_pending, 0n)
    same('available of a settlement', balancesOf(collected).merchant_available, settlement.net)
    same('net of a settlement', calculateSettlement(collected).net, settlement.net)
  })
  return discrepancies
}

const ledgers = ['one MXN', 'one USD', 'two MXN']
const anyLedger = fc.constantFrom(...ledgers)
const nth = fc.nat({ max: 7 })
const money = fc
  .tuple(fc.bigInt(1n, 99_999_999_999n), fc.bigInt(0n, 2_000n), fc.bigInt(0n, 10_000n))
  .map(([amount, fee, share]) => ({ amount, fee, hold: (amount * share) / 10_000n }))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('capture'), anyLedger, money, fc.nat({ max: 3 }), fc.nat({ max: 9 })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('pass'), fc.integer({ min: 1, max: 4 })) },
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('refund', 'returnFee', 'dispute', 'win', 'lose', 'remove'), nth) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('settle'), anyLedger) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('paid', 'failed'), nth) },
) as fc.Arbitrary<any[]>

test('any sequence of operations leaves every ledger consistent after each step', () => {
  let settled = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }), steps => {
      const ledger = emptyLedger() as ReturnType<typeof emptyLedger> & Record<string, (...given: any[]) => void>
      for (const [name, first, ...rest] of steps) {
        const known = ['paid', 'failed'].includes(name) ? ledger.settlements : ledger.payments
        if (['capture', 'pass', 'settle'].includes(name)) ledger[name]?.(first, ...rest)
        else if (known[first] !== undefined && known === ledger.settlements) ledger.finish(known[first] as never, name)
        else if (known[first] !== undefined) ledger[name]?.(known[first])
        expect(discrepanciesOf(ledger)).toEqual([])
      }
      settled += ledger.settlements.length
    }),
    { numRuns: 300 },
  )
  expect(settled).toBeGreaterThan(50)
})
