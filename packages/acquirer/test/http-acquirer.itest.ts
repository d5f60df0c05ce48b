import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogger, secret } from '@cobro/runtime'
import { AcquirerAway, type HttpAcquirer, httpAcquirer, UnreadableCard } from '../src/index.ts'

const key = 'pi_01jd0000000000000000000000:1'
const request = { key, token: 'tok_secret', amount_cents: 25_000, currency: 'MXN' }
const jwe = 'eyJhbGciOiJFQ0RILUVTIn0..secret'
const approved = { key, status: 'approved', reference: 'ref_1', response_code: '00', risk_score: 10 }
const publicKey = { kty: 'EC', kid: 'k1', alg: 'ECDH-ES', use: 'enc', crv: 'P-256', x: 'eA', y: 'eQ' }

const open: { server: Server; acquirer: HttpAcquirer }[] = []

/** Starts a server that behaves as the test says, and the adapter that speaks to it. */
async function against(listener: RequestListener, { path = '' } = {}) {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const acquirer = httpAcquirer({ url, apiKey: secret('acq_secret'), timeoutMs: 800, findWaitsMs: [0, 20, 20] })
  open.push({ server, acquirer })
  return acquirer
}

afterEach(async () => {
  for (const { server, acquirer } of open.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    await acquirer.close()
  }
})

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Answers `find` with each body in turn, the last one for ever, and the charge by `charge`. */
function onCharge(charge: (request: IncomingMessage, response: ServerResponse) => void, ...finds: unknown[]) {
  const asked: string[] = []
  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.method === 'POST') return charge(request, response)
    json(response, 200, finds.length > 1 ? finds.shift() : finds[0])
  }
  return { listener, asked }
}

const misbehaviours: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  'never answers': () => {},
  'cuts the connection': request => request.socket.destroy(),
  'cuts the connection within the answer': (_request, response) => {
    response.writeHead(200, { 'content-length': '500' }).write('{"key":')
    response.socket?.destroy()
  },
  'stops within the answer': (_request, response) => void response.writeHead(200).write('{"key":'),
  'answers what is not HTTP': request => request.socket.end('garbage\r\n\r\n'),
  'answers what is not JSON': (_request, response) => void response.writeHead(200).end('<html>approved</html>'),
  'answers another JSON': (_request, response) => json(response, 200, { ok: true }),
  'answers an unknown status': (_request, response) => json(response, 200, { ...approved, status: 'great' }),
  'answers about another key': (_request, response) => json(response, 200, { ...approved, key: 'pi_other:1' }),
  'answers without an end': (_request, response) => {
    const write = () => void (response.write('x'.repeat(65_536)) && setImmediate(write))
    response.on('drain', write)
    write()
  },
  'answers 500': (_request, response) => json(response, 500, approved),
  'answers 503': (_request, response) => json(response, 503, {}),
  'answers 404': (_request, response) => json(response, 404, {}),
  'answers 400': (_request, response) => json(response, 400, {}),
  'answers 422': (_request, response) => json(response, 422, {}),
  redirects: (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
}

describe.each(Object.entries(misbehaviours))('a charge at an acquirer that %s', (_name, misbehave) => {
  test('is what the acquirer says when asked afterwards', async () => {
    const { listener, asked } = onCharge(misbehave, approved)
    const acquirer = await against(listener)
    const outcome = await acquirer.charge(request)
    expect(outcome).toEqual({ status: 'approved', acquirer_reference: 'ref_1', decline_reason: null, risk_score: 10 })
    expect(asked).toEqual(['POST /v1/charges', `GET /v1/charges/${encodeURIComponent(key)}`])
  })

  test('stays unknown, and is never called failed, while the acquirer has not found it', async () => {
    const { listener, asked } = onCharge(misbehave, { key, status: 'not_found' })
    const acquirer = await against(listener)
    expect(await acquirer.charge(request)).toEqual({ status: 'not_found' })
    expect(asked).toHaveLength(4)
  })
})

describe('an unclear charge', () => {
  test('is asked about until the outcome is final', async () => {
    const processing = { ...approved, status: 'processing', response_code: null, risk_score: null }
    const declined = { ...approved, status: 'declined', response_code: '51' }
    const { listener } = onCharge(
      request => request.socket.destroy(),
      { key, status: 'not_found' },
      processing,
      declined,
    )
    const acquirer = await against(listener)
    expect(await acquirer.charge(request)).toMatchObject({ status: 'declined', decline_reason: 'insufficient_funds' })
  })

  test('is processing where the acquirer cannot even be asked', async () => {
    const acquirer = await against(request => void request.socket.destroy())
    expect(await acquirer.charge(request)).toEqual({ status: 'processing', acquirer_reference: null })
    expect(await acquirer.find(key)).toEqual({ status: 'processing', acquirer_reference: null })
    expect(await acquirer.reverse(key)).toEqual({ status: 'processing', acquirer_reference: null })
  })
})

describe('a clear answer', () => {
  test.each([
    ['approved', '00', { status: 'approved', decline_reason: null }],
    ['declined', '05', { status: 'declined', decline_reason: 'do_not_honor' }],
    ['declined', '96', { status: 'failed', decline_reason: null }],
    ['declined', '??', { status: 'declined', decline_reason: 'card_declined' }],
    ['failed', '91', { status: 'failed', decline_reason: null }],
    ['processing', null, { status: 'processing', decline_reason: null }],
  ])('%s with response code %s is taken as it is', async (status, response_code, expected) => {
    const { listener, asked } = onCharge((_request, response) =>
      json(response, 200, { ...approved, status, response_code }),
    )
    const acquirer = await against(listener)
    expect(await acquirer.charge(request)).toMatchObject({ ...expected, acquirer_reference: 'ref_1' })
    expect(asked).toEqual(['POST /v1/charges'])
  })

  test('a reversal ends a key that came to nothing, and leaves a charge alone', async () => {
    const answers = [{ key, status: 'reversed' }, approved]
    const acquirer = await against((_request, response) => json(response, 200, answers.shift()))
    expect(await acquirer.reverse(key)).toEqual({ status: 'reversed' })
    expect(await acquirer.reverse(key)).toMatchObject({ status: 'approved', acquirer_reference: 'ref_1' })
  })
})

describe('a charge that surely was not taken', () => {
  test('is failed where nobody listens', async () => {
    const acquirer = httpAcquirer({ url: 'http://127.0.0.1:1', apiKey: secret('acq_secret') })
    expect(await acquirer.charge(request)).toEqual({ status: 'failed', acquirer_reference: null })
    await acquirer.close()
  })

  test.each([401, 403, 429])('is failed where the acquirer turns us away with %i', async status => {
    const acquirer = await against((_request, response) => json(response, status, {}))
    expect(await acquirer.charge(request)).toEqual({ status: 'failed', acquirer_reference: null })
  })
})

describe('tokenize', () => {
  const card = { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }

  test('gives the token and what may be shown of the card, and nothing else that the acquirer says', async () => {
    const acquirer = await against((_request, response) => json(response, 201, { ...card, number: '4242' }))
    expect(await acquirer.tokenize(jwe)).toEqual(card)
  })

  test('tells a card that cannot be read from an acquirer that is away', async () => {
    const unreadable = await against((_request, response) => json(response, 400, { error: 'invalid_request' }))
    await expect(unreadable.tokenize(jwe)).rejects.toBeInstanceOf(UnreadableCard)
    const { 'answers 400': _readable, ...others } = misbehaviours
    for (const misbehave of Object.values(others)) {
      const acquirer = await against(misbehave)
      await expect(acquirer.tokenize(jwe)).rejects.toBeInstanceOf(AcquirerAway)
    }
  })
})

describe('the encryption key', () => {
  test('is the first of a kind that browsers can use, without its private part', async () => {
    const keys = [
      { kty: 'OKP', kid: 'odd', alg: 'ECDH-ES+A128KW' },
      { ...publicKey, d: 'private' },
    ]
    const acquirer = await against((_request, response) => json(response, 200, { keys }))
    expect(await acquirer.encryptionKey()).toEqual(publicKey)
  })

  test('is an error where there is none', async () => {
    const acquirer = await against((_request, response) => json(response, 200, { keys: [] }))
    await expect(acquirer.encryptionKey()).rejects.toBeInstanceOf(AcquirerAway)
  })
})

describe('what leaves and what is told', () => {
  test('a request goes below the path of the address, with our secret and the idempotency key', async () => {
    let seen: IncomingMessage | undefined
    const listener: RequestListener = (request, response) => {
      seen = request
      json(response, 200, approved)
    }
    const acquirer = await against(listener, { path: '/acquiring/' })
    await acquirer.charge(request)
    expect(seen?.url).toBe('/acquiring/v1/charges')
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer acq_secret', 'idempotency-key': key })
  })

  test('neither errors nor log lines hold the card, the token or the secret', async () => {
    const lines: string[] = []
    const logger = createLogger('test', 'warn')
    logger.warn = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
    const acquirer = httpAcquirer({ url: 'http://127.0.0.1:1', apiKey: secret('acq_secret'), findWaitsMs: [0], logger })
    const error = await acquirer.tokenize(jwe).catch(error => error)
    await acquirer.charge(request)
    await acquirer.find(key)
    await acquirer.close()
    const told = `${error.stack}${JSON.stringify(error, Object.getOwnPropertyNames(error))}${lines.join()}`
    expect(lines).toHaveLength(2)
    expect(told).toContain('ECONNREFUSED')
    expect(told).not.toMatch(/secret/)
  })
})
