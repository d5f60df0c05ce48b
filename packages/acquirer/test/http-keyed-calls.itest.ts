import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { secret } from '@cobro/runtime'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { AcquirerAway, type HttpAcquirer, httpAcquirer, sandboxControls, UnreadableNotice } from '../src/index.ts'

const key = 'rfd_01jd0000000000000000000000'
const due_at = '2026-11-24T05:59:00.000Z'
const refund = { key, status: 'processing', reference: 'ref_1', failure_code: null }
const voucher = {
  ...{ key, status: 'pending', reference: '93000000000001', barcode: '9300', amount_cents: 25_000, currency: 'MXN' },
  ...{ due_at, paid_at: null },
}
const money = { amount_cents: 25_000, currency: 'MXN' }

const open: { server: Server; acquirer: HttpAcquirer }[] = []

/** Starts a server that answers each request in turn as given, the last one for ever: a status and a body, or a cut connection. */
async function answering(...answers: ([number, unknown] | 'cut')[]) {
  const asked: { line: string; key: unknown; body: string }[] = []
  const listener: RequestListener = async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push({ line: `${request.method} ${request.url}`, key: request.headers['idempotency-key'], body })
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'cut'
    if (answer === 'cut') return void request.socket.destroy()
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]))
  }
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const acquirer = httpAcquirer({ url, apiKey: secret('acq_secret'), timeoutMs: 800, findWaitsMs: [0, 20, 20] })
  open.push({ server, acquirer })
  return { acquirer, asked, url }
}

afterEach(async () => {
  for (const { server, acquirer } of open.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    await acquirer.close()
  }
})

const unclear: [string, [number, unknown] | 'cut'][] = [
  ['cut', 'cut'],
  ['without JSON', [200, 'x']],
  ['about another key', [200, { ...refund, ...voucher, key: 'another' }]],
  ['of an unknown status', [200, { ...refund, ...voucher, status: 'great' }]],
  ['of half the fields', [200, { key, status: 'pending', reference: '1' }]],
  ['with 400', [400, {}]],
  ['with 404', [404, {}]],
  ['with 422', [422, {}]],
  ['with 500', [500, { ...refund, ...voucher }]],
  ['with 503', [503, {}]],
]

describe.each(unclear)('an answer %s', (_what, answer) => {
  test('leaves a refund to be asked about, and never failed', async () => {
    const { acquirer, asked } = await answering(answer, [200, { ...refund, status: 'completed' }])
    expect(await acquirer.refund({ key, charge_key: 'pi_1:1', ...money })).toMatchObject({ status: 'completed' })
    expect(asked.map(({ line }) => line)).toEqual(['POST /v1/refunds', `GET /v1/refunds/${key}`])
    const { acquirer: forgetful } = await answering(answer, [200, { key, status: 'not_found' }])
    expect(await forgetful.refund({ key, charge_key: 'pi_1:1', ...money })).toEqual({ status: 'not_found' })
    const { acquirer: lost } = await answering(answer)
    for (const ask of [lost.findRefund, lost.reverseRefund]) {
      expect(await ask(key)).toEqual({ status: 'processing', acquirer_reference: null })
    }
  })

  test('leaves a voucher to be asked about, and never failed', async () => {
    const request = { key, ...money, due_at: new Date(due_at) }
    const { acquirer, asked } = await answering(answer, [200, voucher])
    expect(await acquirer.voucher(request)).toMatchObject({ status: 'pending', reference: voucher.reference })
    expect(asked.map(({ line }) => line)).toEqual(['POST /v1/vouchers', `GET /v1/vouchers/${key}`])
    const { acquirer: forgetful } = await answering(answer, [200, { key, status: 'not_found' }])
    expect(await forgetful.voucher(request)).toEqual({ status: 'not_found' })
    const { acquirer: lost } = await answering(answer)
    for (const ask of [lost.findVoucher, lost.withdrawVoucher]) expect(await ask(key)).toEqual({ status: 'processing' })
  })
})

describe('what surely was not taken', () => {
  test.each([401, 403, 429])('with %i is failed at once', async status => {
    const { acquirer, asked } = await answering([status, {}])
    expect(await acquirer.refund({ key, voucher_key: 'pi_1:1', ...money })).toEqual({
      status: 'failed',
      acquirer_reference: null,
    })
    expect(await acquirer.voucher({ key, ...money, due_at: new Date(due_at) })).toEqual({ status: 'failed' })
    expect(asked).toHaveLength(2)
  })
})

describe('what leaves', () => {
  test('is the key as a header and the rest as a body', async () => {
    const { acquirer, asked } = await answering([200, refund], [200, voucher])
    await acquirer.refund({ key, charge_key: 'pi_1:1', ...money })
    await acquirer.voucher({ key, ...money, due_at: new Date(due_at), concept: 'Pedido 1042' })
    expect(asked.map(one => [one.key, JSON.parse(one.body)])).toEqual([
      [key, { charge_key: 'pi_1:1', ...money }],
      [key, { ...money, due_at, concept: 'Pedido 1042' }],
    ])
  })

  test('names the key in the path, whatever is in it', async () => {
    const { acquirer, asked } = await answering([200, refund])
    await acquirer.findRefund('a/b?c')
    await acquirer.reverseRefund('a/b?c')
    await acquirer.withdrawVoucher('a/b?c')
    expect(asked.map(({ line }) => line)).toEqual([
      'GET /v1/refunds/a%2Fb%3Fc',
      'POST /v1/refunds/a%2Fb%3Fc/reverse',
      'POST /v1/vouchers/a%2Fb%3Fc/withdraw',
    ])
  })
})

describe('clear answers', () => {
  test.each([
    [
      { ...refund, status: 'failed', failure_code: 'already_refunded' },
      { status: 'failed', failure_reason: 'already_refunded' },
    ],
    [
      { ...refund, status: 'failed', failure_code: 'E-77' },
      { status: 'failed', failure_reason: null },
    ],
    [refund, { status: 'processing', acquirer_reference: 'ref_1' }],
    [{ key, status: 'reversed' }, { status: 'reversed' }],
  ])('%j to the end of a refund is %j', async (answer, expected) => {
    const { acquirer } = await answering([200, answer])
    expect(await acquirer.reverseRefund(key)).toMatchObject(expected)
  })

  test.each([
    [voucher, { status: 'pending', due_at: new Date(due_at), paid_at: null }],
    [
      { ...voucher, status: 'paid', paid_at: due_at },
      { status: 'paid', paid_at: new Date(due_at) },
    ],
    [{ key, status: 'failed' }, { status: 'failed' }],
    [{ key, status: 'processing' }, { status: 'processing' }],
    [{ key, status: 'reversed' }, { status: 'reversed' }],
  ])('%j to a withdrawal is %j', async (answer, expected) => {
    const { acquirer } = await answering([200, answer])
    expect(await acquirer.withdrawVoucher(key)).toMatchObject(expected)
  })
})

describe('notices', () => {
  const pair = async (kid: string) => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' } }
  }
  const notice = async ({ kid, privateKey }: Awaited<ReturnType<typeof pair>>, type: string, data: unknown) => {
    const body = Buffer.from(JSON.stringify({ id: 'n1', type, created_at: due_at, data }))
    const header = { alg: 'EdDSA', kid, iat: Math.floor(Date.now() / 1000) }
    const jws = await new CompactSign(body).setProtectedHeader(header).sign(privateKey)
    return [body, { 'acquirer-signature': jws.replace(/\..*\./, '..') }] as const
  }
  const dispute = {
    ...{ reference: 'd1', status: 'open', charge_key: 'pi_1:1', ...money, reason: 'fraudulent' },
    ...{ network_reason_code: null, due_by: null, opened_at: due_at, resolved_at: null },
  }
  const settledCharge = { key, status: 'declined', reference: 'r', response_code: '51', risk_score: null }

  test.each<[string, unknown, object]>([
    [
      'charge.settled',
      settledCharge,
      { of: 'charge', key, outcome: { status: 'declined', decline_reason: 'insufficient_funds' } },
    ],
    ['refund.completed', { ...refund, status: 'completed' }, { of: 'refund', key, outcome: { status: 'completed' } }],
    ['refund.failed', { ...refund, status: 'failed' }, { of: 'refund', key, outcome: { status: 'failed' } }],
    [
      'voucher.paid',
      { ...voucher, status: 'paid', paid_at: due_at },
      { of: 'voucher', key, outcome: { status: 'paid' } },
    ],
    ['voucher.expired', { ...voucher, status: 'expired' }, { of: 'voucher', key, outcome: { status: 'expired' } }],
    ['dispute.opened', dispute, { of: 'dispute', dispute: { status: 'open', charge_key: 'pi_1:1' } }],
    ['dispute.won', { ...dispute, status: 'won', resolved_at: due_at }, { of: 'dispute', dispute: { status: 'won' } }],
    [
      'dispute.lost',
      { ...dispute, status: 'lost', resolved_at: due_at },
      { of: 'dispute', dispute: { status: 'lost' } },
    ],
    ['payout.sent', {}, { of: 'unknown', type: 'payout.sent' }],
  ])('%s is told in the words of the port', async (type, data, expected) => {
    const signer = await pair('k1')
    const { acquirer, asked } = await answering([200, { keys: [{ kty: 'odd' }, signer.jwk] }])
    const told = { id: 'n1', created_at: new Date(due_at), ...expected }
    expect(await acquirer.readNotice(...(await notice(signer, type, data)))).toMatchObject(told)
    expect(await acquirer.readNotice(...(await notice(signer, type, data)))).toMatchObject(told)
    expect(asked.map(({ line }) => line)).toEqual(['GET /v1/notification-keys'])
  })

  test('signed with a new key are believed as soon as it is published; made-up key ids are not asked about again and again', async () => {
    const [old, next, stranger] = [await pair('k1'), await pair('k2'), await pair('k3')]
    const { acquirer, asked } = await answering([200, { keys: [old.jwk] }], [200, { keys: [next.jwk, old.jwk] }])
    const data = { ...refund, status: 'completed' }
    const read = async (by: typeof old) => acquirer.readNotice(...(await notice(by, 'refund.completed', data)))
    expect(await read(old)).toMatchObject({ id: 'n1' })
    expect(await read(next)).toMatchObject({ id: 'n1' })
    for (let i = 0; i < 20; i++) expect(await read(stranger)).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  test('that bear no signature are refused without a question', async () => {
    const { acquirer, asked } = await answering('cut')
    for (const headers of [{}, { 'acquirer-signature': 'hello' }, { 'acquirer-signature': ['a..b', 'a..b'] }]) {
      expect(await acquirer.readNotice(Buffer.from('{}'), headers)).toBeUndefined()
    }
    expect(asked).toHaveLength(0)
  })

  test.each<[string, [number, unknown] | 'cut']>([
    ['cannot be asked', 'cut'],
    ['gives no keys', [200, {}]],
    ['fails', [500, { keys: [] }]],
  ])('cannot be judged while the acquirer %s', async (_what, answer) => {
    const signer = await pair('k1')
    const { acquirer } = await answering(answer)
    const signed = await notice(signer, 'refund.completed', { ...refund, status: 'completed' })
    await expect(acquirer.readNotice(...signed)).rejects.toBeInstanceOf(AcquirerAway)
  })

  test('that are signed and cannot be read are an error', async () => {
    const signer = await pair('k1')
    const { acquirer } = await answering([200, { keys: [signer.jwk] }])
    const signed = await notice(signer, 'voucher.paid', refund)
    await expect(acquirer.readNotice(...signed)).rejects.toBeInstanceOf(UnreadableNotice)
  })
})

describe('the sandbox’s controls', () => {
  test.each([
    [200, 'done'],
    [404, 'not_found'],
    [409, 'conflict'],
  ])('%i is %s', async (status, told) => {
    const { url, asked } = await answering([status, {}])
    const controls = sandboxControls({ url, apiKey: secret('acq_secret') })
    expect(await controls.payVoucher('93/1')).toBe(told)
    expect(await controls.closeDispute('d1', 'won')).toBe(told)
    expect(asked.map(({ line, body }) => [line, body])).toEqual([
      ['POST /v1/sandbox/vouchers/93%2F1/pay', '{}'],
      ['POST /v1/sandbox/disputes/d1/close', '{"outcome":"won"}'],
    ])
    await controls.close()
  })

  test('anything else is an acquirer that is away', async () => {
    for (const answer of ['cut', [401, {}], [500, {}]] as const) {
      const { url } = await answering(answer as 'cut')
      const controls = sandboxControls({ url, apiKey: secret('acq_secret') })
      await expect(controls.payVoucher('1')).rejects.toBeInstanceOf(AcquirerAway)
      await controls.close()
    }
  })
})
