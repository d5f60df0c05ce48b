import { newId } from '@cobro/contracts'
import { type Database, openDatabase, seal } from '@cobro/database'
import { createLogger, currentCall, keyRing } from '@cobro/runtime'
import type { ClaimedDelivery } from '../delivery-queue/claim-deliveries.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import type { RecordAttempt } from './record-attempts.ts'

const keys = keyRing.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
const logger = createLogger('webhooks-dispatcher', 'silent')
const timeoutMs = 10_000
const correlation_id = newId('corr')
const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

let db: Database
beforeAll(() => {
  // Nothing listens there, and no test of this file writes to it.
  db = openDatabase({ url: 'postgres://127.0.0.1:9/none', schema: 'webhooks', entities: [] })
})
afterAll(() => db.close())

const claimed = (): ClaimedDelivery => ({
  ...{ delivery_id: newId('whd'), webhook_id: newId('whk'), event_id: newId('evt'), merchant_id: newId('mrc') },
  ...{
    event: 'payment.succeeded',
    sequence: null,
    correlation_id,
    request_id: null,
    attempt: 1,
    abandoned: false,
  },
  ...{ one_shot_after: null, url: 'https://shop.mx/hook', secret: seal(keys, 'whsec_1'), previous_secret: null },
  ...{ endpoint_status: 'active', body: Buffer.from('{}'), trace: {} },
})

/** Makes an attempt with a lease of which `leftMs` are left in turn. `record` returns or throws the results in turn. */
async function attempt(results: (boolean | Error)[], leftMs: number[]) {
  const sent: Buffer[] = []
  const recorded: string[] = []
  const record: RecordAttempt = async ({ outcome }) => {
    recorded.push(outcome.kind)
    const result = results.shift()
    if (result instanceof Error) throw result
    return result ?? false
  }
  const post = async (_url: string, _headers: Record<string, string>, body: Buffer) => {
    sent.push(body)
    return { status_code: 200, error: null, response_body: '', retry_after: null, duration_ms: 5 }
  }
  const warnings = jest.spyOn(logger, 'warn').mockClear()
  const deps = { ...{ db, post, record, keys, logger }, retryDelaysMs: [1_000], timeoutMs, leaseMs: 60_000 }
  const errors: object[] = []
  const report = (context: unknown) =>
    void errors.push({ err: (context as { err: Error }).err, of: currentCall().correlation_id })
  jest.spyOn(logger, 'error').mockImplementation(report)
  const lease = { leftMs: () => leftMs.shift() ?? 0 }
  await attemptDelivery({ ...deps, failpoint: async () => undefined }, claimed(), lease)
  return { sent: sent.length, recorded, errors, warnings: warnings.mock.calls.map(([, text]) => text) }
}

test('a delivery whose lease ends before its request may have timed out is not sent', async () => {
  expect(await attempt([true], [timeoutMs - 1])).toEqual({
    ...{ sent: 0, recorded: [], errors: [] },
    warnings: ['webhook not sent: its lease expired before the attempt'],
  })
  expect(await attempt([true], [timeoutMs])).toMatchObject({ sent: 1, recorded: ['succeeded'], warnings: [] })
})

test('a result is recorded again, and nothing is sent again, while the database is unavailable', async () => {
  expect(await attempt([unavailable, true], [60_000, 50_000])).toEqual({
    ...{ sent: 1, recorded: ['succeeded', 'succeeded'], errors: [], warnings: [] },
  })
})

test('a result is given up, and logged with its lifecycle, once the lease ends before the next try or the database rejects it', async () => {
  expect(await attempt([unavailable, true], [60_000, 499])).toMatchObject({
    recorded: ['succeeded'],
    errors: [{ err: unavailable, of: correlation_id }],
  })
  const rejected = new Error('violates a constraint')
  expect(await attempt([rejected, true], [60_000, 50_000])).toMatchObject({
    recorded: ['succeeded'],
    errors: [{ err: rejected, of: correlation_id }],
  })
})

test('a result whose lease was lost is not recorded and is logged', async () => {
  expect(await attempt([false], [60_000])).toMatchObject({
    ...{ sent: 1, errors: [] },
    warnings: ['webhook attempt not recorded: its lease was lost'],
  })
})
