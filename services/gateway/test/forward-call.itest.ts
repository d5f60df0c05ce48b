import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { newId } from '@cobro/contracts'
import { internalHeaders } from '@cobro/http'
import { waitFor } from '@cobro/testing'
import { rawCall } from '@cobro/testing/raw-call'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import { type GatewayWorld, gatewayUnderTest, recordOf, send, start, token } from './gateway-world.ts'

let world: GatewayWorld
let key: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest()
  key = token(world.azul.key)
})
afterAll(() => world.stop())
beforeEach(() => world.upstream.reset())

const session = newId('cs')
const sessions = '/checkout/v1/sessions'
const json = { 'content-type': 'application/json' }
const raw = (method: string, target: string, more = '') =>
  rawCall(
    world.port,
    `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-Key: ${world.azul.key}\r\n${more}\r\n`,
  )

describe('what a service receives', () => {
  test("forwards a request with its request id and the caller's identity", async () => {
    const body = '{"amount_total": 25000, "concepto": "Café ☕"}'
    const answer = await send(world.url, sessions, { headers: { ...key, 'idempotency-key': 'k1' }, body })
    const [request] = world.upstream.received
    expect(request).toMatchObject({ method: 'POST', url: sessions, body })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'idempotency-key': 'k1',
      [internalHeaders.requestId]: answer.requestId,
    })
    expect(await world.callerOf(request)).toMatchObject({ merchant_id: world.azul.merchant_id })
  })

  test('does not forward internal, credential and proxy headers of a client', async () => {
    const spoofed = {
      'x-cobro-identity': 'forged',
      'X-Cobro-Request-Id': newId('req'),
      'x-cobro-merchant-id': world.rojo.merchant_id,
      'x-request-id': newId('req'),
      x_cobro_identity: 'forged',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      baggage: `correlation_id=${newId('corr')}`,
      forwarded: 'for=198.51.100.1',
      'x-forwarded-for': '198.51.100.1',
      'x-forwarded-host': 'evil.test',
      'x-real-ip': '198.51.100.1',
      cookie: 'a=b',
      'proxy-authorization': 'Basic dTpw',
      te: 'trailers',
    }
    const answer = await send(world.url, `${sessions}/${session}`, { headers: { ...key, ...spoofed } })
    const [request] = world.upstream.received
    expect(answer.requestId).not.toBe(spoofed['x-request-id'])
    expect(request?.headers[internalHeaders.requestId]).toBe(answer.requestId)
    expect(await world.callerOf(request)).toMatchObject({ merchant_id: world.azul.merchant_id })
    const ours = [internalHeaders.identity, internalHeaders.requestId]
    const usual = ['host', 'connection', 'accept', 'accept-language', 'user-agent']
    const seen = Object.keys(request?.headers ?? {}).filter(
      name => !ours.includes(name as never) && !usual.includes(name),
    )
    expect(seen).toEqual([])
    expect((await recordOf(world, answer.requestId)).data.ip).toBe('127.0.0.1')
  })

  test('does not forward headers that Connection names', async () => {
    const more = 'Connection: x-cobro-identity, idempotency-key, x-cobro-request-id\r\nIdempotency-Key: k1\r\n'
    await raw('GET', `${sessions}/${session}`, more)
    const [request] = world.upstream.received
    expect(request?.headers['idempotency-key']).toBeUndefined()
    expect(await world.callerOf(request)).toMatchObject({ kind: 'key' })
  })

  test('does not forward merchant_id in the query', async () => {
    await send(world.url, `/api/transactions?search=a%20b&merchant_id=x&metadata.plan=gold&limit=2`, { headers: key })
    expect(world.upstream.received[0]?.url).toBe('/api/transactions?search=a+b&metadata.plan=gold&limit=2')
  })

  test("forwards a browser's report of a violation, from a caller without a credential, and its empty answer", async () => {
    world.upstream.answer = (_request, response) => response.writeHead(204).end()
    for (const type of ['application/csp-report', 'application/reports+json']) {
      const headers = { 'content-type': type }
      const answer = await fetch(`${world.url}/hosted/v1/csp-reports`, { method: 'POST', headers, body: '[]' })
      expect([answer.status, await answer.text()]).toEqual([204, ''])
      const request = world.upstream.received.at(-1)
      expect([request?.headers['content-type'], request?.body]).toEqual([type, '[]'])
      expect(await world.callerOf(request)).toEqual(expect.objectContaining({ kind: 'payer' }))
    }
  })

  test('forwards a request body while it is still arriving', async () => {
    const head = Promise.withResolvers<void>()
    world.upstream.onHead = incoming => incoming.once('data', () => head.resolve())
    const call = httpRequest(`${world.url}${sessions}`, {
      method: 'POST',
      headers: { ...key, ...json, 'transfer-encoding': 'chunked' },
    })
    const answered = new Promise<number | undefined>(resolve =>
      call.once('response', answer => resolve(answer.statusCode)),
    )
    call.write('{"a":')
    await head.promise
    call.end('1}')
    expect(await answered).toBe(200)
    expect(world.upstream.received[0]?.body).toBe('{"a":1}')
  })
})

describe('what a client receives', () => {
  test("returns the service's response without internal headers and with the security headers", async () => {
    const correlation = newId('corr')
    world.upstream.answer = (_request, response) => {
      response.writeHead(201, {
        ...json,
        [internalHeaders.correlationId]: correlation,
        [internalHeaders.merchantId]: world.azul.merchant_id,
        'X-Request-Id': 'req_theirs',
        'Idempotent-Replayed': 'true',
        'X-Powered-By': 'Express',
      })
      response.end('{"id":"cs_1"}')
    }
    const answer = await send(world.url, sessions, { headers: key, body: {} })
    expect([answer.status, answer.body]).toEqual([201, { id: 'cs_1' }])
    expect(answer.headers.get('idempotent-replayed')).toBe('true')
    expect([...answer.headers.keys()].filter(name => name.startsWith('x-cobro') || name === 'x-powered-by')).toEqual([])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const record = await recordOf(world, answer.requestId)
    expect(record).toMatchObject({ correlation_id: correlation, merchant_id: world.azul.merchant_id })
    const metadata = { operation_id: 'createCheckoutSession' }
    expect(record.data).toMatchObject({ method: 'POST', path: sessions, status_code: 201, metadata })
  })

  test('records the error code that the service reports, and does not send it in a header', async () => {
    world.upstream.answer = (_request, response) => {
      response.writeHead(409, { ...json, [internalHeaders.errorCode]: 'conflict' })
      response.end('{"error":"conflict: a payment is running"}')
    }
    const answer = await send(world.url, sessions, { headers: key, body: {} })
    expect([answer.status, answer.headers.has(internalHeaders.errorCode)]).toEqual([409, false])
    const { data } = await recordOf(world, answer.requestId)
    expect(data.metadata).toEqual({ operation_id: 'createCheckoutSession', error_code: 'conflict' })
  })

  test('records no error code that is not of the API', async () => {
    world.upstream.answer = (_request, response) => {
      response.writeHead(500, { ...json, [internalHeaders.errorCode]: 'secret detail' })
      response.end('{}')
    }
    const { requestId } = await send(world.url, sessions, { headers: key, body: {} })
    expect((await recordOf(world, requestId)).data.metadata).toEqual({ operation_id: 'createCheckoutSession' })
  })

  test.each([
    ['a missing credential', {}, sessions, { operation_id: 'createCheckoutSession', error_code: 'unauthorized' }],
    ['an unknown path', {}, '/nowhere', { error_code: 'not_found' }],
  ])('records the error code of %s, which the gateway answers itself', async (_what, headers, path, metadata) => {
    const answer = await send(world.url, path, { headers, body: {} })
    expect([...answer.headers.keys()].filter(name => name.startsWith('x-cobro'))).toEqual([])
    expect((await recordOf(world, answer.requestId)).data.metadata).toEqual(metadata)
  })

  test('returns a link to the next page, with the merchant that the query selected', async () => {
    world.upstream.answer = ({ url }, response) => {
      response.setHeader('Link', `<${url}&cursor=1-txn_1>; rel="next"`)
      response.end('{}')
    }
    const linkOf = async (query: string) =>
      (await send(world.url, `/api/transactions?${query}`, { headers: key })).headers.get('link')
    const { merchant_id } = world.azul
    expect(await linkOf('limit=1')).toBe('</api/transactions?limit=1&cursor=1-txn_1>; rel="next"')
    expect(await linkOf(`limit=1&merchant_id=${merchant_id}`)).toBe(
      `</api/transactions?merchant_id=${merchant_id}&limit=1&cursor=1-txn_1>; rel="next"`,
    )
    expect(await linkOf('limit=1&merchant_id=%3E%22x')).toBe(
      '</api/transactions?merchant_id=%3E%22x&limit=1&cursor=1-txn_1>; rel="next"',
    )
  })

  test('keeps the content security policy of a page, and where browsers report violations of it', async () => {
    world.upstream.answer = (_request, response) => {
      const policy = "default-src 'none'; script-src 'self'"
      response.writeHead(200, {
        'Content-Type': 'text/html',
        'Reporting-Endpoints': 'csp="/reports"',
        'Integrity-Policy': 'blocked-destinations=(script)',
        'Content-Security-Policy': policy,
        'Cache-Control': 'private',
      })
      response.end('<!doctype html>')
    }
    const answer = await fetch(`${world.url}/checkout/${session}`)
    expect(await answer.text()).toBe('<!doctype html>')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; script-src 'self'")
    expect(answer.headers.get('reporting-endpoints')).toBe('csp="/reports"')
    expect(answer.headers.get('integrity-policy')).toBe('blocked-destinations=(script)')
    expect(answer.headers.get('cache-control')).toBe('private')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('records the merchant and the target that a payer used', async () => {
    world.upstream.answer = (_request, response) => {
      response.setHeader(internalHeaders.merchantId, world.rojo.merchant_id)
      response.end('{}')
    }
    const { requestId } = await send(world.url, `/hosted/v1/checkout/${session}`)
    expect(await recordOf(world, requestId)).toMatchObject({
      merchant_id: world.rojo.merchant_id,
      target_id: session,
      actor: { type: 'payer', id: null },
    })
  })

  test('forwards server-sent events as they arrive', async () => {
    const more = Promise.withResolvers<void>()
    world.upstream.answer = async (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.flushHeaders()
      await more.promise
      response.end('data: 1\n\n')
    }
    const answer = await fetch(`${world.url}/hosted/v1/checkout/${session}`)
    expect(answer.status).toBe(200)
    more.resolve()
    expect(await answer.text()).toBe('data: 1\n\n')
  })

  test('answers HEAD without a body', async () => {
    const answer = await fetch(`${world.url}${sessions}/${session}`, { method: 'HEAD', headers: key })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(world.upstream.received[0]?.method).toBe('HEAD')
  })

  test('sends Strict-Transport-Security in production', async () => {
    const production = await start({
      ...world.config,
      COBRO_ENV: 'production',
      SPOOL_DIR: `${world.config.SPOOL_DIR}/live`,
    })
    const answer = await send(production.url, '/health')
    expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=31536000/)
    await production.stop()
  })
})

describe('request paths', () => {
  test.each([
    '/',
    '/nonsense',
    '/api',
    '/api/',
    '/API/transactions',
    '/api/transactions/',
    '//api/transactions',
    '/api//transactions',
    '/api/./transactions',
    '/api/../internal',
    '/api/sucursales/../transactions',
    '/api/%2e%2e/internal',
    '/api%2ftransactions',
    '/api/transactions%00',
    '/api/transactions%2f..%2finternal',
    '/%61pi/transactions',
    '/api\\transactions',
    '/health/ready/../../internal',
    '/api/transactions/txn_nonsense',
    `/api/transactions/${session}`,
    '/checkout/v1/sessions/..%2f..%2finternal',
    '/hosted/assets/..%2f..%2fpackage.json',
    '/hosted/assets/..',
    '/internal',
    '/api/transactions;x=1',
  ])('answers the path %s with 404', async path => {
    const [answer] = await raw('GET', path)
    expect([answer?.status, JSON.parse(answer?.body ?? '{}')]).toEqual([404, { error: 'not_found' }])
    expect(world.upstream.received).toEqual([])
  })

  test.each(['http://evil.test/api/transactions', 'api/transactions'])(
    'rejects the request target %s with 400',
    async path => {
      const [answer] = await raw('GET', path)
      expect(answer?.status).toBe(400)
      expect(world.upstream.received).toEqual([])
    },
  )

  test.each([
    ['DELETE', '/checkout/v1/sessions', 'POST'],
    ['PATCH', '/api/terminales', 'GET, POST'],
    ['PUT', '/api/api-keys', 'POST, GET'],
    ['POST', '/health', 'GET'],
    ['PUT', '/api/webhooks/events', 'GET'],
    ['DELETE', '/api/webhooks/events', 'GET'],
    ['OPTIONS', '/api/events', 'GET'],
    ['QUERY', '/api/transactions', 'GET, POST'],
  ])('answers %s %s with 405 and Allow: %s', async (method, path, allow) => {
    const [answer] = await raw(method, path)
    expect([answer?.status, answer?.headers.allow]).toEqual([405, allow])
    expect(world.upstream.received).toEqual([])
  })
})

describe('request bodies', () => {
  const tooLarge = expect.stringMatching(/^payload_too_large: /)

  test('rejects a body with a Content-Length beyond the limit without reading it', async () => {
    const body = JSON.stringify({ concepto: 'x'.repeat(1024 * 1024) })
    const answer = await send(world.url, sessions, { headers: key, body })
    expect([answer.status, answer.body]).toEqual([413, { error: tooLarge }])
    expect(world.upstream.received).toEqual([])
    expect((await recordOf(world, answer.requestId)).data.status_code).toBe(413)
  })

  test('rejects reports of violations of more than 64 KiB', async () => {
    const path = '/hosted/v1/csp-reports'
    const body = 'x'.repeat(64 * 1024)
    expect((await send(world.url, path, { body: `${body}x` })).status).toBe(413)
    expect((await send(world.url, path, { body })).status).toBe(200)
  })

  test('cuts off a chunked body that exceeds the limit', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const head = `POST ${sessions} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-Key: ${world.azul.key}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const [answer] = await rawCall(world.port, `${head}${chunk.repeat(5)}0\r\n\r\n`)
    expect([answer?.status, JSON.parse(answer?.body ?? '{}')]).toEqual([413, { error: tooLarge }])
    expect(world.upstream.received).toEqual([])
  })

  test('serves the next request on the connection after rejecting a body', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const head = `POST ${sessions} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${world.azul.key}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const next = 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answers = await rawCall(world.port, `${head}${chunk.repeat(9)}0\r\n\r\n${next}`)
    expect(answers.map(answer => answer.status)).toEqual([413, 200])
  })

  test('accepts a body of exactly the maximum size', async () => {
    const body = 'x'.repeat(256 * 1024)
    expect((await send(world.url, sessions, { headers: key, body })).status).toBe(200)
    expect(world.upstream.received[0]?.body).toBe(body)
  })
})

describe('failures of a service', () => {
  test('answers 503 within a second if the service is unreachable', async () => {
    const away = await start({
      ...world.config,
      CHECKOUT_URL: 'http://127.0.0.1:1',
      SPOOL_DIR: `${world.config.SPOOL_DIR}/away`,
    })
    // Calls can take longer while the machine is busy.
    const answer = await waitFor(async () => {
      const began = performance.now()
      const found = await send(away.url, sessions, { headers: key, body: {} })
      return performance.now() - began < 1_000 && found
    })
    expect([answer.status, answer.body]).toEqual([503, { error: 'unavailable' }])
    expect((await recordOf(world, answer.requestId)).data.status_code).toBe(503)
    await away.stop()
  })

  test.each([
    ['too large', `/hosted/v1/checkout/${newId('cs')}/payments`, 20 * 1024],
    ['larger than the buffers', sessions, 200 * 1024],
  ])('reads a body that is %s to its end after a 503', async (_what, path, length) => {
    const away = await start({
      ...world.config,
      CHECKOUT_URL: 'http://127.0.0.1:1',
      SPOOL_DIR: `${world.config.SPOOL_DIR}/away-${length}`,
    })
    const credential = path === sessions ? `X-API-Key: ${world.azul.key}\r\n` : ''
    const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
    const socket = connect(away.port, '127.0.0.1')
    let answers = ''
    socket.on('data', data => {
      answers += data
    })
    const statuses = () => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${credential}Transfer-Encoding: chunked\r\n\r\n${chunk(1_000)}`)
    await waitFor(() => statuses().length === 1)
    socket.write(`${chunk(length)}0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`)
    await waitFor(() => statuses().length === 2)
    expect(statuses()).toEqual([503, 200])
    socket.destroy()
    await away.stop()
  })

  test('answers 504 if the service takes too long', async () => {
    const impatient = await start({
      ...world.config,
      UPSTREAM_TIMEOUT_MS: 100,
      SPOOL_DIR: `${world.config.SPOOL_DIR}/slow`,
    })
    world.upstream.answer = () => undefined
    const answer = await send(impatient.url, sessions, { headers: key, body: {} })
    expect([answer.status, answer.body]).toEqual([504, { error: 'timeout' }])
    await impatient.stop()
  })

  test('sends a read once more after a cut connection, and a change never', async () => {
    let cuts = 1
    world.upstream.answer = (_request, response) => (cuts-- > 0 ? response.destroy() : response.end('{}'))
    expect((await send(world.url, `${sessions}/${session}`, { headers: key })).status).toBe(200)
    expect(world.upstream.received).toHaveLength(2)
    cuts = 1
    const answer = await send(world.url, sessions, { headers: key, body: {} })
    expect([answer.status, answer.body]).toEqual([504, { error: 'timeout' }])
    expect(world.upstream.received).toHaveLength(3)
  })

  test("cuts off the client's response if the service cuts off its own", async () => {
    const headArrived = Promise.withResolvers<void>()
    world.upstream.answer = async (_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      await headArrived.promise
      response.destroy()
    }
    const answer = await fetch(`${world.url}${sessions}/${session}`, { headers: key })
    headArrived.resolve()
    await expect(answer.text()).rejects.toThrow()
  })
})

test('aborts the request to a service when the client disconnects', async () => {
  const [left, receivedId] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  world.upstream.answer = (request, response) => {
    response.once('close', left.resolve)
    receivedId.resolve(String(request.headers[internalHeaders.requestId]))
  }
  const leaving = new AbortController()
  const answer = fetch(`${world.url}${sessions}`, { method: 'POST', headers: key, body: '{}', signal: leaving.signal })
  const requestId = await receivedId.promise
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await left.promise
  const { data } = await recordOf(world, requestId)
  expect(data).toMatchObject({ status_code: 499, metadata: { outcome: 'client_closed' } })
})

test('records card numbers in the path and user agent of a call as [card]', async () => {
  const headers = { ...key, 'user-agent': 'card 4242424242424242' }
  const { requestId } = await send(world.url, '/pay/4242424242424242?card=4242424242424242', { headers })
  const record = await recordOf(world, requestId)
  expect(record.data).toMatchObject({ path: '/pay/[card]', user_agent: 'card [card]', status_code: 404 })
  expect(JSON.stringify(record)).not.toContain('42424242')
})

test('records API keys in the path and user agent of a call as [secret]', async () => {
  const secret = world.azul.key
  const headers = { ...key, 'user-agent': `key ${secret}` }
  const { requestId } = await send(world.url, `${sessions}/${secret}?key=${secret}`, { headers })
  const record = await recordOf(world, requestId)
  expect(record.data).toMatchObject({ path: `${sessions}/[secret]`, user_agent: 'key [secret]' })
  expect(JSON.stringify(record)).not.toContain(secret)
})

test('records the client address that a trusted proxy reports', async () => {
  const TRUSTED_PROXIES = [parseIpRange('127.0.0.0/8')]
  const behind = await start({ ...world.config, TRUSTED_PROXIES, SPOOL_DIR: `${world.config.SPOOL_DIR}/proxy` })
  const { requestId } = await send(behind.url, '/health', { headers: { 'x-forwarded-for': '192.0.2.1, 198.51.100.7' } })
  expect((await recordOf(world, requestId)).data.ip).toBe('198.51.100.7')
  await behind.stop()
})

test('answers and records requests in flight before it stops', async () => {
  const stopping = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/stop` })
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  world.upstream.answer = async (_request, response) => {
    arrived.resolve()
    await goOn.promise
    response.end('{}')
  }
  const answer = send(stopping.url, sessions, { headers: key, body: {} })
  await arrived.promise
  const stopped = stopping.stop()
  await waitFor(() =>
    fetch(`${stopping.url}/health`).then(
      () => false,
      () => true,
    ),
  )
  goOn.resolve()
  const { status, requestId } = await answer
  await stopped
  expect(status).toBe(200)
  expect((await recordOf(world, requestId)).data.status_code).toBe(200)
})
