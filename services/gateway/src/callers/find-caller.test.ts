import { randomBytes } from 'node:crypto'
import { type Caller, newId } from '@cobro/contracts'
import { type KeyRing, secret } from '@cobro/runtime'
import { newApiKey } from '../api-keys/api-key-format.ts'
import { parseIpRange } from '../network/ip-ranges.ts'
import type { KeyRecord } from './caller-records.ts'
import { findCaller } from './find-caller.ts'

const key = newApiKey('sandbox')
const peppers: KeyRing = [{ id: 'p1', bytes: secret(randomBytes(32)) }]
const here = '203.0.113.9'
const record: KeyRecord = {
  id: newId('key'),
  merchant_id: newId('mrc'),
  merchant_name: 'Café Azul',
  merchant_status: 'active',
  allowed: null,
  scopes: null,
  expires_at_ms: null,
}

/** Finds the caller of a key among records that contain one key, and counts the look-ups. */
async function find(shown: string, change: Partial<KeyRecord> = {}, address: string | null = here) {
  let lookups = 0
  const uses: string[] = []
  const deps = {
    records: {
      key: async (value: string) => {
        lookups++
        return value === key ? { ...record, ...change } : undefined
      },
      user: () => Promise.reject(new Error('unexpected look-up of a user')),
      merchant: () => Promise.reject(new Error('unexpected look-up of a merchant')),
      recordKeyUse: (id: string) => void uses.push(id),
    },
    keySettings: { environment: 'sandbox' as const, peppers },
    verifyUserToken: () => Promise.reject(new Error('unexpected token')),
  }
  const claims = { headers: { 'x-api-key': [shown] }, selected: [], address }
  const caller = await findCaller(deps, claims).catch((error): { rejected: number } => ({ rejected: error.status }))
  return { caller, lookups, uses }
}

const rejected = { rejected: 401 }

test('identifies a merchant by its API key and records the use of the key', async () => {
  const { id, merchant_id } = record
  const caller: Caller = {
    kind: 'key',
    id,
    scopes: null,
    merchant_id,
    merchant_name: 'Café Azul',
    merchant_status: 'active',
  }
  expect(await find(key)).toEqual({ caller, lookups: 1, uses: [id] })
})

test('rejects an API key with a typo without a look-up', async () => {
  for (let at = 0; at < key.length; at++) {
    const typo = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)
    expect([typo, await find(typo)]).toEqual([typo, { caller: rejected, lookups: 0, uses: [] }])
  }
  for (const shown of [key.slice(1), key.slice(0, -1), `${key}a`, key.toUpperCase(), newApiKey('production')]) {
    expect(await find(shown)).toEqual({ caller: rejected, lookups: 0, uses: [] })
  }
})

test.each<[string, Partial<KeyRecord>, string | null]>([
  ['of a disabled merchant', { merchant_status: 'disabled' }, here],
  ['that has expired', { expires_at_ms: Date.now() - 1 }, here],
  ['from a disallowed address', { allowed: [parseIpRange('198.51.100.0/24')] }, here],
  ['from an unknown address', { allowed: [parseIpRange('0.0.0.0/0')] }, null],
])('rejects an API key %s and does not record its use', async (_which, change, address) => {
  expect(await find(key, change, address)).toEqual({ caller: rejected, lookups: 1, uses: [] })
})

test('rejects an unknown API key', async () => {
  expect(await find(newApiKey('sandbox'))).toEqual({ caller: rejected, lookups: 1, uses: [] })
})

test('accepts an API key before its expiry and from an allowed address', async () => {
  const change = { expires_at_ms: Date.now() + 60_000, allowed: [parseIpRange('203.0.113.0/24')] }
  expect((await find(key, change)).caller).toMatchObject({ kind: 'key', id: record.id })
})
