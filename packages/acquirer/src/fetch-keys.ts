import { z } from 'zod'
import { AcquirerUnavailable } from './acquirer-errors.ts'
import { type AcquirerHttpClient, describeResult } from './acquirer-http-client.ts'

const keySet = z.object({ keys: z.array(z.unknown()) })

/** Fetches public keys. Drops those that do not match the schema: new types may be among them. */
export async function fetchKeys<Key>(
  client: AcquirerHttpClient,
  path: '/v1/encryption-keys' | '/v1/notification-keys',
  schema: z.ZodType<Key>,
  timeoutMs: number,
): Promise<Key[]> {
  const result = await client.send({ method: 'GET', path, timeoutMs })
  const set = keySet.safeParse(result.stage === 'after' && result.status === 200 ? result.body : undefined)
  if (!set.success) throw new AcquirerUnavailable(describeResult(result))
  return set.data.keys.flatMap(key => schema.safeParse(key).data ?? [])
}
