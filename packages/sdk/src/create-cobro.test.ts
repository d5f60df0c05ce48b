import { type AdminOptions, createCobroAdmin } from './create-admin.ts'
import { type CobroOptions, createCobro } from './create-cobro.ts'
import type { Session } from './sessions.ts'
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  CobroError,
  ConflictError,
  ConnectionError,
  DeclinedError,
  GatewayTimeoutError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnavailableError,
} from './transport/errors.ts'

const session = { id: 'cs_1', url: 'https://pay.example/checkout/cs_1' }
const input = { amount_total: 25_000, success_url: 'https://shop.example/thanks' }

interface Sent {
  url: string
  init: RequestInit
  headers: Headers
}

/** A client whose calls are answered one after another, and what it sent. */
function scripted(
  answers: (Response | Error | ((init: RequestInit) => Promise<Response>))[],
  options: Partial<CobroOptions> = {},
) {
  const sent: Sent[] = []
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(url), init, headers: new Headers(init.headers) })
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    if (answer === undefined) throw new Error('The client made a call that the test does not expect.')
    return typeof answer === 'function' ? answer(init) : answer
  }
  const cobro = createCobro({ apiKey: 'vk_test_1', baseUrl: 'https://pay.example/', fetch, ...options })
  return { cobro, sent }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { 'x-request-id': 'req_1', ...headers } })
const refused = (status: number, error: string, headers?: Record<string, string>) => json({ error }, status, headers)
/** What Node's `fetch` throws. */
const noConnection = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: { code } })
const soon = { 'retry-after': '0' }

test('a call has the key, the input and one Idempotency-Key for all its attempts', async () => {
  const { cobro, sent } = scripted([
    refused(503, 'unavailable', soon),
    noConnection('UND_ERR_SOCKET'),
    json(session, 201),
  ])
  const { data, response, requestId } = await cobro.checkout.sessions.create(input).withResponse()
  expect(data).toEqual(session)
  expect([response.status, requestId]).toEqual([201, 'req_1'])
  expect(sent.map(({ url, init }) => [url, init.method, init.redirect, init.body])).toEqual(
    Array(3).fill(['https://pay.example/checkout/v1/sessions', 'POST', 'manual', JSON.stringify(input)]),
  )
  expect(sent[0]?.headers.get('x-api-key')).toBe('vk_test_1')
  expect(sent[0]?.headers.get('user-agent')).toBe('cobro-sdk/0.1.0')
  const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')))
  expect(keys.size).toBe(1)
  expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/)
})

test('each call has a key of its own, or that of the caller', async () => {
  const { cobro, sent } = scripted([json(session), json(session), json(session)])
  await cobro.checkout.sessions.create(input)
  await cobro.checkout.sessions.create(input)
  await cobro.checkout.sessions.create(input, { idempotencyKey: 'order-1042' })
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('order-1042')
})

test.each([
  ['that was lost', () => noConnection('UND_ERR_SOCKET'), ConnectionError],
  ['that the gateway may have failed to record', () => refused(503, 'unavailable', soon), UnavailableError],
])('a deletion %s is not repeated, since it may have had its effect', async (_what, answer, kind) => {
  const { cobro, sent } = scripted([answer()])
  const error = await cobro.terminales.delete('trm_1').catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(kind)
  expect(error).toMatchObject({ outcomeUnknown: true, operationId: 'deleteTerminal' })
  expect(sent.length).toBe(1)
})

test('a deletion that was never sent is repeated', async () => {
  const { cobro, sent } = scripted([noConnection('ECONNREFUSED'), json({ data: { id: 'trm_1', deleted: true } })])
  expect(await cobro.terminales.delete('trm_1')).toEqual({ id: 'trm_1', deleted: true })
  expect(sent.length).toBe(2)
})

test.each([
  [400, 'invalid_request: amount_total: required', InvalidRequestError],
  [401, 'unauthorized', AuthenticationError],
  [402, 'insufficient_funds', DeclinedError],
  [404, 'not_found', NotFoundError],
  [409, 'conflict: the session is completed', ConflictError],
  [410, 'gone: the floor is 12', ApiError],
  [422, 'idempotency_mismatch', IdempotencyMismatchError],
  [429, 'rate_limited', RateLimitError],
  [500, 'internal_error', ServerError],
  [502, 'processing_error', ServerError],
  [503, 'unavailable', UnavailableError],
  [504, 'timeout', GatewayTimeoutError],
])('a %i becomes a typed error', async (status, text, kind) => {
  const { cobro } = scripted([refused(status, text)], { maxRetries: 0 })
  const error = await cobro.checkout.sessions.create(input, { idempotencyKey: 'k' }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(kind)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(CobroError)
  const [code, detail] = text.split(': ')
  expect(error).toMatchObject({ status, code, requestId: 'req_1', idempotencyKey: 'k', name: kind.name })
  expect((error as ApiError).detail).toBe(text.includes(': ') ? text.slice((code?.length ?? 0) + 2) : detail)
  expect(String(error)).not.toContain('vk_test')
})

test('instanceof distinguishes errors, also those of another copy of the SDK', async () => {
  const { cobro } = scripted([refused(404, 'not_found')])
  const error = await cobro.transactions.retrieve('txn_1').catch((caught: unknown) => caught)
  expect(error).not.toBeInstanceOf(ConflictError)
  class Mine extends NotFoundError {}
  expect(error).not.toBeInstanceOf(Mine)
  const copy = await import(`./transport/errors.ts?copy=${Date.now()}`)
  expect(copy.NotFoundError).not.toBe(NotFoundError)
  expect(error).toBeInstanceOf(copy.NotFoundError)
  expect(error).not.toBeInstanceOf(copy.ConflictError)
})

test('an answer that is not of the API is an error without its content', async () => {
  const { cobro } = scripted([new Response('<html>secret</html>', { status: 200 }), new Response('', { status: 302 })])
  for (const status of [200, 302]) {
    const error = await cobro.me().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'unexpected_response', status })
    expect(String(error)).not.toContain('secret')
  }
})

test.each([{}, { ok: true }, [], 'text', null])('the JSON %j of another server is an error', async body => {
  const { cobro } = scripted([json(body), json(body)])
  const calls = [cobro.me(), cobro.transactions.list()]
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'unexpected_response', status: 200 })
})

test('waits as long as the API asks, and gives up if that is too long', async () => {
  const retries: number[] = []
  const { cobro } = scripted([refused(429, 'rate_limited', { 'retry-after': '1' }), json({ data: {} })], {
    onRetry: ({ delayMs }) => retries.push(delayMs),
  })
  await cobro.me()
  expect(retries).toEqual([1_000])
  const { cobro: impatient, sent } = scripted([refused(503, 'unavailable', { 'retry-after': '61' })])
  await expect(impatient.me()).rejects.toBeInstanceOf(UnavailableError)
  expect(sent.length).toBe(1)
})

/** An answer that never comes; it fails when the attempt is aborted. */
const never = ({ signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('an attempt without an answer ends in time, and a repetition follows', async () => {
  const { cobro, sent } = scripted([never, json({ data: { id: 'txn_1' } })], { timeoutMs: 30 })
  expect(await cobro.transactions.retrieve('txn_1')).toEqual({ id: 'txn_1' })
  expect(sent.length).toBe(2)
})

test('a call ends at its deadline, whatever its attempts may still take', async () => {
  const { cobro, sent } = scripted([never, never, never], { timeoutMs: 60_000, deadlineMs: 50 })
  const error = await cobro.checkout.sessions.create(input, { idempotencyKey: 'k' }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ outcomeUnknown: true, idempotencyKey: 'k' })
  expect(sent.length).toBe(1)
})

test('an aborted call is not repeated, and says that its outcome is unknown', async () => {
  const controller = new AbortController()
  const { cobro, sent } = scripted([never])
  const call = cobro.checkout.sessions.create(input, { idempotencyKey: 'k', signal: controller.signal })
  setTimeout(() => controller.abort(), 20)
  const error = await call.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({ outcomeUnknown: true, idempotencyKey: 'k' })
  expect(sent.length).toBe(1)
  const before = cobro.me({ signal: AbortSignal.abort() })
  await expect(before).rejects.toMatchObject({ name: 'AbortedError', outcomeUnknown: false })
  expect(sent.length).toBe(1)
})

test('a call that is aborted between attempts sends nothing more', async () => {
  const controller = new AbortController()
  const { cobro, sent } = scripted([refused(504, 'timeout', { 'retry-after': '30' })], {
    onRetry: () => setTimeout(() => controller.abort(), 10),
  })
  const error = await cobro.transactions
    .refund('txn_1', { signal: controller.signal })
    .catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'AbortedError', outcomeUnknown: true })
  expect(sent.length).toBe(1)
})

test('lists iterate over all pages, and fetch no page in vain', async () => {
  const page = (ids: number[], next?: string) =>
    json(
      { data: ids.map(id => ({ id })), count: 5, limit: 2, offset: 0 },
      200,
      next ? { link: `<${next}>; rel="next"` } : {},
    )
  const pages = () => [
    page([1, 2], '/api/transactions?status=approved&cursor=2-b'),
    page([3, 4], '/api/transactions?status=approved&cursor=4-d'),
    page([5]),
  ]
  const { cobro, sent } = scripted(pages())
  const ids: unknown[] = []
  for await (const { id } of cobro.transactions.list({ status: ['approved', 'declined'], from: new Date(0) }))
    ids.push(id)
  expect(ids).toEqual([1, 2, 3, 4, 5])
  expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
    'status=approved%2Cdeclined&from=1970-01-01T00%3A00%3A00.000Z',
    'status=approved&cursor=2-b',
    'status=approved&cursor=4-d',
  ])
  const { cobro: bounded, sent: few } = scripted(pages())
  expect(await bounded.transactions.list().toArray({ maxItems: 2 })).toEqual([{ id: 1 }, { id: 2 }])
  expect(few.length).toBe(1)
})

test('a page knows its next one, also where the list is not sorted by time', async () => {
  const page = (ids: number[], offset: number) => json({ data: ids.map(id => ({ id })), count: 3, limit: 2, offset })
  const { cobro, sent } = scripted([page([1, 2], 0), page([3], 2)])
  const first = await cobro.transactions.list({ order: 'amount_cents', limit: 2 })
  expect([first.count, first.hasNext]).toEqual([3, true])
  const second = await first.next()
  expect(second?.data).toEqual([{ id: 3 }])
  expect(second?.hasNext).toBe(false)
  expect(await second?.next()).toBeUndefined()
  expect(sent[1]?.url).toContain('order=amount_cents&limit=2&offset=2')
})

test('a full page without a link is the last one, also where rows were skipped and none are counted', async () => {
  const { cobro } = scripted([json({ data: [{ id: 3 }, { id: 4 }], count: null, limit: 2, offset: 2 })])
  const last = await cobro.transactions.list({ limit: 2, offset: 2, count: 'none' })
  expect(last.hasNext).toBe(false)
  expect(await last.next()).toBeUndefined()
})

test.each(['', '.', '..', 'a/b', 'txn_1?x=1', '%2e%2e', undefined])('%j is no id, and nothing is sent', async id => {
  const { cobro, sent } = scripted([])
  await expect(cobro.transactions.retrieve(id as string)).rejects.toThrow(TypeError)
  expect(sent).toEqual([])
})

test.each([
  { apiKey: '' },
  { apiKey: 'vk_test_1\n' },
  { apiKey: 'a token' },
  { baseUrl: '' },
  { baseUrl: 'pay.example' },
  { baseUrl: 'ftp://pay.example' },
  { baseUrl: 'https://user:password@pay.example' },
  { baseUrl: 'https://:password@pay.example' },
  { baseUrl: 'https://pay.example?' },
  { baseUrl: 'https://pay.example#' },
])('rejects the options %j without repeating a key', options => {
  const create = () => createCobro({ apiKey: 'vk_test_1', baseUrl: 'https://pay.example', ...options })
  expect(create).toThrow(TypeError)
  expect(create).not.toThrow(/vk_test_1|a token|password/)
})

test('refuses to run in a page, where anyone could read the key', () => {
  Object.assign(globalThis, { document: {} })
  try {
    expect(() => createCobro({ apiKey: 'vk_test_1', baseUrl: 'https://pay.example' })).toThrow(/page/)
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
})

test('hooks see operations and paths without ids, and cannot change the outcome of a call', async () => {
  const seen: object[] = []
  const hook = (attempt: object) => {
    seen.push(attempt)
    throw new Error('a hook failed')
  }
  const { cobro } = scripted([refused(503, 'unavailable', soon), json({ data: { id: 'txn_1' } })], {
    onRequest: hook,
    onResponse: hook,
    onRetry: hook,
    headers: () => ({ traceparent: '00-1-1-01' }),
  })
  expect(await cobro.transactions.retrieve('txn_1')).toEqual({ id: 'txn_1' })
  expect(seen).toHaveLength(5)
  expect(seen[1]).toMatchObject({
    operationId: 'getTransaction',
    path: '/api/transactions/{id}',
    attempt: 1,
    status: 503,
    requestId: 'req_1',
  })
  expect(JSON.stringify(seen.map(one => ({ ...one, error: undefined })))).not.toContain('txn_1')
})

test('an earlier attempt that may have had its effect is not forgotten', async () => {
  const lost = () => noConnection('UND_ERR_SOCKET')
  const endings: (Response | Error)[][] = [
    [lost(), noConnection('ECONNREFUSED'), noConnection('ECONNREFUSED')],
    [refused(504, 'timeout'), refused(429, 'rate_limited', { 'retry-after': '61' })],
    [refused(503, 'unavailable', { 'retry-after': '61' })],
    [new Response('<html>', { status: 502 })],
    [lost(), refused(400, 'invalid_request: gone wrong')],
    [refused(409, 'conflict: running', soon), refused(409, 'conflict: running', { 'retry-after': '61' })],
    [new Response('<html>', { status: 201 })],
  ]
  for (const answers of endings) {
    const { cobro } = scripted(answers)
    await expect(cobro.checkout.sessions.create(input)).rejects.toMatchObject({ outcomeUnknown: true })
  }
  const refusals = [
    [refused(429, 'rate_limited', { 'retry-after': '61' })],
    [refused(502, 'processing_error')],
    [refused(409, 'conflict')],
    [lost(), refused(402, 'lost_card')],
  ]
  for (const answers of refusals) {
    const { cobro } = scripted(answers)
    await expect(cobro.checkout.sessions.create(input)).rejects.toMatchObject({ outcomeUnknown: false })
  }
})

test('what cannot be sent is a TypeError, and no failure of the connection', async () => {
  const { cobro, sent } = scripted([])
  const impossible = [
    () => cobro.checkout.sessions.create({ ...input, amount_total: 1n as never }),
    () => cobro.checkout.sessions.create(input, { idempotencyKey: 'a\nb' }),
    () => cobro.transactions.list({ from: new Date(Number.NaN) }),
    () => cobro.me({ timeoutMs: Number.NaN }),
    () => cobro.me({ maxRetries: Number.NaN }),
  ]
  for (const call of impossible)
    await expect(call()).rejects.toThrow(/TypeError|RangeError|BigInt|above|number|printable|Invalid/)
  expect(sent).toEqual([])
  const headers = () => ({ 'x-secret': 'a secret\n!' })
  const failure = await scripted([], { headers })
    .cobro.me()
    .catch((caught: unknown) => caught)
  expect(failure).toBeInstanceOf(TypeError)
  expect(JSON.stringify([String(failure), (failure as Error).cause])).not.toContain('a secret')
})

test('headers of the caller do not replace those of the SDK, and a time limit may be endless', async () => {
  const headers = () => ({ 'Idempotency-Key': 'mine', 'X-API-Key': 'mine', 'User-Agent': 'shop/1' })
  const { cobro, sent } = scripted([json(session)], { headers, timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: 1e12 })
  await cobro.checkout.sessions.create(input, { idempotencyKey: 'k' })
  expect(['idempotency-key', 'x-api-key', 'user-agent'].map(name => sent[0]?.headers.get(name))).toEqual([
    'k',
    'vk_test_1',
    'shop/1',
  ])
})

test('a base URL may have a path', async () => {
  const { cobro, sent } = scripted([json({ data: {} })], { baseUrl: ' https://pay.example/cobro/ ' })
  await cobro.me()
  expect(sent[0]?.url).toBe('https://pay.example/cobro/api/me')
})

test('a log that is followed is read on by its position', async () => {
  const page = (through: number, rows: number) =>
    json({ data: Array(rows).fill({}), count: null, limit: 2, offset: 0, through })
  const { cobro, sent } = scripted([page(2, 2), page(3, 1)])
  expect(await cobro.requests.list({ after_seq: 0, limit: 2 }).toArray({ maxItems: 9 })).toHaveLength(3)
  expect(sent[1]?.url).toContain('after_seq=2&limit=2')
})

test('an iterator that is not used leaves no failure behind, and neither does a hook that rejects', async () => {
  const onRequest = async () => {
    throw new Error('a hook failed')
  }
  const { cobro } = scripted([refused(404, 'not_found')], { onRequest })
  cobro.transactions.list()[Symbol.asyncIterator]()
  await new Promise(resolve => setTimeout(resolve, 20))
})

describe('sessions of users', () => {
  const tokens = (number: number) => ({
    token: `jwt-${number}`,
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: `vrt_${number}`,
    user: {},
  })
  const expiring = (leftMs = 1_000) => ({ token: 'jwt-1', refreshToken: 'vrt_1', expiresAtMs: Date.now() + leftMs })

  /** A client whose refreshes are answered one after another, and what it did. */
  function user(refreshes: (() => Response)[], options: Partial<AdminOptions> = {}) {
    const did: string[] = []
    const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
      if (new URL(String(url)).pathname === '/api/auth/refresh') {
        did.push(`refresh ${JSON.parse(String(init.body)).refresh_token}`)
        return (refreshes.shift() ?? (() => refused(401, 'unauthorized')))()
      }
      const headers = new Headers(init.headers)
      if (new URL(String(url)).pathname === '/api/auth/confirm') {
        did.push(`confirm ${headers.get('authorization')}`)
        return json({ token: 'jwt-confirmed', token_type: 'Bearer', expires_in: 900 })
      }
      did.push(`call ${headers.get('authorization')} ${headers.get('x-merchant-id')}`)
      return json({ data: {} })
    }
    const store = { save: ({ refreshToken }: Session) => void did.push(`save ${refreshToken}`) }
    return {
      did,
      admin: createCobroAdmin({ baseUrl: 'https://pay.example', fetch, session: expiring(), store, ...options }),
    }
  }
  const lost = () => {
    throw noConnection('UND_ERR_SOCKET')
  }

  test('one refresh serves all calls that wait for it, and its session is saved before it is used', async () => {
    const { admin, did } = user([() => json(tokens(2))])
    await Promise.all([admin.me(), admin.forMerchant('mrc_1').me(), admin.me()])
    expect(did.slice(0, 2)).toEqual(['refresh vrt_1', 'save vrt_2'])
    expect(did.slice(2).toSorted()).toEqual([
      'call Bearer jwt-2 mrc_1',
      'call Bearer jwt-2 null',
      'call Bearer jwt-2 null',
    ])
  })

  test.each([
    ['is lost', lost],
    ['gets no answer in time', () => refused(504, 'timeout')],
  ])('a refresh token whose use %s is not used again', async (_what, answer) => {
    const { admin, did } = user([answer, answer], { session: expiring(0) })
    await expect(admin.me()).rejects.toMatchObject({ outcomeUnknown: true, operationId: 'refreshToken' })
    await expect(admin.me()).rejects.toThrow('log in again')
    expect(did).toEqual(['refresh vrt_1'])
  })

  test('the token before is used while it is valid and the API is unavailable for a refresh', async () => {
    const { admin, did } = user([() => refused(503, 'unavailable'), () => json(tokens(2))])
    await admin.me()
    await admin.me()
    expect(did).toEqual([
      'refresh vrt_1',
      'call Bearer jwt-1 null',
      'refresh vrt_1',
      'save vrt_2',
      'call Bearer jwt-2 null',
    ])
  })

  test('the token of a confirmed login is saved and used from then on', async () => {
    const { admin, did } = user([], { session: { ...expiring(), expiresAtMs: Date.now() + 900_000 } })
    await admin.forMerchant('mrc_1').auth.confirm({ password: 'a long password' })
    await admin.me()
    expect(did).toEqual(['confirm Bearer jwt-1', 'save vrt_1', 'call Bearer jwt-confirmed null'])
  })

  test('a confirmed login keeps the refresh token that another program has stored', async () => {
    const saved: Session[] = []
    const later = { ...expiring(900_000), refreshToken: 'vrt_of_another' }
    const store = { load: () => later, save: (session: Session) => void saved.push(session) }
    const { admin } = user([], { session: expiring(900_000), store })
    await admin.auth.confirm({ password: 'a long password' })
    expect(saved).toMatchObject([{ token: 'jwt-confirmed', refreshToken: 'vrt_of_another' }])
  })

  test('a new session that could not be saved is saved before it is used', async () => {
    const stored: string[] = []
    const save = ({ refreshToken }: Session) => {
      stored.push(refreshToken)
      if (stored.length === 1) throw new Error('the disk is full')
    }
    const { admin, did } = user([() => json(tokens(2))], { store: { save } })
    await expect(admin.me()).rejects.toThrow('the disk is full')
    await admin.me()
    expect([stored, did]).toEqual([
      ['vrt_2', 'vrt_2'],
      ['refresh vrt_1', 'call Bearer jwt-2 null'],
    ])
  })

  test('a session that another program has refreshed is taken from the store', async () => {
    const newer = { token: 'jwt-9', refreshToken: 'vrt_9', expiresAtMs: Date.now() + 900_000 }
    const { admin, did } = user([], { store: { load: () => newer, save: () => undefined } })
    await admin.me()
    expect(did).toEqual(['call Bearer jwt-9 null'])
  })

  test('waiting for a refresh ends with the call', async () => {
    const lock = () => new Promise<never>(() => {})
    const { admin, did } = user([], { store: { save: () => undefined, lock } })
    await expect(admin.me({ deadlineMs: 50 })).rejects.toBeInstanceOf(TimeoutError)
    await expect(admin.me({ signal: AbortSignal.timeout(50) })).rejects.toBeInstanceOf(AbortedError)
    expect(did).toEqual([])
  })

  test('acting for a merchant needs its id', () => {
    expect(() => user([]).admin.forMerchant(undefined as never)).toThrow(TypeError)
  })
})
