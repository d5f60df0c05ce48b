import { type Id, newId } from '@cobro/contracts'
import { lockRow } from '@cobro/database'
import { resolveCharge } from '../src/charges/resolve-charge.ts'
import { checkPendingPayments } from '../src/pending-payments/check-pending-payments.ts'
import { resolvePayment } from '../src/pending-payments/resolve-payment.ts'
import { checkRefunds } from '../src/refunds/check-refunds.ts'
import { recordTransfer } from '../src/refunds/record-transfer.ts'
import { manualRefunds, oldestRefund } from '../src/refunds/refund-metrics.ts'
import { resolveRefund } from '../src/refunds/resolve-refund.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import {
  applyReport,
  db,
  endVoucherOf,
  eventsOf,
  issueVoucher,
  lateOf,
  logger,
  makeDue,
  messagesOf,
  ownDatabase,
  refundsOf,
  rowOf,
} from './cash-fixture.ts'
import { scriptedAcquirer, voucherCommand } from './scripted-acquirer.ts'

ownDatabase()

describe('paying a voucher', () => {
  test('a paid voucher approves its transaction and emits the event once', async () => {
    const { command, voucher, row } = await issueVoucher()
    const paid = { ...voucher, status: 'paid' as const, paid_at: new Date() }
    await applyReport(row.id, paid)
    await applyReport(row.id, paid)
    // Reports older than the payment change nothing.
    await applyReport(row.id, { ...voucher, status: 'expired' })
    await applyReport(row.id, voucher)
    expect(await rowOf(command)).toMatchObject({ status: 'approved', captured_at: expect.any(Date) })
    expect((await eventsOf(command)).slice(2)).toEqual(['payment.approved', 'payment_attempt.settled'])
  })

  test('an expired voucher ends its transaction without an event to the merchant', async () => {
    const { command, voucher, row } = await issueVoucher()
    await applyReport(row.id, { ...voucher, status: 'expired' })
    expect(await rowOf(command)).toMatchObject({ status: 'expired' })
    expect((await eventsOf(command)).slice(2)).toEqual(['payment_attempt.settled'])
  })

  test('the withdrawal of a voucher of a cancelled session is repeated until the acquirer confirms it', async () => {
    const { command, voucher, row } = await issueVoucher()
    await endVoucherOf(command, 'cancel')
    expect((await eventsOf(command)).slice(2)).toEqual(['payment_attempt.settled'])
    const unreachable = scriptedAcquirer({ withdrawVoucher: { status: 'processing' } })
    await checkPendingPayments({ db, acquirer: unreachable.acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'cancelled', next_check_at: expect.any(Date) })
    await makeDue('transactions', row.id)
    const reachable = scriptedAcquirer({ withdrawVoucher: { ...voucher, status: 'withdrawn' } })
    await checkPendingPayments({ db, acquirer: reachable.acquirer }, logger)
    expect(reachable.calls).toEqual([`withdrawVoucher ${command.payment_intent_id}:1`])
    expect(await rowOf(command)).toMatchObject({ status: 'cancelled', next_check_at: null })
    expect(await lateOf(row.id)).toEqual([])
  })

  test.each(['expire', 'cancel'] as const)(
    'a voucher that was paid before the action %s stays approved and is refunded as a duplicate',
    async action => {
      const { command, voucher, row } = await issueVoucher()
      await applyReport(row.id, { ...voucher, status: 'paid' })
      await endVoucherOf(command, action)
      await endVoucherOf(command, action)
      expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'processing' })
      expect(await refundsOf(row.id)).toMatchObject([{ payment_key: `${command.payment_intent_id}:1`, owed: true }])
      expect((await eventsOf(command)).slice(4)).toEqual(['payment.duplicate'])
    },
  )

  test('a concurrent payment and cancellation of a voucher lose no money and post none twice', async () => {
    for (let i = 0; i < 10; i++) {
      const { command, voucher, row } = await issueVoucher()
      await Promise.all([applyReport(row.id, { ...voucher, status: 'paid' }), endVoucherOf(command, 'cancel')])
      const refunded = [...(await refundsOf(row.id))]
      for (const late of await lateOf(row.id)) refunded.push(...(await refundsOf(late.id)))
      expect(refunded).toMatchObject([{ payment_key: `${command.payment_intent_id}:1`, amount_cents: 25_000 }])
      expect((await eventsOf(command)).filter(name => name === 'payment.duplicate')).toHaveLength(1)
    }
  })
})

describe('a late payment', () => {
  test('a late payment becomes one refunded transaction, however often it is reported', async () => {
    const { command, voucher, row } = await issueVoucher()
    await endVoucherOf(command, 'expire')
    const paid = { ...voucher, status: 'paid' as const }
    await Promise.all([applyReport(row.id, paid), applyReport(row.id, paid)])
    await makeDue('transactions', row.id)
    await checkPendingPayments({ db, acquirer: scriptedAcquirer({ withdrawVoucher: paid }).acquirer }, logger)
    const [late, ...more] = await lateOf(row.id)
    expect(more).toEqual([])
    expect(late).toMatchObject({
      status: 'approved',
      payment_method: 'cash',
      metadata: { plan: 'gold', late_payment_of: row.id },
      refund_status: 'processing',
    })
    expect(late?.payment_intent_id).not.toBe(command.payment_intent_id)
    expect(await rowOf(command)).toMatchObject({ status: 'expired', next_check_at: null })
    expect((await eventsOf(command)).slice(3)).toEqual(['payment.duplicate'])
    const { acquirer, requests } = scriptedAcquirer({ refund: { status: 'completed', acquirer_reference: 'rf' } })
    await checkRefunds({ db, acquirer }, logger)
    expect(requests).toEqual([
      { key: late?.refund_id, voucher_key: `${command.payment_intent_id}:1`, amount_cents: 25_000, currency: 'MXN' },
    ])
    expect(await lateOf(row.id)).toMatchObject([{ status: 'refunded', refund_status: 'completed' }])
  })

  test('a late payment is labelled in its metadata even when the metadata is full', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key_${at}`, at]))
    const { command, voucher, row } = await issueVoucher({ metadata })
    await endVoucherOf(command, 'expire')
    await applyReport(row.id, { ...voucher, status: 'paid' })
    expect(await lateOf(row.id)).toMatchObject([{ metadata: { late_payment_of: row.id } }])
  })

  test('a card payment that is approved after its reversal is a late payment', async () => {
    const command = voucherCommand({ payment_method: 'card', deadline: new Date(0) })
    const { concept: _concept, deadline: _deadline, ...attempt } = command
    await resolvePayment({ db, acquirer: scriptedAcquirer({}).acquirer }, attempt)
    const { id } = await rowOf(command)
    const approved = { status: 'approved', acquirer_reference: 'ch', risk_score: 3 } as const
    for (let i = 0; i < 2; i++) await db.write((tx, emit) => resolveCharge(tx, emit, id, approved))
    const [late] = await lateOf(id)
    expect(late).toMatchObject({ payment_method: 'card', acquirer_reference: 'ch' })
    const { acquirer, requests } = scriptedAcquirer({ refund: { status: 'processing', acquirer_reference: 'rf' } })
    await checkRefunds({ db, acquirer }, logger)
    expect(requests).toMatchObject([{ charge_key: `${command.payment_intent_id}:1` }])
  })
})

describe('refunds', () => {
  async function refunding(owed: boolean) {
    const { command, voucher, row } = await issueVoucher()
    await applyReport(row.id, { ...voucher, status: 'paid' })
    const refund = await db.write(async tx => startRefund(tx, await lockRow(tx, TransactionEntity, row.id), { owed }))
    return { command, id: row.id, refund }
  }
  const report = (id: Id<'rfd'>, outcome: Parameters<typeof resolveRefund>[2]) =>
    db.write((tx, emit) => resolveRefund({ tx, emit, logger }, id, outcome))

  test('a refund is requested once under its key and completed once', async () => {
    const { command, id, refund } = await refunding(false)
    const first = scriptedAcquirer({ refund: { status: 'processing', acquirer_reference: 'rf' } })
    await Promise.all([1, 2].map(() => checkRefunds({ db, acquirer: first.acquirer }, logger)))
    expect(first.calls).toEqual([`refund ${refund.id}`])
    await makeDue('refunds', refund.id)
    const completed = { status: 'completed', acquirer_reference: 'rf' } as const
    const second = scriptedAcquirer({ findRefund: completed })
    await checkRefunds({ db, acquirer: second.acquirer }, logger)
    await report(refund.id, completed)
    expect(await rowOf(command)).toMatchObject({ status: 'refunded', refund_status: 'completed' })
    expect((await eventsOf(command)).filter(name => name === 'payment.refunded')).toHaveLength(1)
    await expect(report(refund.id, { ...completed, status: 'failed' })).rejects.toThrow('is completed')
    expect(await refundsOf(id)).toMatchObject([{ status: 'completed', next_check_at: null }])
  })

  test('an interrupted refund is checked, reversed after a minute, and only then requested under another key', async () => {
    const { command, id, refund } = await refunding(false)
    await checkRefunds({ db, acquirer: scriptedAcquirer({}).acquirer }, logger)
    await makeDue('refunds', refund.id, '2 minutes')
    const notFound = { findRefund: { status: 'not_found' }, reverseRefund: { status: 'reversed' } } as const
    const { acquirer, calls } = scriptedAcquirer(notFound)
    await checkRefunds({ db, acquirer }, logger)
    expect(calls).toEqual([`findRefund ${refund.id}`, `reverseRefund ${refund.id}`])
    const [ended, next] = await refundsOf(id)
    expect([ended?.status, next?.status, next?.owed]).toEqual(['failed', 'processing', false])
    expect(await rowOf(command)).toMatchObject({
      ...{ status: 'approved', refund_status: 'processing', refund_id: next?.id },
      refund_requested_at: refund.created_at,
    })
    expect(await eventsOf(command)).not.toContain('payment.refund_failed')
    await makeDue('refunds', next?.id ?? '')
    const completed = { status: 'completed', acquirer_reference: 'rf' } as const
    const second = scriptedAcquirer({ refund: completed })
    await checkRefunds({ db, acquirer: second.acquirer }, logger)
    expect(second.calls).toEqual([`refund ${next?.id}`])
    expect(await rowOf(command)).toMatchObject({ status: 'refunded', refund_status: 'completed' })
  })

  test.each([true, false])(
    'a refund request that never reached the acquirer is repeated under the same key (refund owed: %s)',
    async owed => {
      const { command, id, refund } = await refunding(owed)
      const unreachable = scriptedAcquirer({ refund: { status: 'failed', acquirer_reference: null } })
      for (let i = 0; i < 3; i++) {
        await makeDue('refunds', refund.id)
        await checkRefunds({ db, acquirer: unreachable.acquirer }, logger)
      }
      expect(unreachable.calls).toEqual(Array(3).fill(`refund ${refund.id}`))
      expect(await refundsOf(id)).toMatchObject([{ id: refund.id, status: 'processing', check_count: 3 }])
      expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'processing' })
      await makeDue('refunds', refund.id)
      const refusal = { status: 'failed', acquirer_reference: 'rf', failure_reason: 'refused' } as const
      await checkRefunds({ db, acquirer: scriptedAcquirer({ refund: refusal }).acquirer }, logger)
      expect((await rowOf(command)).refund_status).toBe(owed ? 'processing' : 'failed')
      expect((await eventsOf(command)).filter(name => name === 'payment.refund_failed')).toHaveLength(owed ? 0 : 1)
    },
  )

  test('an owed refund is retried under another key after a technical failure', async () => {
    const { command, id, refund } = await refunding(true)
    const before = Date.now()
    await report(refund.id, { status: 'failed', acquirer_reference: 'rf', failure_reason: null })
    const [failed, next] = await refundsOf(id)
    expect([failed?.status, next?.status]).toEqual(['failed', 'processing'])
    expect(next?.next_check_at?.getTime()).toBeGreaterThan(before + 3_000)
    expect(await rowOf(command)).toMatchObject({ refund_status: 'processing', refund_id: next?.id })
  })

  test('an owed refund that the acquirer cannot return becomes a manual refund due', async () => {
    const { command, id, refund } = await refunding(true)
    const { acquirer } = scriptedAcquirer({
      refund: { status: 'failed', acquirer_reference: null, failure_reason: 'unsupported' },
    })
    await checkRefunds({ db, acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'processing' })
    const waiting = [{ id: refund.id, status: 'processing', by_hand: true, next_check_at: null }]
    expect(await refundsOf(id)).toMatchObject(waiting)
    expect((await rowOf(command)).manual_refund).toBe(true)
    // A person may have transferred it already, so further failure reports must not start another refund.
    for (const failure_reason of [null, 'refused', 'unsupported'] as const) {
      await report(refund.id, { status: 'failed', acquirer_reference: 'rf', failure_reason })
      await report(refund.id, { status: 'reversed' })
      expect(await refundsOf(id)).toMatchObject(waiting)
    }
  })

  test('the transfer of a manual refund is recorded once, and only for a manual refund', async () => {
    const { command, id, refund } = await refunding(true)
    const transferred = () => recordTransfer({ db, logger }, { id: refund.id, by: 'Ana López' })
    await expect(transferred()).rejects.toThrow('not a refund that is waiting for a transfer')
    await report(refund.id, { status: 'failed', acquirer_reference: null, failure_reason: 'unsupported' })
    await transferred()
    expect(await rowOf(command)).toMatchObject({
      ...{ status: 'refunded', refund_status: 'completed', manual_refund: false },
    })
    expect(await refundsOf(id)).toMatchObject([{ status: 'completed', by_hand: false }])
    expect((await eventsOf(command)).filter(name => name === 'payment.refunded')).toHaveLength(1)
    await expect(transferred()).rejects.toThrow('not a refund that is waiting for a transfer')
  })

  test('a refund that the release before marks for a transfer, or completes, is shown so on its payment', async () => {
    const { command, refund } = await refunding(true)
    for (const due of [true, false]) {
      await db.read(em => em.execute('update transactions.refunds set by_hand = ? where id = ?', [due, refund.id]))
      expect((await rowOf(command)).manual_refund).toBe(due)
    }
  })

  test('of two concurrent confirmations of a transfer one is recorded and the other fails', async () => {
    const { command, refund } = await refunding(true)
    await report(refund.id, { status: 'failed', acquirer_reference: null, failure_reason: 'unsupported' })
    const confirmations = ['Ana López', 'Ben'].map(by =>
      recordTransfer({ db, logger }, { id: refund.id, by }).then(() => by),
    )
    const [one, other] = (await Promise.allSettled(confirmations)).sort((a, b) => a.status.localeCompare(b.status))
    expect(other).toMatchObject({ reason: { message: expect.stringContaining('transfer: it is completed') } })
    const events = await messagesOf(command, 'payment.refunded')
    expect(events.map(({ actor }) => actor)).toEqual([{ type: 'command', id: (one as { value: string }).value }])
  })

  test('the age of the oldest refund counts from its request, until it becomes a manual refund', async () => {
    const measured = (sql: string) => db.read(async em => (await em.execute<{ value: number }[]>(sql))[0]?.value ?? 0)
    const { id, refund } = await refunding(true)
    const update = `update transactions.transactions set refund_requested_at = now() - interval '10 days' where id = ?`
    await db.read(em => em.execute(update, [id]))
    const before = await measured(manualRefunds)
    expect(Math.round((await measured(oldestRefund)) / 86_400)).toBe(10)
    await report(refund.id, { status: 'failed', acquirer_reference: 'rf', failure_reason: null })
    expect(Math.round((await measured(oldestRefund)) / 86_400)).toBe(10)
    const [, next] = await refundsOf(id)
    await report(next!.id, { status: 'failed', acquirer_reference: 'rf', failure_reason: 'refused' })
    expect(await measured(oldestRefund)).toBeLessThan(86_400)
    expect(await measured(manualRefunds)).toBe(before + 1)
  })

  test('the database rejects a second open refund of a payment', async () => {
    const { id } = await refunding(false)
    const second = db.write(async tx => startRefund(tx, await lockRow(tx, TransactionEntity, id), { owed: false }))
    await expect(second).rejects.toThrow('refunds_live')
  })
})

test('ending the vouchers of a session leaves other sessions unchanged', async () => {
  const { command } = await issueVoucher()
  await endVoucherOf({ ...command, payable_id: newId('cs') }, 'cancel')
  expect(await rowOf(command)).toMatchObject({ status: 'pending' })
})
