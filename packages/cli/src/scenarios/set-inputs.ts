import { methodCommands } from '../generated/method-commands.ts'
import { setField } from '../methods/read-input.ts'
import { CommandError } from '../output/failures.ts'
import type { Step } from './steps.ts'

/** Sets inputs of steps from `path=value`, or `step.path=value` where several steps have such a field. */
export function withInputs(steps: readonly Step[], sets: readonly string[]): Step[] {
  const changed = steps.map(step => ('with' in step ? { ...step, with: structuredClone(step.with) } : step))
  const calls = changed.filter(step => 'call' in step)
  for (const set of sets) {
    const [, path = '', value] = /^([\w.-]+)=(.*)$/s.exec(set) ?? []
    if (value === undefined) throw new CommandError(`Expected --set path=value, got ${set}.`)
    const named = calls.find(({ id }) => id !== undefined && path.startsWith(`${id}.`))
    if (named?.id !== undefined) {
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
