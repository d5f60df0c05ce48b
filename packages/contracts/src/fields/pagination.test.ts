import fc from 'fast-check'
import { z } from 'zod'
import { cursorOf, dataOf, deletedResponse, listOf, listQuery } from './pagination.ts'
import { describeValidationErrors } from './validation-errors.ts'

const status = z.enum(['active', 'inactive'])
const query = listQuery({ order: ['created_at', 'name'], filters: { status, name: z.string().max(20) }, search: true })
const faultsOf = (input: object) => {
  const result = query.safeParse(input, { reportInput: true })
  return result.success ? 'none' : describeValidationErrors(result.error)
}

test('a list query without parameters returns the newest fifty rows', () => {
  expect(query.parse({})).toEqual({
    ...{ limit: 50, offset: 0, order: 'created_at', dir: 'desc' },
    ...{ counted: true, filters: {} },
  })
})

test('listQuery parses pages, order, a range of days, search and filters', () => {
  const asked = {
    ...{ limit: '20', page: '3', order: 'name', dir: 'asc', search: 'café', from: '2026-02-28', to: '2026-02-28' },
    ...{ status: 'active', name: '' },
  }
  expect(query.parse(asked)).toEqual({
    ...{ limit: 20, offset: 40, order: 'name', dir: 'asc', search: 'café', counted: true },
    ...{ from: new Date('2026-02-28'), to: new Date('2026-02-28T23:59:59.999Z') },
    filters: { status: 'active', name: '' },
  })
})

test.each([
  [{ limit: '0' }, 'limit: expected at least 1'],
  [{ limit: '-1' }, 'limit: expected a whole number'],
  [{ limit: '1.5' }, 'limit: expected a whole number'],
  [{ limit: '1e3' }, 'limit: expected a whole number'],
  [{ limit: ' 1' }, 'limit: expected a whole number'],
  [{ limit: '' }, 'limit: expected a whole number'],
  [{ limit: '9999999999' }, 'limit: expected a whole number'],
  [{ limit: ['1', '2'] }, 'limit: expected string, received array'],
  [{ offset: '-1' }, 'offset: expected a whole number'],
  [{ page: '0' }, 'page: expected at least 1'],
  [{ page: '2', offset: '0' }, 'page: cannot be combined with offset'],
  [{ cursor: 'txn_1' }, 'cursor: expected the cursor of a link to the next page'],
  [{ cursor: '100000000000000-txn_1' }, 'cursor: expected the cursor of a link to the next page'],
  [{ cursor: '1-txn_1-2' }, 'cursor: expected the cursor of a link to the next page'],
  [{ cursor: '1-a', order: 'created_at' }, 'cursor: cannot be combined with order, offset or page'],
  [{ cursor: '1-a', page: '2' }, 'cursor: cannot be combined with order, offset or page'],
  [{ cursor: '1-a', offset: '0' }, 'cursor: cannot be combined with order, offset or page'],
  [{ order: 'merchant_id' }, 'order: expected one of created_at, name'],
  [{ order: 'constructor' }, 'order: expected one of created_at, name'],
  [{ dir: 'ASC' }, 'dir: expected asc or desc'],
  [{ from: '2026-02-30' }, 'from: expected a day as YYYY-MM-DD or an ISO 8601 UTC time'],
  [{ from: '0000-01-01' }, 'from: expected a day as YYYY-MM-DD or an ISO 8601 UTC time'],
  [{ to: '28/02/2026' }, 'to: expected a day as YYYY-MM-DD or an ISO 8601 UTC time'],
  [{ from: '2026-03-01', to: '2026-02-28' }, 'from: expected a time not after to'],
  [{ from: '2026-03-01T12:00:00.001Z', to: '2026-03-01T12:00:00Z' }, 'from: expected a time not after to'],
  [{ from: '2026-03-01T12:00:00-06:00' }, 'from: expected a day as YYYY-MM-DD or an ISO 8601 UTC time'],
  [{ count: 'true' }, 'count: expected exact or none'],
  [{ search: 'x'.repeat(201) }, 'search: expected at most 200 characters'],
  [{ status: 'gone' }, 'status: invalid option: expected one of "active"|"inactive"'],
  [{ status: 'active,gone' }, 'status: invalid option: expected one of "active"|"inactive"'],
  [{ status: 'active,' }, 'status: invalid option: expected one of "active"|"inactive"'],
  [{ status: { active: 'inactive' } }, 'status: expected a text, with commas between several values'],
  [{ status: ['active', ['inactive']] }, 'status: expected a text, with commas between several values'],
  [{ state: 'active' }, 'state: unknown field'],
  [{ 'status[$ne]': 'active' }, 'status[$ne]: unknown field'],
])('listQuery rejects %j', (input, fault) => {
  expect(faultsOf(input)).toBe(fault)
})

test('an enum that is repeated in the query has several values too', () => {
  const { filters } = query.parse({ status: ['active', 'inactive'] })
  expect(filters).toEqual({ status: ['active', 'inactive'] })
})

test('listQuery parses a range of moments, several values of an enum, and a list without a count', () => {
  const asked = {
    from: '2026-03-01T06:00:00Z',
    to: '2026-03-02T05:59:59.999Z',
    status: 'active,inactive',
    count: 'none',
  }
  expect(query.parse(asked)).toMatchObject({
    ...{ from: new Date(asked.from), to: new Date(asked.to), counted: false },
    filters: { status: ['active', 'inactive'] },
  })
  expect(query.parse({ name: 'a,b' }).filters).toEqual({ name: 'a,b' })
})

test('listQuery parses the cursor that cursorOf returns, in both directions', () => {
  const position = fc.record({
    at: fc.nat({ max: 99_999_999_999_999 }),
    id: fc.stringMatching(/^[a-z0-9_]{1,64}$/),
  })
  fc.assert(
    fc.property(position, fc.constantFrom('asc', 'desc'), ({ at, id }, dir) => {
      const after = { at: new Date(at), id }
      expect(query.parse({ cursor: cursorOf(after), dir })).toMatchObject({ after, dir, offset: 0 })
    }),
  )
})

test('a list by several times is sorted by the one that is asked for, unless an order is', () => {
  const byTimes = listQuery({ order: ['name'], filters: {}, search: false, times: ['created_at', 'paid_at'] })
  expect(byTimes.parse({})).toMatchObject({ time: 'created_at', order: 'created_at' })
  expect(byTimes.parse({ time: 'paid_at', cursor: '1-a' })).toMatchObject({ time: 'paid_at', order: 'paid_at' })
  expect(byTimes.parse({ time: 'paid_at', order: 'name' })).toMatchObject({ time: 'paid_at', order: 'name' })
  expect(byTimes.safeParse({ time: 'name' }).success).toBe(false)
  expect(query.safeParse({ time: 'created_at' }).success).toBe(false)
})

test('a list without search columns rejects the parameter search', () => {
  const plain = listQuery({ order: ['created_at'], filters: {}, search: false })
  expect(plain.safeParse({ search: 'x' }).success).toBe(false)
})

test('a list query never has a limit above 200 or a negative offset', () => {
  const digits = fc.nat({ max: 999_999_999 }).map(String)
  const paging = fc.record({ limit: digits, page: digits, offset: digits }, { requiredKeys: [] })
  fc.assert(
    fc.property(paging, asked => {
      const result = query.safeParse(asked)
      if (!result.success) return
      const { limit, offset } = result.data
      expect(limit).toBe(asked.limit === undefined ? 50 : Math.min(Number(asked.limit), 200))
      expect(offset).toBe(asked.page === undefined ? Number(asked.offset ?? 0) : (Number(asked.page) - 1) * limit)
      expect(Number.isSafeInteger(offset)).toBe(true)
    }),
  )
})

test('listQuery parses or rejects any input, and its result has only declared fields', () => {
  const known = ['limit', 'offset', 'page', 'cursor', 'order', 'dir', 'count', 'search', 'from', 'to', 'status', 'name']
  const key = fc.oneof(fc.constantFrom(...known), fc.string())
  const value = fc.oneof(fc.string(), fc.constantFrom('1', '1-a', 'asc', 'active', '2026-01-01'), fc.array(fc.string()))
  fc.assert(
    fc.property(fc.dictionary(key, value), asked => {
      const result = query.safeParse(asked)
      if (!result.success) return
      expect(Object.keys(asked).filter(name => !known.includes(name))).toEqual([])
      expect(Object.keys(result.data.filters).every(name => ['status', 'name'].includes(name))).toBe(true)
    }),
  )
})

test('the envelopes accept a list, an object and a deletion', () => {
  const row = z.object({ id: z.string() })
  const page = { data: [{ id: 'a' }], count: 7, limit: 1, offset: 0 }
  expect(listOf(row).parse({ ...page, data: [{ id: 'a', secret: 1 }], extra: 1 })).toEqual(page)
  expect(dataOf(row).parse({ data: { id: 'a', secret: 1 } })).toEqual({ data: { id: 'a' } })
  expect(deletedResponse.safeParse({ data: { id: 'a', deleted: false } }).success).toBe(false)
})
