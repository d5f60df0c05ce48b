import { checkPendingPayments } from '../src/pending-payments/check-pending-payments.ts'
import { resolvePayment } from '../src/pending-payments/resolve-payment.ts'
import { requestVoucher } from '../src/vouchers/request-voucher.ts'
import { applyReport, db, eventsOf, issueVoucher, logger, makeDue, ownDatabase, rowOf } from './cash-fixture.ts'
import { aVoucher, scriptedAcquirer, voucherCommand } from './scripted-acquirer.ts'

ownDatabase()

test('an issued voucher is emitted once, and a repeated command gets the same reply', async () => {
  const command = voucherCommand({ concept: 'x'.repeat(200) })
  const { acquirer, requests } = scriptedAcquirer({ issueVoucher: aVoucher({ reference: '93100' }) })
  const reply = await requestVoucher({ db, acquirer }, command)
  const row = await rowOf(command)
  expect(row).toMatchObject({ status: 'pending', payment_method: 'cash', voucher_reference: '93100' })
  expect(requests).toEqual([
    {
      key: `${command.payment_intent_id}:1`,
      amount_cents: 25_000,
      currency: 'MXN',
      due_at: row.voucher_due_at,
      concept: 'x'.repeat(120),
    },
  ])
  expect(reply.data).toMatchObject({
    status: 'pending',
    transaction_id: row.id,
    voucher: { reference: '93100', due_at: row.voucher_due_at?.toISOString() },
  })
  const again = await requestVoucher({ db, acquirer: scriptedAcquirer({}).acquirer }, command)
  expect([again.id, again.data]).toEqual([reply.id, reply.data])
  expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
})

test('twenty concurrent deliveries of a voucher command request one voucher', async () => {
  const command = voucherCommand()
  const voucher = aVoucher()
  const { acquirer, calls } = scriptedAcquirer({ issueVoucher: voucher, findVoucher: voucher })
  await Promise.all(Array.from({ length: 20 }, () => requestVoucher({ db, acquirer }, command)))
  expect(calls.filter(line => line.startsWith('issueVoucher'))).toHaveLength(1)
  expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
})

test('a second voucher of an intent is not issued while the first can be paid', async () => {
  const command = voucherCommand()
  await requestVoucher({ db, acquirer: scriptedAcquirer({ issueVoucher: aVoucher() }).acquirer }, command)
  const second = await requestVoucher({ db, acquirer: scriptedAcquirer({}).acquirer }, { ...command, attempt: 2 })
  expect(second.data).toMatchObject({ status: 'failed', voucher: null })
})

test('a voucher command that the database rejects is not carried out', async () => {
  const { acquirer, calls } = scriptedAcquirer({ issueVoucher: aVoucher() })
  const requested = requestVoucher({ db, acquirer }, voucherCommand({ amount_cents: 0 }))
  await expect(requested).rejects.toThrow('amount_cents')
  expect(calls).toEqual([])
})

test('a voucher without a concept is requested without one', async () => {
  const { acquirer, requests } = scriptedAcquirer({ issueVoucher: aVoucher() })
  await requestVoucher({ db, acquirer }, voucherCommand({ concept: ' ' }))
  expect(requests).toEqual([expect.not.objectContaining({ concept: expect.anything() })])
})

test('a voucher command past its deadline requests no voucher', async () => {
  const command = voucherCommand({ deadline: new Date(0) })
  const reply = await requestVoucher({ db, acquirer: scriptedAcquirer({}).acquirer }, command)
  expect(reply.data).toMatchObject({ status: 'failed', voucher: null })
})

test('a voucher that the acquirer rejects is not issued', async () => {
  const command = voucherCommand()
  const { acquirer } = scriptedAcquirer({ issueVoucher: { status: 'failed' } })
  expect((await requestVoucher({ db, acquirer }, command)).data).toMatchObject({ status: 'failed' })
  expect(await eventsOf(command)).toEqual(['payment.failed', 'payment_attempt.settled'])
})

test.each([
  ['another amount', { amount_cents: 25_001 }],
  ['another currency', { currency: 'USD' }],
])('a voucher over %s is neither shown nor taken as paid', async (_what, other) => {
  const command = voucherCommand()
  const issuing = requestVoucher(
    { db, acquirer: scriptedAcquirer({ issueVoucher: aVoucher(other) }).acquirer },
    command,
  )
  await expect(issuing).rejects.toThrow('its voucher over')
  const { id } = await rowOf(command)
  await expect(applyReport(id, aVoucher({ ...other, status: 'paid' }))).rejects.toThrow('its voucher over')
  expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: null, captured_at: null })
  expect(await eventsOf(command)).toEqual([])
})

test('two vouchers may have the same reference when the acquirer reuses it', async () => {
  const { voucher } = await issueVoucher()
  const command = voucherCommand()
  await requestVoucher({ db, acquirer: scriptedAcquirer({ issueVoucher: voucher }).acquirer }, command)
  expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: voucher.reference })
})

test('a voucher that the acquirer does not find is checked and withdrawn a minute later', async () => {
  const command = voucherCommand()
  const unclear = scriptedAcquirer({ issueVoucher: { status: 'not_found' } })
  expect((await requestVoucher({ db, acquirer: unclear.acquirer }, command)).name).toBe('payment_attempt.pending')
  const { id } = await rowOf(command)
  await makeDue('transactions', id)
  await checkPendingPayments(
    { db, acquirer: scriptedAcquirer({ findVoucher: { status: 'not_found' } }).acquirer },
    logger,
  )
  expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: null })
  await makeDue('transactions', id, '2 minutes')
  const notFound = { findVoucher: { status: 'not_found' }, withdrawVoucher: { status: 'reversed' } } as const
  await checkPendingPayments({ db, acquirer: scriptedAcquirer(notFound).acquirer }, logger)
  expect(await rowOf(command)).toMatchObject({ status: 'failed', next_check_at: null })
})

test('a voucher issued hours ago stays issued when the acquirer once does not find it', async () => {
  const { command, row } = await issueVoucher()
  await makeDue('transactions', row.id, '9 hours')
  const lagging = scriptedAcquirer({ findVoucher: { status: 'not_found' }, withdrawVoucher: { status: 'reversed' } })
  await checkPendingPayments({ db, acquirer: lagging.acquirer }, logger)
  expect(lagging.calls).toEqual([`findVoucher ${command.payment_intent_id}:1`])
  const { status, next_check_at } = await rowOf(command)
  expect(status).toBe('pending')
  expect(next_check_at?.getTime()).toBeLessThan(Date.now() + 30_000)
})

test('a voucher with an unknown outcome is found to be issued when checkout asks', async () => {
  const command = voucherCommand()
  await requestVoucher({ db, acquirer: scriptedAcquirer({ issueVoucher: { status: 'processing' } }).acquirer }, command)
  const { concept: _concept, deadline: _deadline, ...attempt } = command
  await resolvePayment({ db, acquirer: scriptedAcquirer({ findVoucher: aVoucher() }).acquirer }, attempt)
  expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
})
