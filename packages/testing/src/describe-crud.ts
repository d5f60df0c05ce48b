import { type AnyResource, type Caller, type Id, isId, newId } from '@cobro/contracts'
import { readPages } from './read-pages.ts'

/** A running service under test. `headers` returns the internal headers that identify a caller. */
export interface ServiceUnderTest {
  url: string
  headers(caller: Caller): Promise<Record<string, string>>
}

interface CrudSample {
  /** Returns a new input for a merchant, creating what it refers to. Inputs must not collide. */
  create: (merchantId: Id<'mrc'>) => Record<string, unknown> | Promise<Record<string, unknown>>
  /** Fields to update. Reading the object back must return exactly these values. */
  update: Record<string, unknown>
  /** The name of a text field, if there is one. */
  textField?: string
}

const client = (): Caller => ({
  kind: 'client',
  id: newId('usr'),
  merchant_id: newId('mrc'),
  merchant_name: 'Café Azul',
  merchant_status: 'active',
})

const operator = (merchants: 'all' | Id<'mrc'>[], onBehalfOf?: Id<'mrc'>): Caller => ({
  kind: 'operator',
  id: newId('usr'),
  merchants,
  ...(onBehalfOf ? { merchant_id: onBehalfOf, merchant_name: 'Café Azul', merchant_status: 'active' as const } : {}),
})

/**
 * Runs the common tests of a CRUD resource over HTTP: five routes, lists, tenancy, operators and
 * invalid input. Calls `service` in tests, after the file's `beforeAll`. With `deletion: 'cancels'` a deleted row stays
 * with the status `cancelled`. With `writers: 'operators'` merchants only read, and operators write for them.
 */
export function describeCrud(
  resource: AnyResource,
  options: {
    sample: CrudSample
    service: () => ServiceUnderTest
    deletion?: 'removes' | 'cancels'
    writers?: 'merchants' | 'operators'
  },
): void {
  const { sample, deletion = 'removes', writers = 'merchants' } = options
  const merchantCaller = () => (writers === 'merchants' ? client() : operator('all', newId('mrc')))
  // Only sessions have modified_at.
  const changedAt = 'modified_at' in resource.row.shape ? 'modified_at' : 'updated_at'
  const call = async (
    caller: Caller,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const { url, headers: headersOf } = options.service()
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...json, ...(await headersOf(caller)), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  const merchantOf = (caller: Caller) => {
    if ('merchant_id' in caller && caller.merchant_id) return caller.merchant_id
    throw new Error('The caller has no merchant.')
  }
  const newInput = async (caller: Caller) => sample.create(merchantOf(caller))
  const created = async (caller: Caller) =>
    (await call(caller, 'POST', resource.path, await newInput(caller))).body.data

  describe(`${resource.path} as a CRUD resource`, () => {
    test(`POST ${resource.path} returns 201 with every field`, async () => {
      const caller = merchantCaller()
      const input = await newInput(caller)
      const response = await call(caller, 'POST', resource.path, input)
      expect(response.status).toBe(201)
      expect(Object.keys(response.body.data).sort()).toEqual(Object.keys(resource.row.shape).sort())
      expect(response.body.data).toMatchObject({
        ...input,
        merchant_id: merchantOf(caller),
      })
      expect(isId(resource.prefix, response.body.data.id)).toBe(true)
    })

    test(`POST ${resource.path} creates one object for fifty equal calls with one Idempotency-Key, and replays its response`, async () => {
      const caller = merchantCaller()
      const input = await newInput(caller)
      const create = () => call(caller, 'POST', resource.path, input, { 'idempotency-key': 'once' })
      const statuses = (await Promise.all(Array.from({ length: 50 }, create))).map(response => response.status)
      expect(statuses.filter(status => status !== 201 && status !== 409)).toEqual([])
      const { data, count } = (await call(caller, 'GET', resource.path)).body
      const replay = await create()
      expect([count, replay.status, replay.headers.get('idempotent-replayed'), replay.body.data]).toEqual([
        1,
        201,
        'true',
        data[0],
      ])
      const changed = { ...input, ...sample.update }
      expect((await call(caller, 'POST', resource.path, changed, { 'idempotency-key': 'once' })).status).toBe(422)
    })

    test(`GET ${resource.path}/:id returns the created object`, async () => {
      const caller = merchantCaller()
      const row = await created(caller)
      const response = await call(caller, 'GET', `${resource.path}/${row.id}`)
      expect([response.status, response.body]).toEqual([200, { data: row }])
    })

    test(`PUT ${resource.path}/:id changes the fields in the body and keeps the others`, async () => {
      const caller = merchantCaller()
      const row = await created(caller)
      const response = await call(caller, 'PUT', `${resource.path}/${row.id}`, sample.update)
      expect(response.status).toBe(200)
      expect(response.body.data).toEqual({ ...row, ...sample.update, [changedAt]: response.body.data[changedAt] })
      expect(new Date(response.body.data[changedAt]) >= new Date(row[changedAt])).toBe(true)
      expect((await call(caller, 'GET', `${resource.path}/${row.id}`)).body.data).toEqual(response.body.data)
    })

    test(`DELETE ${resource.path}/:id ${deletion} the object once`, async () => {
      const caller = merchantCaller()
      const row = await created(caller)
      const response = await call(caller, 'DELETE', `${resource.path}/${row.id}`)
      expect([response.status, response.body]).toEqual([200, { data: { id: row.id, deleted: true } }])
      const again = await call(caller, 'DELETE', `${resource.path}/${row.id}`)
      const { data, count } = (await call(caller, 'GET', resource.path)).body
      if (deletion === 'removes') return expect([again.status, count]).toEqual([404, 0])
      expect([again.status, again.body.error]).toEqual([409, expect.stringMatching(/^conflict: .* is cancelled$/)])
      expect(data).toEqual([expect.objectContaining({ id: row.id, status: 'cancelled' })])
    })

    test(`GET ${resource.path} returns pages, newest first, with the total count`, async () => {
      const caller = merchantCaller()
      const rows = [await created(caller), await created(caller), await created(caller)]
      const newest = rows.map(row => row.id).toReversed()
      const ids = (list: { body: { data: { id: string }[] } }) => list.body.data.map(row => row.id)
      const all = await call(caller, 'GET', resource.path)
      expect([ids(all), all.body.count, all.body.limit, all.body.offset]).toEqual([newest, 3, 50, 0])
      const second = await call(caller, 'GET', `${resource.path}?limit=2&page=2`)
      expect([ids(second), second.body.count, second.body.offset]).toEqual([newest.slice(2), 3, 2])
      expect(ids(await call(caller, 'GET', `${resource.path}?limit=1&offset=1&dir=asc`))).toEqual([rows[1].id])
      expect((await call(caller, 'GET', `${resource.path}?limit=9999`)).body.limit).toBe(200)
      const uncounted = await call(caller, 'GET', `${resource.path}?limit=1&count=none`)
      expect([ids(uncounted), uncounted.body.count]).toEqual([newest.slice(0, 1), null])
    })

    test(`GET ${resource.path} links each page to the next one`, async () => {
      const caller = merchantCaller()
      const rows = [await created(caller), await created(caller), await created(caller)]
      const { url, headers } = options.service()
      const get = async (path: string) => fetch(url + path, { headers: await headers(caller) })
      const listed = await readPages(get, `${resource.path}?limit=1`)
      expect(listed.map(row => row.id)).toEqual(rows.map(row => row.id).toReversed())
    })

    test(`GET ${resource.path} filters by day and by moment`, async () => {
      const caller = merchantCaller()
      const row = await created(caller)
      const today = new Date(row.created_at).toISOString().slice(0, 10)
      expect((await call(caller, 'GET', `${resource.path}?from=${today}&to=${today}`)).body.count).toBe(1)
      expect((await call(caller, 'GET', `${resource.path}?to=2020-01-01`)).body.count).toBe(0)
      const at = encodeURIComponent(new Date(row.created_at).toISOString())
      expect((await call(caller, 'GET', `${resource.path}?from=${at}&to=${at}`)).body.count).toBe(1)
    })

    test(`${resource.path} returns 403 for another merchant's object and omits it from lists`, async () => {
      const row = await created(merchantCaller())
      const otherMerchant = merchantCaller()
      const path = `${resource.path}/${row.id}`
      for (const [method, body] of [['GET'], ['PUT', sample.update], ['DELETE']] as const) {
        const response = await call(otherMerchant, method, path, body)
        expect([method, response.status, response.body]).toEqual([method, 403, { error: 'forbidden' }])
      }
      expect((await call(otherMerchant, 'GET', resource.path)).body).toMatchObject({ data: [], count: 0 })
    })

    test(`${resource.path} lets an operator read its merchants and write for the merchant it acts for`, async () => {
      const merchant = newId('mrc')
      const row = await created(operator('all', merchant))
      expect(row.merchant_id).toBe(merchant)
      expect((await call(operator([merchant]), 'GET', `${resource.path}/${row.id}`)).status).toBe(200)
      expect((await call(operator([merchant]), 'GET', resource.path)).body.count).toBe(1)
      expect((await call(operator([newId('mrc')]), 'GET', `${resource.path}/${row.id}`)).status).toBe(403)
      expect((await call(operator('all', newId('mrc')), 'GET', `${resource.path}/${row.id}`)).status).toBe(403)
      const withoutMerchant = await call(operator('all'), 'POST', resource.path, await sample.create(merchant))
      expect([withoutMerchant.status, withoutMerchant.body.error]).toEqual([
        400,
        expect.stringContaining('invalid_request: merchant_id'),
      ])
    })

    test.each(['nonsense', `${resource.prefix}_`, '..%2f', `${resource.prefix}_01jd0000000000000000000000`])(
      `${resource.path} returns 404 for the id %s`,
      async id => {
        for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
          const response = await call(merchantCaller(), method, `${resource.path}/${id}`, body)
          expect([response.status, response.body]).toEqual([404, { error: 'not_found' }])
        }
      },
    )

    const { textField } = sample
    const invalidTexts: [string, Record<string, unknown>, number, string][] = textField
      ? [
          ['a number for a text', { [textField]: 5 }, 400, `${textField}: expected string`],
          ['a text that is too long', { [textField]: 'x'.repeat(100_000) }, 400, `${textField}: too big`],
          ['a card number', { [textField]: '4242 4242 4242 4242' }, 400, 'card numbers are not accepted'],
          ['a NUL', { [textField]: 'a\0b' }, 400, 'expected well-formed text'],
          ['more than 256 KiB', { [textField]: 'x'.repeat(1_048_576) }, 413, 'payload_too_large'],
        ]
      : []

    test.each<[string, Record<string, unknown>, number, string]>([
      ['an unknown field', { no_such_field: 1 }, 400, 'no_such_field: unknown field'],
      ['a server-owned field', { id: `${resource.prefix}_01jd0000000000000000000000` }, 400, 'id: unknown field'],
      ["another merchant's id", { merchant_id: newId('mrc') }, 400, 'merchant_id: unknown field'],
      ...invalidTexts,
    ])(`${resource.path} rejects %s`, async (_what, field, status, words) => {
      for (const method of ['POST', 'PUT']) {
        const path = method === 'POST' ? resource.path : `${resource.path}/${newId(resource.prefix)}`
        const caller = merchantCaller()
        const input = method === 'POST' ? await newInput(caller) : {}
        const response = await call(caller, method, path, { ...input, ...field })
        expect([method, response.status, Object.keys(response.body)]).toEqual([method, status, ['error']])
        expect(response.body.error).toContain(words)
        expect(response.body.error).not.toContain('4242')
      }
    })

    test.each([
      ['broken JSON', '{"a":', 'application/json', 400],
      ['an array', '[]', 'application/json', 400],
      ['null', 'null', 'application/json', 400],
      ['no body', '', 'application/json', 400],
      ['a form', 'a=1', 'application/x-www-form-urlencoded', 415],
      ['another charset', '{}', 'application/json; charset=latin1', 415],
    ])(`POST ${resource.path} rejects %s as a body`, async (_what, body, type, status) => {
      const response = await call(merchantCaller(), 'POST', resource.path, body, { 'content-type': type })
      expect([response.status, Object.keys(response.body)]).toEqual([status, ['error']])
    })

    test.each([
      ['limit=0'],
      ['limit=1.5'],
      ['limit=-1'],
      ['limit=1&limit=2'],
      ['page=1&offset=0'],
      ['page=0'],
      ['order=merchant_id'],
      ['order=created_at;drop table x'],
      ['dir=up'],
      ['from=2026-02-30'],
      ['from=2026-02-02&to=2026-02-01'],
      ['no_such_filter=1'],
      ['status[$ne]=active'],
      ['__proto__=1'],
      ['search=%00'],
    ])(`GET ${resource.path} rejects the query %s`, async query => {
      const response = await call(merchantCaller(), 'GET', `${resource.path}?${query}`)
      expect([query, response.status, response.body.error]).toEqual([
        query,
        400,
        expect.stringMatching(/^invalid_request: /),
      ])
    })

    test(`${resource.path} returns 405 with the allowed methods, and 401 without an identity`, async () => {
      const response = await call(merchantCaller(), 'PATCH', resource.path, {})
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
      const { url } = options.service()
      for (const method of ['GET', 'POST']) {
        const bare = await fetch(`${url}${resource.path}`, { method })
        expect([bare.status, await bare.json()]).toEqual([401, { error: 'unauthorized' }])
      }
    })
  })
}
