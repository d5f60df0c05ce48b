import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cobro/runtime'
import type { z } from 'zod'
import type { NotFound, Reversed } from './acquirer.ts'
import type { Exchange, Exchanges } from './acquirer-exchange.ts'
import { notFoundAnswer, reversedAnswer } from './acquirer-wire.ts'
import { describeExchange } from './card-calls.ts'

/** One of the things that are asked of an acquirer under an idempotency key. */
export interface Kind<Answer extends { key: string }, Outcome extends { status: string }> {
  /** The segment of its paths. */
  path: 'charges' | 'refunds' | 'vouchers'
  /** The last segment of the path that ends a key. */
  endedBy: 'reverse' | 'withdraw'
  answer: z.ZodType<Answer>
  /** Puts the acquirer's answer in our words. */
  outcomeOf: (answer: Answer) => Outcome
  /** Nobody can say. */
  unknown: Outcome
  /** Nothing was taken, and nothing ever will be. */
  notTaken: Outcome
}

export interface CallDeps {
  exchanges: Exchanges
  timeoutMs: number
  /** The waits before each `find` that follows an unclear answer: their number bounds the tries. */
  findWaitsMs: readonly number[]
  logger: Logger | undefined
}

/** A question after an unclear answer is short, so that a charge and its questions together stay below an attempt's 20 s. */
const findTimeoutMs = 2_000

/** Answers given at the door: the acquirer took nothing in. */
const turnedAway = new Set([401, 403, 429])

/** Begins what is to be done under a key, and asks what came of it where the answer is not clear. */
export async function begin<A extends { key: string }, O extends { status: string }>(
  deps: CallDeps,
  kind: Kind<A, O>,
  { key, ...body }: { key: string },
): Promise<O | NotFound> {
  const { exchanges, timeoutMs } = deps
  const answer = await exchanges.ask({ method: 'POST', path: `/v1/${kind.path}`, key, body, timeoutMs })
  const begun = read(kind.answer, answer, key)
  if (begun) return kind.outcomeOf(begun)
  report(deps, `POST ${kind.path}`, key, answer)
  return surelyNotTaken(answer) ? kind.notTaken : findAfterUnclear(deps, kind, key)
}

/** Asks what a key came to. */
export async function find<A extends { key: string }, O extends { status: string }>(
  deps: CallDeps,
  kind: Kind<A, O>,
  key: string,
): Promise<O | NotFound> {
  return (await askFind(deps, kind, key, deps.timeoutMs)) ?? kind.unknown
}

/** Has the acquirer refuse a key for good, unless it has come to something. */
export async function end<A extends { key: string }, O extends { status: string }>(
  deps: CallDeps,
  kind: Kind<A, O>,
  key: string,
): Promise<O | Reversed> {
  const { exchanges, timeoutMs } = deps
  const path = `/v1/${kind.path}/${encodeURIComponent(key)}/${kind.endedBy}` as const
  const answer = await exchanges.ask({ method: 'POST', path, body: {}, timeoutMs })
  if (read(reversedAnswer, answer, key)) return { status: 'reversed' }
  const found = read(kind.answer, answer, key)
  if (found) return kind.outcomeOf(found)
  report(deps, `${kind.endedBy} ${kind.path}`, key, answer)
  return kind.unknown
}

async function findAfterUnclear<A extends { key: string }, O extends { status: string }>(
  deps: CallDeps,
  kind: Kind<A, O>,
  key: string,
): Promise<O | NotFound> {
  const timeoutMs = Math.min(findTimeoutMs, deps.timeoutMs)
  let found: O | NotFound = kind.unknown
  for (const waitMs of deps.findWaitsMs) {
    await sleep(waitMs)
    found = (await askFind(deps, kind, key, timeoutMs)) ?? found
    if (found.status !== 'processing' && found.status !== 'not_found') break
  }
  return found
}

async function askFind<A extends { key: string }, O extends { status: string }>(
  deps: CallDeps,
  kind: Kind<A, O>,
  key: string,
  timeoutMs: number,
): Promise<O | NotFound | undefined> {
  const path = `/v1/${kind.path}/${encodeURIComponent(key)}` as const
  const answer = await deps.exchanges.ask({ method: 'GET', path, timeoutMs })
  if (read(notFoundAnswer, answer, key)) return { status: 'not_found' }
  const found = read(kind.answer, answer, key)
  if (!found) report(deps, `find ${kind.path}`, key, answer)
  return found && kind.outcomeOf(found)
}

/** The body of a 2xx answer about this very key, or undefined: then nobody knows. */
function read<T extends { key: string }>(schema: z.ZodType<T>, answer: Exchange, key: string): T | undefined {
  if (answer.stage !== 'after' || answer.status < 200 || answer.status > 299) return undefined
  const body = schema.safeParse(answer.body)
  return body.success && body.data.key === key ? body.data : undefined
}

function surelyNotTaken(answer: Exchange): boolean {
  return answer.stage === 'before' || (answer.stage === 'after' && turnedAway.has(answer.status))
}

function report({ logger }: CallDeps, call: string, key: string, answer: Exchange): void {
  logger?.warn({ key, call, answer: describeExchange(answer) }, 'the acquirer gave no usable answer')
}
