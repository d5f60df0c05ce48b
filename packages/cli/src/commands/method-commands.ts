import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import type { MethodCommand } from '../methods/method.ts'
import { methodAt } from '../methods/method-at.ts'
import { readInput } from '../methods/read-input.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print } from '../output/print.ts'

interface MethodOptions extends GlobalOptions {
  idempotencyKey?: string
  maxItems?: string
}

/** Adds a command for each method of the SDK: `sessions create`, `transactions refund`, `me`. */
export function addMethodCommands(program: Command, methods: Readonly<Record<string, MethodCommand>>): void {
  for (const [path, method] of Object.entries(methods)) {
    const names = path.split('.')
    const verb = kebab(names.at(-1) ?? '')
    const group = names.at(-2)
    const parent = group === undefined ? program : groupOf(program, kebab(group))
    if (parent.commands.some(command => command.name() === verb)) continue
    addMethod(parent, verb, path, method)
  }
}

const aliases: Readonly<Record<string, string>> = { 'payment-links': 'links', 'webhook-endpoints': 'webhooks' }

function groupOf(program: Command, name: string): Command {
  const found = program.commands.find(command => command.name() === name)
  if (found) return found
  const group = program.command(name).description(`Work with ${name.replaceAll('-', ' ')}`)
  const alias = aliases[name]
  return alias === undefined ? group : group.alias(alias)
}

function addMethod(parent: Command, verb: string, path: string, method: MethodCommand): void {
  const { summary, ids, isList, isKeyed, fields } = method
  const command = parent.command(verb).description(summary)
  for (const id of ids) command.argument(`<${id}>`)
  if (isKeyed) command.option('--idempotency-key <key>', 'the key under which a repetition has no second effect')
  if (isList) command.option('--max-items <number>', 'the most rows, over all pages')
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', helpOf(fields))
    .action(async (...given: unknown[]) => {
      const values = command.args.slice(ids.length)
      const options = command.optsWithGlobals<MethodOptions>()
      const connection = connect(options)
      const { isUser, cobro } = connection
      if (isUser ? !method.users : !method.keys) {
        const who = isUser ? 'An API key' : 'A user'
        throw new CommandError(`${who} has to call ${path}.`, { exitCode: exitCodes.credentials, hint: 'cobro login' })
      }
      const input = Object.keys(fields).length > 0 ? [readInput(values, fields)] : []
      const { idempotencyKey, maxItems } = options
      const call = methodAt(cobro, path)(...given.slice(0, ids.length), ...input, {
        ...(idempotencyKey && { idempotencyKey }),
      })
      print(isList ? await rowsOf(call, maxItems) : await call, formatOf(options.output))
    })
}

/** Returns the rows of a page, or as many as are asked for over all pages. */
async function rowsOf(call: PromiseLike<unknown>, maxItems: string | undefined): Promise<unknown> {
  if (maxItems === undefined) return Reflect.get(Object(await call), 'data')
  const most = Number(maxItems)
  if (!(Number.isInteger(most) && most > 0)) throw new CommandError('--max-items is a number above 0.')
  const toArray: unknown = Reflect.get(Object(call), 'toArray')
  return typeof toArray === 'function' ? toArray.call(call, { maxItems: most }) : call
}

function helpOf(fields: MethodCommand['fields']): string {
  const names = Object.keys(fields)
  if (names.length === 0) return ''
  const width = Math.max(...names.map(name => name.length))
  const lines = Object.entries(fields).map(
    ([name, { text, required }]) => `  --${name.padEnd(width)}  ${text}${required ? ' Required.' : ''}`,
  )
  return `\nFields:\n${lines.join('\n')}\n  --data @file, or --data '{…}': the whole input as JSON\n`
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
