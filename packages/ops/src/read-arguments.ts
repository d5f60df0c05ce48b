import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageFault } from './usage-fault.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** Takes apart what a command was given. Whatever it does not take, it was not asked for knowingly, so that nothing is carried out. */
export function readArguments<T extends Options>(args: string[], options: T, most = 0) {
  const { positionals, values } = understood(() => parseArgs({ args, options, allowPositionals: true }))
  if (positionals.length > most) throw new UsageFault(`Too much was given: ${positionals.slice(most).join(' ')}.`)
  return { positionals, values }
}

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageFault((error as Error).message)
  }
}
