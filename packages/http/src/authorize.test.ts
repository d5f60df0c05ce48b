import { type Caller, newId, type Operation } from '@cobro/contracts'
import { z } from 'zod'
import { authorize, mayCall } from './authorize.ts'

const merchant = { merchant_id: newId('mrc'), merchant_name: 'Café Azul', merchant_status: 'active' } as const
const callers = {
  key: { kind: 'key', id: newId('key'), ...merchant },
  'key with the scope': { kind: 'key', id: newId('key'), scopes: ['disputes:read'], ...merchant },
  'key without the scope': { kind: 'key', id: newId('key'), scopes: ['disputes:write', 'webhooks:read'], ...merchant },
  client: { kind: 'client', id: newId('usr'), ...merchant },
  'client who views': { kind: 'client', id: newId('usr'), access: 'viewer', ...merchant },
  'client of a newer access': { kind: 'client', id: newId('usr'), access: 'superowner', ...merchant },
  operator: { kind: 'operator', id: newId('usr'), merchants: 'all' },
  'operator of some': { kind: 'operator', id: newId('usr'), merchants: [merchant.merchant_id] },
  'operator who states one': { kind: 'operator', id: newId('usr'), merchants: 'all', ...merchant },
  payer: { kind: 'payer' },
  acquirer: { kind: 'acquirer' },
} satisfies Record<string, Caller>

const base = {
  id: 'x',
  summary: 'x',
  tag: { name: 'x', description: 'x' },
  audit: 'api',
  service: 'checkout',
  path: '/x',
  response: z.object({}),
} as const
const operations: Record<string, Operation> = {
  'a read for merchants': {
    ...base,
    method: 'GET',
    callers: ['key', 'client', 'operator'],
    tenant: true,
    area: 'webhooks',
    scopeGroup: 'disputes',
  },
  'a write for merchants': {
    ...base,
    method: 'PUT',
    callers: ['key', 'client', 'operator'],
    tenant: true,
    area: 'webhooks',
    scopeGroup: 'disputes',
  },
  'a write for operators': { ...base, area: 'merchants', method: 'POST', callers: ['operator'], tenant: false },
  'a write for operators of all': {
    ...base,
    scope: 'all-merchants',
    area: 'merchants',
    method: 'POST',
    callers: ['operator'],
    tenant: false,
  },
  'a read for keys': { ...base, method: 'GET', callers: ['key'], tenant: true, scopeGroup: 'disputes' },
  'a read without a group': { ...base, method: 'GET', callers: ['key'], tenant: true },
  'a read for any key': { ...base, method: 'GET', callers: ['key'], tenant: false, scopeGroup: 'none' },
  'a deletion for users': {
    ...base,
    area: 'webhooks',
    method: 'DELETE',
    callers: ['client', 'operator'],
    tenant: true,
  },
  'a payment': { ...base, method: 'POST', callers: ['payer'], tenant: false },
  'a notification': { ...base, method: 'POST', callers: ['acquirer'], tenant: false },
}

/** The status for each caller, in the order of `callers`; empty where it is allowed. */
const table: Record<string, string[]> = {
  'a read for merchants': ['', '', '403', '', '', '403', '', '', '', '401', '403'],
  'a write for merchants': ['', '403', '', '', '403', '403', '400', '400', '', '401', '403'],
  'a write for operators': ['403', '403', '403', '403', '403', '403', '', '', '', '401', '403'],
  'a write for operators of all': ['403', '403', '403', '403', '403', '403', '', '403', '', '401', '403'],
  'a read for keys': ['', '', '403', '403', '403', '403', '403', '403', '403', '401', '403'],
  'a read without a group': ['', '403', '403', '403', '403', '403', '403', '403', '403', '401', '403'],
  'a read for any key': ['', '', '', '403', '403', '403', '403', '403', '403', '401', '403'],
  'a deletion for users': ['403', '403', '403', '', '403', '403', '400', '400', '', '401', '403'],
  // A caller with a credential may do what needs none.
  'a payment': ['', '', '', '', '', '', '', '', '', '', ''],
  'a notification': ['403', '403', '403', '403', '403', '403', '403', '403', '403', '401', ''],
}

for (const [what, expected] of Object.entries(table)) {
  for (const [index, [who, caller]] of Object.entries(callers).entries()) {
    test(`${what} by ${who} is ${expected[index] || 'allowed'}`, () => {
      const answer = () => {
        try {
          authorize(operations[what]!, caller)
          return ''
        } catch (error) {
          return String((error as { status: number }).status)
        }
      }
      expect(answer()).toBe(expected[index])
    })
  }
}

test.each(Object.keys(table))(
  'a caller may call %s if it is allowed or lacks only a merchant, with its own credential',
  what => {
    const operation = operations[what]!
    for (const [index, caller] of Object.values(callers).entries()) {
      const allowed = ['', '400'].includes(table[what]?.[index] ?? '') && operation.callers.includes(caller.kind)
      expect([index, mayCall(operation, caller)]).toEqual([index, allowed])
    }
  },
)

describe('an operation that needs a fresh login', () => {
  const operation: Operation = {
    ...base,
    method: 'PUT',
    callers: ['key', 'client'],
    tenant: true,
    area: 'webhooks',
    scopeGroup: 'disputes',
    fresh: true,
  }
  const secondsAgo = (seconds: number): Caller => ({
    ...callers.client,
    auth_time: Math.floor(Date.now() / 1000) - seconds,
  })

  test('is allowed for five minutes after a user proved who it is', () => {
    expect(() => authorize(operation, secondsAgo(290))).not.toThrow()
    expect(() => authorize(operation, secondsAgo(310))).toThrow('confirmation_required')
    expect(() => authorize({ ...operation, fresh: undefined, method: 'DELETE' }, secondsAgo(310))).toThrow(
      'confirmation_required',
    )
    expect(() => authorize({ ...operation, fresh: undefined }, secondsAgo(310))).not.toThrow()
  })

  test('counts as allowed, since the user can confirm its login', () => {
    expect(mayCall(operation, secondsAgo(310))).toBe(true)
  })

  test('asks neither API keys nor users of a gateway of the release before', () => {
    for (const caller of [callers.key, callers.client]) expect(() => authorize(operation, caller)).not.toThrow()
  })
})
