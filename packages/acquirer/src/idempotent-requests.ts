import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cobro/runtime'
import type { z } from 'zod'
import { type AcquirerHttpClient, describeResult, type RequestResult } from './acquirer-http-client.ts'
import type { KeyNotFound, KeyReversed } from './acquirer-outcomes.ts'
import { notFoundResponse, reversedResponse } from './acquirer-wire.ts'
import type { KeyedResource } from './keyed-resources.ts'

interface RequestDeps {
  client: AcquirerHttpClient
  timeoutMs: number
  /** The delays before each query after an unclear response; their number limits the queries. */
  findDelaysMs: readonly number[]
  logger: Logger | undefined
}

/** Short: a charge and its queries after an unclear response stay below an attempt's 20 s. */
const findTimeoutMs = 2_000

/** Statuses with which the acquirer rejects a request before processing it. */
const notTakenStatuses = new Set([401, 403, 429])

/** Returns the three requests about objects that the acquirer creates under an idempotency key. */
export function idempotentRequests<R extends { key: string }, O extends { status: string }>(
  { client, timeoutMs, findDelaysMs, logger }: RequestDeps,
  resource: KeyedResource<R, O>,
) {
  const path = `/v1/${resource.path}` as const
  const pathOf = (key: string) => `${path}/${encodeURIComponent(key)}` as const
  const outcomeIn = (result: RequestResult, key: string, request: string): O | undefined => {
    const body = parseBody(resource.response, result, key)
    if (body) return resource.outcomeOf(body)
    logger?.warn({ key, request, response: describeResult(result) }, 'the acquirer returned no usable response')
    return undefined
  }
  const query = async (key: string, limitMs: number): Promise<O | KeyNotFound | undefined> => {
    const result = await client.send({ method: 'GET', path: pathOf(key), timeoutMs: limitMs })
    if (parseBody(notFoundResponse, result, key)) return { status: 'not_found' }
    return outcomeIn(result, key, `find ${resource.path}`)
  }
  const queryAfterUnclear = async (key: string): Promise<O | KeyNotFound> => {
    let found: O | KeyNotFound = resource.unknown
    for (const delayMs of findDelaysMs) {
      await sleep(delayMs)
      found = (await query(key, Math.min(findTimeoutMs, timeoutMs))) ?? found
      if (found.status !== 'processing' && found.status !== 'not_found') break
    }
    return found
  }
  return {
    /** Creates an object under a key, and queries the key if the response is unclear. */
    create: async ({ key, ...body }: { key: string }): Promise<O | KeyNotFound> => {
      const result = await client.send({ method: 'POST', path, key, body, timeoutMs })
      const created = outcomeIn(result, key, `POST ${resource.path}`)
      return created ?? (surelyNotTaken(result) ? resource.notTaken : queryAfterUnclear(key))
    },
    /** Returns the outcome under a key. */
    find: async (key: string): Promise<O | KeyNotFound> => (await query(key, timeoutMs)) ?? resource.unknown,
    /** Makes the acquirer reject a key from now on, or returns the outcome under it, if any. */
    end: async (key: string): Promise<O | KeyReversed> => {
      const endPath = `${pathOf(key)}/${resource.endedBy}` as const
      const result = await client.send({ method: 'POST', path: endPath, body: {}, timeoutMs })
      if (parseBody(reversedResponse, result, key)) return { status: 'reversed' }
      return outcomeIn(result, key, `${resource.endedBy} ${resource.path}`) ?? resource.unknown
    },
  }
}

/** Returns the body of a 2xx response about this key, else undefined: the outcome is unknown. */
function parseBody<T extends { key: string }>(schema: z.ZodType<T>, result: RequestResult, key: string): T | undefined {
  if (result.stage !== 'after' || result.status < 200 || result.status > 299) return undefined
  const body = schema.safeParse(result.body)
  return body.success && body.data.key === key ? body.data : undefined
}

function surelyNotTaken(result: RequestResult): boolean {
  return result.stage === 'before' || (result.stage === 'after' && notTakenStatuses.has(result.status))
}
