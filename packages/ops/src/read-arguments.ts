import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** Parses arguments. Throws a UsageError for unknown or extra ones, so that a typo runs nothing. */
export function readArguments<T extends Options>(args: string[], options: T, maxPositionals = 0) {
  const { positionals, values } = parse(args, options)
  if (positionals.length > maxPositionals)
    throw new UsageError(`Unexpected arguments: ${positionals.slice(maxPositionals).join(' ')}.`)
  return { positionals, values }
}

function parse<T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
