import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createLogger, secret } from '@cobro/runtime'
import { AcquirerUnavailable, httpAcquirer, UnreadableCard } from '../src/index.ts'
import { acquirerAt, closeServers, sendJson } from './scripted-server.ts'

const key = 'pi_01jd0000000000000000000000:1'
const request = { key, token: 'tok_secret', amount_cents: 25_000, currency: 'MXN' }
const jwe = 'eyJhbGciOiJFQ0RILUVTIn0..secret'
const payment = { payable_id: 'cs_1', amount_cents: 25_000, currency: 'MXN', attempt: 'pi_1:1' }
const approved = { key, status: 'approved', reference: 'ref_1', response_code: '00', risk_score: 10 }
const publicKey = { kty: 'EC', kid: 'k1', alg: 'ECDH-ES', use: 'enc', crv: 'P-256', x: 'eA', y: 'eQ' }

afterEach(closeServers)

const adapterFor = async (...args: Parameters<typeof acquirerAt>) => (await acquirerAt(...args)).acquirer

/** Handles charges with `charge`; answers queries with each body in turn, then repeats the last. */
function onCharge(charge: (request: IncomingMessage, response: ServerResponse) => void, ...finds: unknown[]) {
  const requests: string[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (request.method === 'POST') return charge(request, response)
    sendJson(response, 200, finds.length > 1 ? finds.shift() : finds[0])
  }
  return { listener, requests }
}

const misbehaviors: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  'never responds': () => {},
  'cuts the connection': request => request.socket.destroy(),
  'cuts the connection within the response': (_request, response) => {
    response.writeHead(200, { 'content-length': '500' }).write('{"key":')
    response.socket?.destroy()
  },
  'stops within the response': (_request, response) => void response.writeHead(200).write('{"key":'),
  'does not speak HTTP': request => request.socket.end('garbage\r\n\r\n'),
  'responds without JSON': (_request, response) => void response.writeHead(200).end('<html>approved</html>'),
  'responds with other JSON': (_request, response) => sendJson(response, 200, { ok: true }),
  'responds with an unknown status': (_request, response) => sendJson(response, 200, { ...approved, status: 'great' }),
  'responds with another key': (_request, response) => sendJson(response, 200, { ...approved, key: 'pi_other:1' }),
  'sends an endless response': (_request, response) => {
    const write = () => void (response.write('x'.repeat(65_536)) && setImmediate(write))
    response.on('drain', write)
    write()
  },
  'responds with 500': (_request, response) => sendJson(response, 500, approved),
  'responds with 503': (_request, response) => sendJson(response, 503, {}),
  'responds with 404': (_request, response) => sendJson(response, 404, {}),
  'responds with 400': (_request, response) => sendJson(response, 400, {}),
  'responds with 422': (_request, response) => sendJson(response, 422, {}),
  redirects: (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
}

/** The adapter's settings for an acquirer that misbehaves: only one that hangs times out soon. */
const settingsFor = (misbehavior: string) =>
  ['never responds', 'stops within the response'].includes(misbehavior) ? { timeoutMs: 1_000 } : {}

test.each(Object.entries(misbehaviors))(
  'queries the outcome of a charge after the acquirer %s',
  async (name, misbehave) => {
    const { listener, requests } = onCharge(misbehave, approved)
    const acquirer = await adapterFor(listener, settingsFor(name))
    const outcome = await acquirer.charge(request)
    expect(outcome).toEqual({ status: 'approved', acquirer_reference: 'ref_1', decline_reason: null, risk_score: 10 })
    expect(requests).toEqual(['POST /v1/charges', `GET /v1/charges/${encodeURIComponent(key)}`])
  },
)

test.each(Object.entries(misbehaviors))(
  'returns not_found and never failed for a charge that is not found after the acquirer %s',
  async (name, misbehave) => {
    const { listener, requests } = onCharge(misbehave, { key, status: 'not_found' })
    const acquirer = await adapterFor(listener, settingsFor(name))
    expect(await acquirer.charge(request)).toEqual({ status: 'not_found' })
    expect(requests).toHaveLength(4)
  },
)

test('repeats the query of an unclear charge until its outcome is final', async () => {
  const processing = { ...approved, status: 'processing', response_code: null, risk_score: null }
  const declined = { ...approved, status: 'declined', response_code: '51' }
  const { listener } = onCharge(request => request.socket.destroy(), { key, status: 'not_found' }, processing, declined)
  const acquirer = await adapterFor(listener)
  expect(await acquirer.charge(request)).toMatchObject({ status: 'declined', decline_reason: 'insufficient_funds' })
})

test('returns processing for a charge while the acquirer cuts every connection', async () => {
  const acquirer = await adapterFor(request => void request.socket.destroy())
  expect(await acquirer.charge(request)).toEqual({ status: 'processing', acquirer_reference: null })
  expect(await acquirer.findCharge(key)).toEqual({ status: 'processing', acquirer_reference: null })
  expect(await acquirer.reverseCharge(key)).toEqual({ status: 'processing', acquirer_reference: null })
})

test.each([
  ['approved', '00', { status: 'approved', decline_reason: null }],
  ['declined', '05', { status: 'declined', decline_reason: 'do_not_honor' }],
  ['declined', '96', { status: 'failed', decline_reason: null }],
  ['declined', '??', { status: 'declined', decline_reason: 'card_declined' }],
  ['failed', '91', { status: 'failed', decline_reason: null }],
  ['processing', null, { status: 'processing', decline_reason: null }],
])(
  'returns the outcome of a charge that is %s with response code %s without a query',
  async (status, code, expected) => {
    const { listener, requests } = onCharge((_request, response) =>
      sendJson(response, 200, { ...approved, status, response_code: code }),
    )
    const acquirer = await adapterFor(listener)
    expect(await acquirer.charge(request)).toMatchObject({ ...expected, acquirer_reference: 'ref_1' })
    expect(requests).toEqual(['POST /v1/charges'])
  },
)

test('returns reversed for an unused key, and the outcome of a charge that exists', async () => {
  const responses = [{ key, status: 'reversed' }, approved]
  const acquirer = await adapterFor((_request, response) => sendJson(response, 200, responses.shift()))
  expect(await acquirer.reverseCharge(key)).toEqual({ status: 'reversed' })
  expect(await acquirer.reverseCharge(key)).toMatchObject({ status: 'approved', acquirer_reference: 'ref_1' })
})

test('fails a charge when no server listens at the acquirer’s address', async () => {
  const acquirer = httpAcquirer({ url: 'http://127.0.0.1:1', apiKey: secret('acq_secret') })
  expect(await acquirer.charge(request)).toEqual({ status: 'failed', acquirer_reference: null })
  await acquirer.close()
})

test.each([401, 403, 429])('fails a charge that the acquirer rejects with %i', async status => {
  const acquirer = await adapterFor((_request, response) => sendJson(response, status, {}))
  expect(await acquirer.charge(request)).toEqual({ status: 'failed', acquirer_reference: null })
})

test('returns the token and the displayable parts of a card, and drops other fields of the response', async () => {
  const card = { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const acquirer = await adapterFor((_request, response) => sendJson(response, 201, { ...card, number: '4242' }))
  expect(await acquirer.tokenize(jwe, payment)).toEqual(card)
})

test('passes the fingerprint of a card, and none where the acquirer answers none', async () => {
  const card = { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  for (const fingerprint of ['fp_1', null, undefined]) {
    const acquirer = await adapterFor((_request, response) => sendJson(response, 201, { ...card, fingerprint }))
    expect((await acquirer.tokenize(jwe, payment)).fingerprint).toBe(fingerprint ?? undefined)
  }
})

test('distinguishes an unreadable card from an unavailable acquirer', async () => {
  const unreadable = await adapterFor((_request, response) => sendJson(response, 400, { error: 'invalid_request' }))
  await expect(unreadable.tokenize(jwe, payment)).rejects.toBeInstanceOf(UnreadableCard)
  const { 'responds with 400': _readable, ...others } = misbehaviors
  for (const [name, misbehave] of Object.entries(others)) {
    const acquirer = await adapterFor(misbehave, settingsFor(name))
    await expect(acquirer.tokenize(jwe, payment)).rejects.toBeInstanceOf(AcquirerUnavailable)
  }
})

test('returns the first encryption key that browsers support, without its private part', async () => {
  const keys = [
    { kty: 'OKP', kid: 'odd', alg: 'ECDH-ES+A128KW' },
    { ...publicKey, d: 'private' },
  ]
  const acquirer = await adapterFor((_request, response) => sendJson(response, 200, { keys }))
  expect(await acquirer.encryptionKey()).toEqual(publicKey)
})

test('throws if the acquirer publishes no encryption key', async () => {
  const acquirer = await adapterFor((_request, response) => sendJson(response, 200, { keys: [] }))
  await expect(acquirer.encryptionKey()).rejects.toBeInstanceOf(AcquirerUnavailable)
})

test('sends a charge below the path of the URL, with the API key and the idempotency key', async () => {
  let received: IncomingMessage | undefined
  const listener: RequestListener = (request, response) => {
    received = request
    sendJson(response, 200, approved)
  }
  const acquirer = await adapterFor(listener, { path: '/acquiring/' })
  await acquirer.charge(request)
  expect(received?.url).toBe('/acquiring/v1/charges')
  expect(received?.headers).toMatchObject({ authorization: 'Bearer acq_secret', 'idempotency-key': key })
})

test('keeps the card, the token and the API key out of errors and log lines', async () => {
  const lines: string[] = []
  const logger = createLogger('test', 'warn')
  logger.warn = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  const acquirer = httpAcquirer({ url: 'http://127.0.0.1:1', apiKey: secret('acq_secret'), findDelaysMs: [0], logger })
  const error = await acquirer.tokenize(jwe, payment).catch(error => error)
  await acquirer.charge(request)
  await acquirer.findCharge(key)
  await acquirer.close()
  const output = `${error.stack}${JSON.stringify(error, Object.getOwnPropertyNames(error))}${lines.join()}`
  expect(lines).toHaveLength(2)
  expect(output).toContain('ECONNREFUSED')
  expect(output).not.toMatch(/secret/)
})
