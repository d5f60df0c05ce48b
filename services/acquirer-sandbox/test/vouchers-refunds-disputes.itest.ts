import { randomUUID } from 'node:crypto'
import type { Voucher } from '@cobro/acquirer'
import { type TestDatabase, waitFor } from '@cobro/testing'
import { type NotificationReceiver, receiveNotifications } from './notification-receiver.ts'
import {
  type RunningSandbox,
  runSandbox,
  sandboxDatabase,
  settleSlowCharges,
  stopSandboxes,
  tokenOf,
} from './running-sandbox.ts'

let database: TestDatabase
let receiver: NotificationReceiver
let sandbox: RunningSandbox

beforeAll(async () => {
  database = await sandboxDatabase()
  receiver = await receiveNotifications()
  sandbox = await runSandbox(database, { NOTIFICATION_URL: receiver.url })
})

afterAll(async () => {
  await stopSandboxes()
  await receiver?.close()
  await database?.drop()
})

const money = { amount_cents: 25_000, currency: 'MXN' }
/** A refund completes a second after its request, which may be before its response. */
const acceptedRefund = { status: expect.stringMatching(/^(processing|completed)$/) }
const newKey = () => `k_${randomUUID()}`
const tomorrow = () => new Date(Date.now() + 86_400_000)

interface SentNotification {
  type: string
  created_at: string
  data: { key?: string; charge_key?: string; reference: string; status: string }
}

/** Returns the notifications received so far about a key, including disputes of a charge. */
function notificationsOf(key: string): SentNotification[] {
  const all = receiver.received.map(({ body }) => JSON.parse(body.toString()) as SentNotification)
  return all.filter(({ data }) => data.key === key || data.charge_key === key)
}

const typesOf = (key: string) => notificationsOf(key).map(({ type }) => type)

async function issued(due_at = tomorrow()): Promise<Voucher & { key: string }> {
  const key = newKey()
  return { ...((await sandbox.acquirer.issueVoucher({ key, ...money, due_at })) as Voucher), key }
}

async function charged(number: string): Promise<string> {
  const key = newKey()
  const token = await tokenOf(sandbox.acquirer, number)
  expect(await sandbox.acquirer.charge({ key, token, ...money })).toMatchObject({ status: 'approved' })
  return key
}

describe('a voucher', () => {
  test('pays a voucher once for twenty concurrent requests, and sends one notification', async () => {
    const { key, reference } = await issued()
    const results = await Promise.all(Array.from({ length: 20 }, () => sandbox.controls.payVoucher(reference)))
    expect(results.toSorted()).toEqual([...Array(19).fill('conflict'), 'done'])
    expect(await sandbox.controls.payVoucher(reference)).toBe('conflict')
    await waitFor(() => typesOf(key).length > 0)
    expect(typesOf(key)).toEqual(['voucher.paid'])
  })

  test('pays an expired voucher', async () => {
    const { key, reference } = await issued(new Date(Date.now() - 1))
    await waitFor(async () => (await sandbox.acquirer.findVoucher(key)).status === 'expired')
    expect(await sandbox.controls.payVoucher(reference)).toBe('done')
    expect(await sandbox.acquirer.findVoucher(key)).toMatchObject({ status: 'paid', paid_at: expect.any(Date) })
    await waitFor(() => typesOf(key).length === 2)
    expect(typesOf(key).toSorted()).toEqual(['voucher.expired', 'voucher.paid'])
  })

  test('pays a withdrawn voucher', async () => {
    const { key, reference } = await issued()
    await sandbox.acquirer.withdrawVoucher(key)
    expect(await sandbox.controls.payVoucher(reference)).toBe('done')
    expect(await sandbox.acquirer.withdrawVoucher(key)).toMatchObject({ status: 'paid' })
    await waitFor(() => typesOf(key).includes('voucher.paid'))
  })

  test('pays a voucher that is withdrawn concurrently, and the withdrawal returns its state', async () => {
    for (const { key, reference } of await Promise.all(Array.from({ length: 20 }, () => issued()))) {
      const [paid, withdrawn] = await Promise.all([
        sandbox.controls.payVoucher(reference),
        sandbox.acquirer.withdrawVoucher(key),
      ])
      expect(paid).toBe('done')
      expect(['paid', 'withdrawn']).toContain(withdrawn.status)
      expect(await sandbox.acquirer.findVoucher(key)).toMatchObject({ status: 'paid' })
    }
  })

  test('answers not_found to the payment of an unknown voucher and of one whose key was ended', async () => {
    expect(await sandbox.controls.payVoucher('93000000000000')).toBe('not_found')
    const key = newKey()
    await sandbox.acquirer.withdrawVoucher(key)
    const [row] = await database.query('select reference from acquirer_sandbox.vouchers where key = $1', [key])
    expect(await sandbox.controls.payVoucher(row.reference)).toBe('not_found')
  })

  test('issues a voucher of the largest amount', async () => {
    const largest = { key: newKey(), amount_cents: 99_999_999_999, currency: 'MXN', due_at: tomorrow() }
    expect(await sandbox.acquirer.issueVoucher(largest)).toMatchObject({
      status: 'pending',
      amount_cents: 99_999_999_999,
    })
  })
})

test('expires vouchers once each on three replicas that were due while none ran', async () => {
  const other = await sandboxDatabase()
  const settings = { NOTIFICATION_URL: receiver.url }
  const before = await runSandbox(other, settings)
  const keys = Array.from({ length: 150 }, newKey)
  await Promise.all(keys.map(key => before.acquirer.issueVoucher({ key, ...money, due_at: tomorrow() })))
  await before.stop()
  expect(await other.query("select 1 from acquirer_sandbox.vouchers where status <> 'pending'")).toEqual([])
  await other.query('update acquirer_sandbox.vouchers set due_at = now()')

  const replicas = await Promise.all([
    runSandbox(other, settings),
    runSandbox(other, settings),
    runSandbox(other, settings),
  ])
  // A notification that the receiver acknowledges late is sent again under the same id.
  const received = () =>
    new Set(
      receiver.received
        .map(({ body }) => JSON.parse(body.toString()))
        .filter(({ data }) => keys.includes(data.key))
        .map(({ id }) => id),
    )
  await waitFor(async () => received().size >= keys.length)
  await Promise.all(replicas.map(replica => replica.stop()))
  expect(new Set(keys.flatMap(typesOf))).toEqual(new Set(['voucher.expired']))
  expect(received().size).toBe(keys.length)
  await other.drop()
})

describe('a refund', () => {
  test('refunds parts of a charge, whose sum never exceeds the charge', async () => {
    const charge_key = await charged('4242424242424242')
    const part = (amount_cents: number) =>
      sandbox.acquirer.refund({ key: newKey(), charge_key, amount_cents, currency: 'MXN' })
    expect(await part(10_000)).toMatchObject(acceptedRefund)
    expect(await part(15_001)).toMatchObject({ status: 'failed', failure_reason: 'already_refunded' })
    expect(await part(15_000)).toMatchObject(acceptedRefund)
    expect(await part(1)).toMatchObject({ status: 'failed', failure_reason: 'already_refunded' })
  })

  test('fails a refund of a processing charge', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4000000000000341')
    expect(await sandbox.impatient.charge({ key, token, ...money })).toMatchObject({ status: 'processing' })
    const refund = await sandbox.acquirer.refund({ key: newKey(), charge_key: key, ...money })
    expect(refund).toMatchObject({ status: 'failed', failure_reason: 'not_refundable' })
  })

  test('fails a refund of a reversed charge key', async () => {
    const charge_key = newKey()
    await sandbox.acquirer.reverseCharge(charge_key)
    const refund = await sandbox.acquirer.refund({ key: newKey(), charge_key, ...money })
    expect(refund).toMatchObject({ status: 'failed', failure_reason: 'not_refundable' })
  })

  test('sends one notification of a completed or refused refund, and none if the response was final', async () => {
    const [good, bad] = [await charged('4242424242424242'), await charged('4000000000005126')]
    const [completed, refused, second] = [newKey(), newKey(), newKey()]
    await sandbox.acquirer.refund({ key: second, charge_key: newKey(), ...money })
    await sandbox.acquirer.refund({ key: refused, charge_key: bad, ...money })
    await sandbox.acquirer.refund({ key: completed, charge_key: good, ...money })
    await waitFor(() => typesOf(completed).length > 0 && typesOf(refused).length > 0)
    expect([completed, refused, second].map(typesOf)).toEqual([['refund.completed'], ['refund.failed'], []])
  })
})

describe('a dispute', () => {
  async function disputed(): Promise<{ charge_key: string; reference: string }> {
    const charge_key = await charged('4000000000000259')
    const opened = await waitFor(() => notificationsOf(charge_key).find(({ type }) => type === 'dispute.opened'))
    return { charge_key, reference: opened.data.reference }
  }

  test('opens a dispute some time after the charge of the disputed card, and of no other card', async () => {
    const startedAt = Date.now()
    const [{ charge_key }, other] = [await disputed(), await charged('4242424242424242')]
    const [opened] = notificationsOf(charge_key)
    expect(opened?.data).toMatchObject({
      status: 'open',
      charge_key,
      ...money,
      reason: 'fraudulent',
      resolved_at: null,
    })
    expect(Date.parse(opened?.created_at ?? '') - startedAt).toBeGreaterThanOrEqual(300)
    expect(notificationsOf(other)).toEqual([])
  })

  test('does not find a dispute before it opens', async () => {
    const slow = await runSandbox(database, { DISPUTE_DELAY_MS: 86_400_000 })
    const key = newKey()
    await slow.acquirer.charge({ key, token: await tokenOf(slow.acquirer, '4000000000000259'), ...money })
    const [row] = await database.query('select reference from acquirer_sandbox.disputes where charge_key = $1', [key])
    expect(await slow.controls.closeDispute(row.reference, 'won')).toBe('not_found')
    expect(await slow.acquirer.refund({ key: newKey(), charge_key: key, ...money })).toMatchObject(acceptedRefund)
    await slow.stop()
  })

  test.each(['won', 'lost'] as const)('closes a dispute as %s once', async outcome => {
    const { charge_key, reference } = await disputed()
    expect(await sandbox.controls.closeDispute(reference, outcome)).toBe('done')
    expect(await sandbox.controls.closeDispute(reference, 'won')).toBe('conflict')
    await waitFor(() => typesOf(charge_key).length === 2)
    expect(notificationsOf(charge_key).find(({ type }) => type === `dispute.${outcome}`)?.data).toMatchObject({
      ...{ reference, charge_key, status: outcome, resolved_at: expect.any(String) },
    })
  })

  test('closes a dispute once for ten concurrent requests', async () => {
    const { reference } = await disputed()
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => sandbox.controls.closeDispute(reference, i % 2 ? 'won' : 'lost')),
    )
    expect(results.filter(result => result === 'done')).toHaveLength(1)
  })

  test('fails refunds of a charge with an open or lost dispute', async () => {
    const refund = (charge_key: string) => sandbox.acquirer.refund({ key: newKey(), charge_key, ...money })
    const refused = { status: 'failed', failure_reason: 'not_refundable' }
    const [won, lost] = [await disputed(), await disputed()]
    expect(await refund(won.charge_key)).toMatchObject(refused)
    await sandbox.controls.closeDispute(won.reference, 'won')
    await sandbox.controls.closeDispute(lost.reference, 'lost')
    expect(await refund(won.charge_key)).toMatchObject(acceptedRefund)
    expect(await refund(lost.charge_key)).toMatchObject(refused)
  })
})

test('sends a notification of a slow charge, and none of a prompt one', async () => {
  const prompt = await charged('4242424242424242')
  const token = await tokenOf(sandbox.acquirer, '4000000000000341')
  const late = newKey()
  await sandbox.impatient.charge({ key: late, token, ...money })
  await sandbox.acquirer.charge({ key: late, token, ...money })
  await settleSlowCharges(database)
  await waitFor(() => typesOf(late).length > 0)
  expect([typesOf(late), typesOf(prompt)]).toEqual([['charge.settled'], []])
})
