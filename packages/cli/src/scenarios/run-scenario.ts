import { hostedApiUrl, payByCard, payInCash } from '@cobro/local-stack/hosted-payment'
import type { Cobro } from '@cobro/sdk'
import type { CobroAdmin } from '@cobro/sdk/admin'
import { valueAt } from '../feed/where.ts'
import { methodCommands } from '../generated/method-commands.ts'
import { methodAt } from '../methods/method-at.ts'
import { setField } from '../methods/read-input.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import type { Step } from './scenarios.ts'

interface World {
  cobro: Cobro | CobroAdmin
  hostedUrl: string
}

type CallStep = Extract<Step, { call: string }>

/** What the steps returned, by their ids. */
export type Results = Record<string, unknown>

/** Sets inputs of steps from `path=value`, or `step.path=value` where several steps have such a field. */
export function withInputs(steps: readonly Step[], sets: readonly string[]): Step[] {
  const changed = steps.map(step => ('with' in step ? { ...step, with: structuredClone(step.with) } : step))
  const calls = changed.filter(step => 'call' in step)
  for (const set of sets) {
    const [, path = '', value] = /^([\w.-]+)=(.*)$/s.exec(set) ?? []
    if (value === undefined) throw new CommandError(`Expected --set path=value, got ${set}.`)
    const named = calls.find(({ id }) => path.startsWith(`${id}.`))
    if (named) {
      setField(named.with, path.slice(named.id.length + 1), value, fieldsOf(named.call))
      continue
    }
    const target = calls.find(({ call }) => hasField(path, call)) ?? calls[0]
    if (!target) throw new CommandError('This scenario has no input to set.')
    setField(target.with, path, value, fieldsOf(target.call))
  }
  return changed
}

const fieldsOf = (call: string) => methodCommands[call]?.fields ?? {}

function hasField(path: string, call: string): boolean {
  const [first = ''] = path.split('.')
  return Object.keys(fieldsOf(call)).some(name => name === path || name === `${first}.*`)
}

/** Runs steps one after another. Returns what they returned. */
export async function runSteps(world: World, steps: readonly Step[], onStep: (text: string) => void): Promise<Results> {
  const results: Results = {}
  for (const step of steps) {
    const result = await runStep(world, step, results)
    onStep(describeStep(step, result))
    if ('id' in step) results[step.id] = result
  }
  return results
}

async function runStep({ cobro, hostedUrl }: World, step: Step, results: Results): Promise<unknown> {
  if ('call' in step) return callStep(cobro, step, results)
  if ('payInCash' in step) return answered(await payInCash(hostedUrl, filled(step.payInCash, results)), false)
  if ('payAgain' in step) return payAgain(hostedApiUrl(hostedUrl, filled(step.payAgain, results)))
  return answered(await payByCard(hostedUrl, filled(step.pay, results), step.card), step.fails === true)
}

function callStep(cobro: object, step: CallStep, results: Results): PromiseLike<unknown> {
  const ids = methodCommands[step.call]?.ids ?? []
  const input = Object.fromEntries(
    Object.entries(step.with).map(([name, value]) => [name, filledValue(value, results)]),
  )
  const given = ids.map(id => input[id])
  for (const id of ids) delete input[id]
  return methodAt(cobro, step.call)(...given, ...(Object.keys(fieldsOf(step.call)).length > 0 ? [input] : []))
}

/** Checks that a payment ended as the scenario has it. */
function answered(response: Awaited<ReturnType<typeof payByCard>>, fails: boolean): unknown {
  const { status, body } = response
  const failed = status >= 400
  if (failed === fails) return body
  const problem = fails
    ? 'The payment went through, which it should not.'
    : `The payment failed: ${body.error ?? status}.`
  throw new CommandError(problem, { exitCode: exitCodes.refused })
}

async function payAgain(url: string): Promise<unknown> {
  const response = await fetch(`${url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'card', card_jwe: 'it is paid already' }),
  })
  return response.json()
}

function filledValue(value: unknown, results: Results): unknown {
  return typeof value === 'string' ? filled(value, results) : value
}

/** Replaces `${id.path}` by what an earlier step returned. */
function filled(text: string, results: Results): string {
  return text.replace(/\$\{([\w.]+)\}/g, (_all, path: string) => {
    const value = valueAt(results, path)
    if (value === undefined) throw new CommandError(`No step returned ${path}.`)
    return String(value)
  })
}

function describeStep(step: Step, result: unknown): string {
  if ('call' in step) return `${step.call} ${String(valueAt(result, 'id') ?? valueAt(result, 'data.id') ?? '')}`.trim()
  if ('payInCash' in step) return `chose cash: voucher ${String(valueAt(result, 'voucher.reference'))}`
  if ('payAgain' in step) return 'paid once more'
  return `paid with ${step.card}: ${String(valueAt(result, 'status') ?? valueAt(result, 'error'))}`
}
