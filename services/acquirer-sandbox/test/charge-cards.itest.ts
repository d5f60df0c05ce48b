import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@cobro/database'
import type { TestDatabase } from '@cobro/testing'
import {
  apiKey,
  type RunningSandbox,
  runSandbox,
  sandboxDatabase,
  settleSlowCharges,
  tokenOf,
} from './running-sandbox.ts'

let database: TestDatabase
let sandbox: RunningSandbox
let rows: Database

beforeAll(async () => {
  database = await sandboxDatabase()
  sandbox = await runSandbox(database)
  rows = openDatabase({ url: database.url('acquirer_sandbox'), schema: 'acquirer_sandbox', entities: [] })
})

afterAll(async () => {
  await rows?.close()
  await sandbox?.stop()
  await database?.drop()
})

const newKey = () => `pi_${randomUUID()}:1`
const money = { amount_cents: 25_000, currency: 'MXN' }

async function charge(number: string, card: object = {}) {
  const token = await tokenOf(sandbox.acquirer, number, { ...card })
  return sandbox.acquirer.charge({ key: newKey(), token, ...money })
}

async function chargeCount(key: string): Promise<number> {
  const counted = 'select count(*)::int as n from acquirer_sandbox.charges where key = ?'
  const [row] = await rows.read(em => em.execute<{ n: number }[]>(counted, [key]))
  return row?.n ?? 0
}

describe('the outcome of a charge', () => {
  test.each([
    ['4242424242424242', 'approved', null],
    ['5555555555554444', 'approved', null],
    ['378282246310005', 'approved', null],
    ['4000000000000002', 'declined', 'card_declined'],
    ['4000000000009995', 'declined', 'insufficient_funds'],
    ['4000000000000069', 'declined', 'expired_card'],
    ['4000000000000127', 'declined', 'incorrect_cvc'],
    ['4000000000001018', 'declined', 'do_not_honor'],
    ['4000000000001026', 'declined', 'call_issuer'],
    ['4000000000009987', 'declined', 'lost_card'],
    ['4000000000009979', 'declined', 'stolen_card'],
    ['4000000000001034', 'declined', 'restricted_card'],
    ['4000000000001042', 'declined', 'transaction_not_allowed'],
    ['4000000000001059', 'declined', 'limit_exceeded'],
    ['4000000000001067', 'declined', 'issuer_not_available'],
    ['4000000000000119', 'failed', null],
    ['4100000000000019', 'declined', 'suspected_fraud'],
    ['4000000000000259', 'approved', null],
    ['4000000000005126', 'approved', null],
    ['4000056655665556', 'approved', null],
    ['4242424242424241', 'declined', 'incorrect_number'],
    ['9999999999999995', 'declined', 'card_not_supported'],
  ])('a charge of the card %s is %s (%s)', async (number, status, decline_reason) => {
    const outcome = await charge(number)
    expect(outcome).toMatchObject({ status, decline_reason, acquirer_reference: expect.any(String) })
  })

  test('a charge that is suspected of fraud has a risk score of 95', async () => {
    expect(await charge('4100000000000019')).toMatchObject({ risk_score: 95 })
  })

  test('declines a charge of an expired card', async () => {
    expect(await charge('4242424242424242', { exp_month: 1, exp_year: 2020 })).toMatchObject({
      status: 'declined',
      decline_reason: 'expired_card',
    })
  })

  test('approves a charge of the largest amount', async () => {
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    const largest = { key: newKey(), token, amount_cents: 99_999_999_999, currency: 'MXN' }
    expect(await sandbox.acquirer.charge(largest)).toMatchObject({ status: 'approved' })
  })

  test('fails a charge of an unknown token', async () => {
    const outcome = await sandbox.acquirer.charge({ key: newKey(), token: 'tok_unknown', ...money })
    expect(outcome).toMatchObject({ status: 'failed' })
  })
})

describe('the idempotency key of a charge', () => {
  test('makes one charge for fifty concurrent equal requests', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    const request = { key, token, ...money }
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => sandbox.acquirer.charge(request)))
    expect(outcomes.every(outcome => outcome.status === 'approved')).toBe(true)
    expect(new Set(outcomes.map(outcome => 'acquirer_reference' in outcome && outcome.acquirer_reference)).size).toBe(1)
    expect(await chargeCount(key)).toBe(1)
  })

  test('rejects another amount, currency or token under a used key with 422, and keeps the charge', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4000000000000002')
    const first = await sandbox.acquirer.charge({ key, token, ...money })
    const other = await tokenOf(sandbox.acquirer, '4242424242424242')
    for (const change of [{ amount_cents: 1 }, { currency: 'USD' }, { token: other }]) {
      const response = await post('/v1/charges', { token, ...money, ...change }, { 'idempotency-key': key })
      expect(response.status).toBe(422)
    }
    expect(await sandbox.acquirer.findCharge(key)).toEqual(first)
  })

  test('makes a second charge under another key', async () => {
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    const outcomes = await Promise.all([1, 2].map(() => sandbox.acquirer.charge({ key: newKey(), token, ...money })))
    const references = outcomes.map(outcome => 'acquirer_reference' in outcome && outcome.acquirer_reference)
    expect(new Set(references).size).toBe(2)
  })
})

describe('unclear responses', () => {
  test('finds an approved charge after its connection was cut', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4000000000006975')
    await expect(post('/v1/charges', { token, ...money }, { 'idempotency-key': key })).rejects.toThrow()
    expect(await sandbox.acquirer.findCharge(key)).toMatchObject({ status: 'approved' })
    expect(await sandbox.acquirer.charge({ key: newKey(), token, ...money })).toMatchObject({ status: 'approved' })
  })

  test('reports a slow charge as processing after the timeout, and as approved later', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4000000000000341')
    const request = { key, token, ...money }
    expect(await sandbox.impatient.charge(request)).toMatchObject({ status: 'processing' })
    expect(await sandbox.acquirer.charge(request)).toMatchObject({ status: 'processing' })
    expect(await sandbox.acquirer.reverseCharge(key)).toMatchObject({ status: 'processing' })
    await settleSlowCharges(database)
    expect(await sandbox.acquirer.findCharge(key)).toMatchObject({ status: 'approved' })
    expect(await chargeCount(key)).toBe(1)
  })

  test('responds to a slow charge after the delay', async () => {
    const slow = await runSandbox(database, { SLOW_ANSWER_MS: 1_000 })
    const token = await tokenOf(slow.acquirer, '4000000000000341')
    const startedAt = performance.now()
    const outcome = await slow.acquirer.charge({ key: newKey(), token, ...money })
    expect(outcome).toMatchObject({ status: 'approved' })
    expect(performance.now() - startedAt).toBeGreaterThan(990)
    await slow.stop()
  })

  test('returns not_found for an unused key', async () => {
    expect(await sandbox.acquirer.findCharge(newKey())).toEqual({ status: 'not_found' })
  })
})

describe('the reversal of a charge', () => {
  test('fails a charge that arrives after the reversal of its key', async () => {
    const key = newKey()
    expect(await sandbox.acquirer.reverseCharge(key)).toEqual({ status: 'reversed' })
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    expect(await sandbox.acquirer.charge({ key, token, ...money })).toMatchObject({ status: 'failed' })
    expect(await sandbox.acquirer.findCharge(key)).toMatchObject({ status: 'failed' })
    expect(await sandbox.acquirer.reverseCharge(key)).toEqual({ status: 'reversed' })
  })

  test('returns the charge of a used key unchanged', async () => {
    const key = newKey()
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    const outcome = await sandbox.acquirer.charge({ key, token, ...money })
    expect(await sandbox.acquirer.reverseCharge(key)).toEqual(outcome)
    expect(await sandbox.acquirer.findCharge(key)).toEqual(outcome)
  })

  test('lets either the charge or its concurrent reversal win, and both report it', async () => {
    const token = await tokenOf(sandbox.acquirer, '4242424242424242')
    for (const key of Array.from({ length: 50 }, newKey)) {
      const [charged, reversed] = await Promise.all([
        sandbox.acquirer.charge({ key, token, ...money }),
        sandbox.acquirer.reverseCharge(key),
      ])
      expect([charged.status, reversed.status]).toEqual(
        reversed.status === 'reversed' ? ['failed', 'reversed'] : ['approved', 'approved'],
      )
    }
  })
})

function post(path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
