import { balancesOf, sidesOf } from './ledger-accounts.ts'
import * as post from './ledger-postings.ts'

const captured = post.capturePostings({ amount: 25_000n, fee: 1_044n, hold: 2_500n })
const after = (...postings: ReturnType<typeof post.capturePostings>[]) =>
  postings.reduce(post.positionAfter, post.emptyPosition)
const lines = (postings: ReturnType<typeof post.capturePostings>) =>
  postings.map(({ debit, credit, amount }) => `${debit} → ${credit} ${amount}`)

test('a capture is posted as the fee, the hold and the pending rest', () => {
  expect(lines(captured)).toEqual([
    'receivable_acquirer → fee_revenue 1044',
    'receivable_acquirer → merchant_reserve 2500',
    'receivable_acquirer → merchant_pending 21456',
  ])
  expect(lines(post.capturePostings({ amount: 100n, fee: 0n, hold: 0n }))).toEqual([
    'receivable_acquirer → merchant_pending 100',
  ])
})

test('a capture with a fee above its amount makes the pending balance negative', () => {
  const postings = post.capturePostings({ amount: 100n, fee: 300n, hold: 0n })
  expect(lines(postings)).toEqual([
    'receivable_acquirer → fee_revenue 300',
    'merchant_pending → receivable_acquirer 200',
  ])
  expect(balancesOf(postings)).toMatchObject({ receivable_acquirer: -100n, merchant_pending: -200n, fee_revenue: 300n })
})

test('a refund before maturity takes the hold first and then the pending balance', () => {
  expect(lines(post.refundPostings(after(captured), 25_000n))).toEqual([
    'merchant_reserve → receivable_acquirer 2500',
    'merchant_pending → receivable_acquirer 22500',
  ])
})

test('a refund after maturity takes the hold first and then the available balance', () => {
  const position = { ...after(captured, post.transferPostings('matured', 21_456n)), matured_on: '2026-11-20' }
  expect(lines(post.refundPostings(position, 25_000n))).toEqual([
    'merchant_reserve → receivable_acquirer 2500',
    'merchant_available → receivable_acquirer 22500',
  ])
  const released = post.positionAfter(position, post.holdReleasedPostings(2_500n))
  expect(lines(post.refundPostings(released, 25_000n))).toEqual(['merchant_available → receivable_acquirer 25000'])
})

test('a refund below the hold takes only the hold, and without a hold none of it', () => {
  const position = after(captured)
  expect(lines(post.refundPostings(position, 1_000n))).toEqual(['merchant_reserve → receivable_acquirer 1000'])
  for (const reserve_cents of [0n, -5n])
    expect(lines(post.refundPostings({ ...position, reserve_cents }, 1_000n))).toEqual([
      'merchant_pending → receivable_acquirer 1000',
    ])
})

test('postings add to the balances that a position has', () => {
  const position = { ...post.emptyPosition, pending_cents: 10n, available_cents: 20n }
  expect(post.positionAfter(position, post.transferPostings('matured', 4n))).toEqual({
    ...position,
    pending_cents: 6n,
    available_cents: 24n,
  })
})

test('a returned fee goes to the pending balance, or to the available one from maturity on', () => {
  expect(lines(post.feeReturnedPostings(after(captured), 1_044n))).toEqual(['fee_revenue → merchant_pending 1044'])
  const matured = { ...after(captured), matured_on: '2026-11-20' }
  expect(lines(post.feeReturnedPostings(matured, 1_044n))).toEqual(['fee_revenue → merchant_available 1044'])
  expect(post.feeReturnedPostings(matured, 0n)).toEqual([])
})

test('a won dispute returns its amount to the accounts that it was taken from', () => {
  const before = after(captured)
  const opened = post.disputeOpenedPostings(before, 25_000n)
  const disputed = post.positionAfter(before, opened)
  expect(disputed).toMatchObject({ reserve_cents: 0n, pending_cents: -1_044n, disputed_cents: 25_000n })
  expect(post.positionAfter(disputed, post.disputeWonPostings(opened))).toEqual(before)
})

test('a lost dispute passes its amount to the acquirer, and a later win takes it back', () => {
  expect(lines(post.transferPostings('dispute_lost', 25_000n))).toEqual([
    'merchant_disputed → receivable_acquirer 25000',
  ])
  expect(lines(post.transferPostings('dispute_reopened', 25_000n))).toEqual([
    'receivable_acquirer → merchant_disputed 25000',
  ])
})

test('a settlement moves money from the available balance to payouts, and from there to the acquirer or back', () => {
  expect(lines(post.transferPostings('settlement_made', 10n))).toEqual(['merchant_available → payouts 10'])
  expect(lines(post.transferPostings('settlement_paid', 10n))).toEqual(['payouts → receivable_acquirer 10'])
  expect(lines(post.transferPostings('settlement_reversed', 10n))).toEqual(['payouts → merchant_available 10'])
})

test('deleting a transaction leaves every account at zero, including the fee', () => {
  const entries = [...captured, ...post.transferPostings('matured', 21_456n)]
  const balances = balancesOf([...entries, ...post.deletionPostings(entries)])
  expect(Object.values(balances).every(balance => balance === 0n)).toBe(true)
})

test('zero amounts are not posted, and a negative amount swaps debit and credit', () => {
  expect([post.transferPostings('matured', 0n), post.holdReleasedPostings(0n), post.holdReleasedPostings(-5n)]).toEqual(
    [[], [], []],
  )
  expect(lines(post.transferPostings('matured', -5n))).toEqual(['merchant_available → merchant_pending 5'])
})

test('every posting debits and credits only accounts that its event allows', () => {
  const held = after(captured)
  const inDebt = { ...post.emptyPosition, pending_cents: -5n, available_cents: -5n }
  const all = [held, inDebt, { ...held, matured_on: '2026-11-20' }].flatMap(position => {
    const opened = post.disputeOpenedPostings(position, 25_000n)
    return [...post.refundPostings(position, 25_000n), ...opened, ...post.disputeWonPostings(opened)]
  })
  const others = [
    ...[captured, post.capturePostings({ amount: 100n, fee: 300n, hold: 0n }), post.holdReleasedPostings(1n)],
    ...[post.feeReturnedPostings(held, 1n), post.feeReturnedPostings({ ...held, matured_on: '2026-11-20' }, 1n)],
    ...[
      post.transferPostings('matured', 1n),
      post.transferPostings('matured', -1n),
      post.transferPostings('dispute_lost', 1n),
      post.transferPostings('dispute_reopened', 1n),
    ],
    ...[
      post.transferPostings('settlement_made', 1n),
      post.transferPostings('settlement_paid', 1n),
      post.transferPostings('settlement_reversed', 1n),
    ],
    ...[
      post.deletionPostings(captured),
      post.deletionPostings(post.capturePostings({ amount: 100n, fee: 300n, hold: 0n })),
    ],
  ].flat()
  const disallowed = [...all, ...others].filter(
    ({ event, debit, credit }) => !sidesOf[event].some(([from, to]) => from.includes(debit) && to.includes(credit)),
  )
  expect(disallowed).toEqual([])
  expect(new Set([...all, ...others].map(posting => posting.event)).size).toBe(Object.keys(sidesOf).length)
})
