import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cobro/runtime'
import type { z } from 'zod'
import type { ChargeRequest, NotFound, Outcome, Reversed } from './acquirer.ts'
import type { Exchange, Exchanges } from './acquirer-exchange.ts'
import { type ChargeAnswer, chargeAnswer, findAnswer, reverseAnswer } from './acquirer-wire.ts'
import { describeExchange } from './card-calls.ts'
import { refusalOf } from './response-codes.ts'

export interface ChargeDeps {
  exchanges: Exchanges
  timeoutMs: number
  /** The waits before each `find` that follows an unclear charge: their number bounds the tries. */
  findWaitsMs: readonly number[]
  logger: Logger | undefined
}

/** A question after an unclear charge is short, so that charge and questions together stay below an attempt's 20 s. */
const findTimeoutMs = 2_000

const unknown: Outcome = { status: 'processing', acquirer_reference: null }

/** Answers given at the door: the acquirer took nothing in. */
const turnedAway = new Set([401, 403, 429])

/** Charges a token, and asks what came of it where the answer is not clear. */
export async function chargeToken(deps: ChargeDeps, request: ChargeRequest): Promise<Outcome | NotFound> {
  const { key, ...body } = request
  const { exchanges, timeoutMs } = deps
  const answer = await exchanges.ask({ method: 'POST', path: '/v1/charges', key, body, timeoutMs })
  const charged = read(chargeAnswer, answer, key)
  if (charged) return outcomeOf(charged)
  report(deps, 'charge', key, answer)
  if (surelyNotTaken(answer)) return { status: 'failed', acquirer_reference: null }
  return findAfterUnclear(deps, key)
}

/** Asks what a key came to. */
export async function findCharge(deps: ChargeDeps, key: string): Promise<Outcome | NotFound> {
  return (await askFind(deps, key, deps.timeoutMs)) ?? unknown
}

/** Has the acquirer refuse a key for good, unless it has come to something. */
export async function reverseCharge(deps: ChargeDeps, key: string): Promise<Outcome | Reversed> {
  const { exchanges, timeoutMs } = deps
  const path = `/v1/charges/${encodeURIComponent(key)}/reverse` as const
  const answer = await exchanges.ask({ method: 'POST', path, body: {}, timeoutMs })
  const reversed = read(reverseAnswer, answer, key)
  if (!reversed) report(deps, 'reverse', key, answer)
  if (reversed?.status === 'reversed') return { status: 'reversed' }
  return reversed ? outcomeOf(reversed) : unknown
}

async function findAfterUnclear(deps: ChargeDeps, key: string): Promise<Outcome | NotFound> {
  const timeoutMs = Math.min(findTimeoutMs, deps.timeoutMs)
  let found: Outcome | NotFound = unknown
  for (const waitMs of deps.findWaitsMs) {
    await sleep(waitMs)
    found = (await askFind(deps, key, timeoutMs)) ?? found
    if (found.status !== 'processing' && found.status !== 'not_found') break
  }
  return found
}

async function askFind(deps: ChargeDeps, key: string, timeoutMs: number): Promise<Outcome | NotFound | undefined> {
  const path = `/v1/charges/${encodeURIComponent(key)}` as const
  const answer = await deps.exchanges.ask({ method: 'GET', path, timeoutMs })
  const found = read(findAnswer, answer, key)
  if (!found) report(deps, 'find', key, answer)
  if (found?.status === 'not_found') return { status: 'not_found' }
  return found && outcomeOf(found)
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

/** Puts the acquirer's answer in our words: a refusal for a technical reason is no decline. */
function outcomeOf({ status, reference, response_code, risk_score }: ChargeAnswer): Outcome {
  const told = { acquirer_reference: reference, risk_score }
  if (status !== 'declined') return { ...told, status, decline_reason: null }
  const reason = refusalOf(response_code)
  if (reason === 'technical') return { ...told, status: 'failed', decline_reason: null }
  return { ...told, status, decline_reason: reason }
}

function report({ logger }: ChargeDeps, call: string, key: string, answer: Exchange): void {
  logger?.warn({ key, call, answer: describeExchange(answer) }, 'the acquirer gave no usable answer')
}
