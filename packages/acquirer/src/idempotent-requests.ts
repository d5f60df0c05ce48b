import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cobro/runtime'
import type { z } from 'zod'
import { type AcquirerHttpClient, describeResult, type RequestResult } from './acquirer-http-client.ts'
import type { KeyNotFound, KeyReversed } from './acquirer-outcomes.ts'
import { notFoundResponse, reversedResponse } from './acquirer-wire.ts'
import type { KeyedResource } from './keyed-resources.ts'

export interface RequestDeps {
  client: AcquirerHttpClient
  timeoutMs: number
  /** The delays before each query that follows an unclear response; their number limits the queries. */
  findDelaysMs: readonly number[]
  logger: Logger | undefined
}

/** A query after an unclear response is short, so that a charge and its queries together stay below an attempt's 20 s. */
const findTimeoutMs = 2_000

/** Statuses with which the acquirer rejects a request before processing it. */
const notTakenStatuses = new Set([401, 403, 429])

/** Creates an object under a key, and queries the key if the response is unclear. */
export async function createUnderKey<R extends { key: string }, O extends { status: string }>(
  deps: RequestDeps,
  resource: KeyedResource<R, O>,
  { key, ...body }: { key: string },
): Promise<O | KeyNotFound> {
  const { client, timeoutMs } = deps
  const result = await client.send({ method: 'POST', path: `/v1/${resource.path}`, key, body, timeoutMs })
  const created = parseBody(resource.response, result, key)
  if (created) return resource.outcomeOf(created)
  warn(deps, `POST ${resource.path}`, key, result)
  return surelyNotTaken(result) ? resource.notTaken : findAfterUnclear(deps, resource, key)
}

/** Returns the outcome under a key. */
export async function findByKey<R extends { key: string }, O extends { status: string }>(
  deps: RequestDeps,
  resource: KeyedResource<R, O>,
  key: string,
): Promise<O | KeyNotFound> {
  return (await queryKey(deps, resource, key, deps.timeoutMs)) ?? resource.unknown
}

/** Makes the acquirer reject a key from now on, or returns the outcome under that key if there is one. */
export async function endKey<R extends { key: string }, O extends { status: string }>(
  deps: RequestDeps,
  resource: KeyedResource<R, O>,
  key: string,
): Promise<O | KeyReversed> {
  const { client, timeoutMs } = deps
  const path = `/v1/${resource.path}/${encodeURIComponent(key)}/${resource.endedBy}` as const
  const result = await client.send({ method: 'POST', path, body: {}, timeoutMs })
  if (parseBody(reversedResponse, result, key)) return { status: 'reversed' }
  const found = parseBody(resource.response, result, key)
  if (found) return resource.outcomeOf(found)
  warn(deps, `${resource.endedBy} ${resource.path}`, key, result)
  return resource.unknown
}

async function findAfterUnclear<R extends { key: string }, O extends { status: string }>(
  deps: RequestDeps,
  resource: KeyedResource<R, O>,
  key: string,
): Promise<O | KeyNotFound> {
  const timeoutMs = Math.min(findTimeoutMs, deps.timeoutMs)
  let found: O | KeyNotFound = resource.unknown
  for (const delayMs of deps.findDelaysMs) {
    await sleep(delayMs)
    found = (await queryKey(deps, resource, key, timeoutMs)) ?? found
    if (found.status !== 'processing' && found.status !== 'not_found') break
  }
  return found
}

async function queryKey<R extends { key: string }, O extends { status: string }>(
  deps: RequestDeps,
  resource: KeyedResource<R, O>,
  key: string,
  timeoutMs: number,
): Promise<O | KeyNotFound | undefined> {
  const path = `/v1/${resource.path}/${encodeURIComponent(key)}` as const
  const result = await deps.client.send({ method: 'GET', path, timeoutMs })
  if (parseBody(notFoundResponse, result, key)) return { status: 'not_found' }
  const found = parseBody(resource.response, result, key)
  if (!found) warn(deps, `find ${resource.path}`, key, result)
  return found && resource.outcomeOf(found)
}

/** Returns the body of a 2xx response about this very key, else undefined: then the outcome is unknown. */
function parseBody<T extends { key: string }>(schema: z.ZodType<T>, result: RequestResult, key: string): T | undefined {
  if (result.stage !== 'after' || result.status < 200 || result.status > 299) return undefined
  const body = schema.safeParse(result.body)
  return body.success && body.data.key === key ? body.data : undefined
}

function surelyNotTaken(result: RequestResult): boolean {
  return result.stage === 'before' || (result.stage === 'after' && notTakenStatuses.has(result.status))
}

function warn({ logger }: RequestDeps, request: string, key: string, result: RequestResult): void {
  logger?.warn({ key, request, response: describeResult(result) }, 'the acquirer returned no usable response')
}
