import { crc32 } from 'node:zlib'
import { keyScopes, newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from './acceptance-stack.ts'
import { type ApiClient, apiClient, clientsOf, userClient } from './api-client.ts'

/** Every kind of caller, in column order. `my` and `their` credentials belong to two merchants. */
export const columns = [
  'none',
  'wrong key',
  'revoked key',
  'other env',
  'my key',
  'their key',
  'my client',
  'their client',
  'op of mine',
  'op of theirs',
  'op of all',
  'my developer',
  'my finance',
  'my viewer',
  'op finance',
  'op support',
  'op auditor',
  'my reads',
  'my writes',
  'my stale',
  'op stale',
] as const
export type Column = (typeof columns)[number]

/** A caller of the matrix: its credential, and the merchant it states for operations about one. */
export interface MatrixCaller {
  client: ApiClient
  states?: string
}

const password = 'a password for the matrix'

/** Creates one caller of each kind on a running stack. */
export async function matrixCallers({ stack, query }: AcceptanceStack): Promise<Record<Column, MatrixCaller>> {
  const { base_url, merchant_id: mine, second } = stack
  const { operator } = await clientsOf(stack)
  const key = (value: string) => ({ client: apiClient(base_url, { authorization: `Token ${value}` }) })
  const user = async (account: { email: string; password: string }, states?: string) => {
    const client = await userClient(base_url, account)
    return states ? { client, states } : { client }
  }
  /** Creates a user a hundred days ago, since new users cannot approve bank changes. */
  const userWith = async (name: string, fields: object) => {
    const account = { email: `${name}@matrix.test`, password }
    const made = await operator.call('POST', '/api/users', { ...account, ...fields })
    if (made.status !== 201) throw new Error(`The user could not be made: ${made.body.error}`)
    const id = newId('usr', Date.now() - 100 * 86_400_000)
    await query(`update gateway.users set id = $1, credentials_since = 'epoch' where id = $2`, [id, made.body.data.id])
    return account
  }
  const operatorOf = async (name: string, merchants: 'all' | string[], access = 'admin') =>
    user(await userWith(name, { role: 'operator', merchants, access }), mine)
  const clientWith = async (access: string) =>
    user(await userWith(`my-${access}`, { role: 'client', merchant_id: mine, access }))
  const keyWith = async (kind: 'read' | 'write') => {
    const scopes = keyScopes.filter(scope => scope.endsWith(kind))
    return key(
      (await operator.call('POST', '/api/api-keys', { name: kind, scopes }, { 'x-merchant-id': mine })).body.key,
    )
  }
  /** A user that logged in six minutes ago, and refreshed its token since. */
  const staleUser = async (name: string, fields: object, states?: string) => {
    const { body } = await apiClient(base_url).call('POST', '/api/auth/login', await userWith(name, fields))
    const back = `update gateway.refresh_tokens set authenticated_at = now() - interval '6 minutes' where user_id = $1`
    await query(back, [body.user.id])
    const { refresh_token } = body
    const renewed = await apiClient(base_url).call('POST', '/api/auth/refresh', { refresh_token })
    const client = apiClient(base_url, { authorization: `Bearer ${renewed.body.token}` })
    return states ? { client, states } : { client }
  }
  return {
    none: { client: apiClient(base_url) },
    'wrong key': key(oneLetterOff(stack.api_key)),
    'revoked key': key(await revokedKey(operator, base_url, mine)),
    'other env': key(productionKey(stack.api_key)),
    'my key': key(stack.api_key),
    'their key': key(second.api_key),
    'my client': await user(stack.client),
    'their client': await user(second.client),
    'op of mine': await operatorOf('mine', [mine]),
    'op of theirs': await operatorOf('theirs', [second.merchant_id]),
    'op of all': await operatorOf('all', 'all'),
    'my developer': await clientWith('developer'),
    'my finance': await clientWith('finance'),
    'my viewer': await clientWith('viewer'),
    'op finance': await operatorOf('finance', 'all', 'finance'),
    'op support': await operatorOf('support', 'all', 'support'),
    'op auditor': await operatorOf('auditor', 'all', 'auditor'),
    'my reads': await keyWith('read'),
    'my writes': await keyWith('write'),
    'my stale': await staleUser('my-stale', { role: 'client', merchant_id: mine, access: 'owner' }),
    'op stale': await staleUser('stale', { role: 'operator', merchants: 'all', access: 'admin' }, mine),
  }
}

function oneLetterOff(key: string): string {
  return key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
}

/** Returns the key with the prefix and checksum that a production deployment would give it. */
export function productionKey(key: string): string {
  const text = key.slice(0, -6).replace('vk_test_', 'vk_live_')
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const digits = Array.from({ length: 6 }, (_, place) => Math.floor(crc32(text) / 62 ** (5 - place)) % 62)
  return text + digits.map(digit => alphabet[digit]).join('')
}

/** Returns a key of the merchant that no longer works. */
export async function revokedKey(operator: ApiClient, baseUrl: string, merchant: string): Promise<string> {
  const stated = { 'x-merchant-id': merchant }
  const { body } = await operator.call('POST', '/api/api-keys', { name: 'revoked' }, stated)
  await operator.call('DELETE', `/api/api-keys/${body.id}`, undefined, stated)
  const revoked = apiClient(baseUrl, { authorization: `Token ${body.key}` })
  await waitFor(async () => (await revoked.call('GET', '/api/sucursales')).status === 401)
  return body.key
}
