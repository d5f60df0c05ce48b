import { setTimeout as sleep } from 'node:timers/promises'
import { hostedApiUrl, payByCard, payInCash } from '@cobro/local-stack/hosted-payment'
import { userError } from '@cobro/local-stack/user-error'
import type { Cobro } from '@cobro/sdk'
import type { CobroAdmin } from '@cobro/sdk/admin'
import { asPayer } from '../connection/as-payer.ts'
import { valueAt } from '../feed/where.ts'
import { methodCommands } from '../generated/method-commands.ts'
import { methodAt } from '../methods/method-at.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { filled, filledFields, type Results } from './fill-references.ts'
import {
  type AwaitStep,
  type CallStep,
  type CashStep,
  durationMs,
  type PayAgainStep,
  type PayStep,
  type Step,
  type Values,
} from './steps.ts'

/** Where a run of a scenario is. */
interface Run {
  cobro: Cobro | CobroAdmin
  /** The origin of the payers' pages. */
  hostedUrl: string
  results: Results
  /** The end of the feed before the first step. */
  head: number
  /** The ids of the events that steps have waited for. */
  awaited: Set<string>
}

const defaultWithin = '15s'
const pollMs = 300

/**
 * Runs steps one after another in the sandbox, and says what came of each. Returns what they returned, by their ids.
 */
export async function runSteps(
  cobro: Cobro | CobroAdmin,
  steps: readonly Step[],
  onStep: (text: string) => void,
): Promise<Results> {
  const { environment, hosted_url: hostedUrl } = await cobro.me()
  if (environment !== 'sandbox') throw new CommandError('Events are triggered in the sandbox only.')
  const { head } = await cobro.webhookEvents.list({ after: 'latest', limit: 1 })
  const run: Run = { cobro, hostedUrl, results: {}, head, awaited: new Set() }
  for (const step of steps) {
    const startedAt = performance.now()
    const result = await runStep(run, step)
    onStep(describeStep(step, result, Math.round(performance.now() - startedAt)))
    if ('id' in step && step.id !== undefined) run.results[step.id] = result
  }
  return run.results
}

async function runStep(run: Run, step: Step): Promise<unknown> {
  if ('call' in step) return callStep(run, step)
  if ('await' in step) return awaitStep(run, step)
  return asPayer(run.hostedUrl, () => payStep(run, step))
}

async function payStep({ hostedUrl, results }: Run, step: PayStep | CashStep | PayAgainStep): Promise<unknown> {
  if ('payInCash' in step) return answered(await payInCash(hostedUrl, filled(step.payInCash, results)), undefined)
  if ('payAgain' in step) return payAgain(hostedApiUrl(hostedUrl, filled(step.payAgain, results)))
  const { card, expect } = step
  const response = await payByCard(hostedUrl, filled(step.pay, results), filled(card, results))
  return answered(response, expect && filled(expect.declined, results))
}

async function callStep({ cobro, results }: Run, step: CallStep): Promise<unknown> {
  const { ids = [], fields = {} } = methodCommands[step.call] ?? {}
  const input = filledFields(step.with, results)
  const given = ids.map(id => input[id])
  for (const id of ids) delete input[id]
  const call = () => methodAt(cobro, step.call)(...given, ...(Object.keys(fields).length > 0 ? [input] : []))
  const { until, within = defaultWithin } = step
  if (until === undefined) return call()
  const wanted = filledFields(until, results)
  for (const endsAt = Date.now() + (durationMs(within) ?? 0); ; await sleep(pollMs)) {
    const result = await call()
    if (hasValues(result, wanted)) return result
    if (Date.now() > endsAt) {
      const problem = `${step.call} did not return what is waited for within ${within}.`
      throw new CommandError(problem, { exitCode: exitCodes.timeLimit })
    }
  }
}

/** Waits for an event in the feed. */
async function awaitStep({ cobro, results, head, awaited }: Run, step: AwaitStep): Promise<unknown> {
  const { await: name, within = defaultWithin } = step
  const where = filledFields(step.where ?? {}, results)
  const signal = AbortSignal.timeout(durationMs(within) ?? 0)
  for await (const { id, event } of cobro.webhookEvents.follow({ after: head, events: [name], signal })) {
    if (awaited.has(id) || !hasValues(event, where)) continue
    awaited.add(id)
    return event
  }
  throw new CommandError(`${name} did not come within ${within}.`, { exitCode: exitCodes.timeLimit })
}

function hasValues(object: unknown, values: Values): boolean {
  return Object.entries(values).every(([path, wanted]) => {
    const found = valueAt(object, path)
    return found !== undefined && [wanted].flat().some(value => String(value) === String(found))
  })
}

/** Checks that a payment ended as the scenario has it. */
function answered(response: Awaited<ReturnType<typeof payByCard>>, expected: string | undefined): unknown {
  const { status, body } = response
  const declined = status >= 400 ? (body.error ?? String(status)) : undefined
  if (declined === expected) return body
  const problem =
    declined === undefined ? 'The payment went through, which it should not.' : `The payment failed: ${declined}.`
  throw new CommandError(problem, { exitCode: exitCodes.refused })
}

async function payAgain(url: string): Promise<unknown> {
  const response = await fetch(`${url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'card', card_jwe: 'it is paid already' }),
  }).catch((cause: unknown) => {
    throw userError('The payment was not answered.', cause)
  })
  return response.json()
}

function describeStep(step: Step, result: unknown, ms: number): string {
  if ('call' in step) return `${step.call} ${String(valueAt(result, 'id') ?? valueAt(result, 'data.id') ?? '')}`.trim()
  if ('await' in step) return `${step.await} came after ${ms} ms: ${String(valueAt(result, 'id'))}`
  if ('payInCash' in step) return `chose cash: voucher ${String(valueAt(result, 'voucher.reference'))}`
  if ('payAgain' in step) return 'paid once more'
  return `paid with ${step.card}: ${String(valueAt(result, 'status') ?? valueAt(result, 'error'))}`
}
