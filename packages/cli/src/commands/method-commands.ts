import { once } from 'node:events'
import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import type { MethodCommand } from '../methods/method.ts'
import { methodAt } from '../methods/method-at.ts'
import { readInput } from '../methods/read-input.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, printable, tell } from '../output/print.ts'

interface MethodOptions extends GlobalOptions {
  idempotencyKey?: string
  maxItems?: string
}

/** Adds a command for each method of the SDK: `sessions create`, `transactions refund`, `me`. */
export function addMethodCommands(program: Command, methods: Readonly<Record<string, MethodCommand>>): void {
  for (const [path, method] of Object.entries(methods)) {
    const names = path.split('.')
    // Sessions begin with `login`, which keeps the tokens.
    if (names[0] === 'auth') continue
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
    .action(() => call(command, path, method))
}

async function call(
  command: Command,
  path: string,
  { ids, fields, isList, keys, users }: MethodCommand,
): Promise<void> {
  const given = command.args.slice(0, ids.length)
  const wrong = given.find(id => id.startsWith('-'))
  if (wrong !== undefined) throw new CommandError(`Expected an id, got ${wrong}.`)
  const input = readInput(command.args.slice(ids.length), fields)
  const options = command.optsWithGlobals<MethodOptions>()
  const format = formatOf(options.output)
  const { isUser, cobro } = connect(options)
  if (isUser ? !users : !keys) {
    const who = isUser ? 'Only an API key' : 'Only a user who is logged in'
    const hint = `Log in with: cobro login${isUser ? '' : ' --email …'}`
    throw new CommandError(`${who} can call ${path}.`, { exitCode: exitCodes.credentials, hint })
  }
  const inputs = Object.keys(fields).length > 0 ? [input] : []
  const { idempotencyKey, maxItems } = options
  const made = methodAt(cobro, path)(...given, ...inputs, { ...(idempotencyKey && { idempotencyKey }) })
  const result = isList ? await rowsOf(made, maxItems) : await made
  if (result instanceof Response) return pipeBody(result)
  print(result, format)
}

/** Writes the body of a response as it arrives; to a terminal without what would steer it. */
async function pipeBody({ body }: Response): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    const shown = process.stdout.isTTY ? printable(decoder.decode(chunk, { stream: true })) : chunk
    if (!process.stdout.write(shown)) await once(process.stdout, 'drain')
  }
}

/** Returns the rows of a page, or as many as are asked for over all pages. */
async function rowsOf(call: PromiseLike<unknown>, maxItems: string | undefined): Promise<unknown> {
  if (maxItems === undefined) {
    const page = Object(await call)
    if (Reflect.get(page, 'hasNext')) tell('There are more rows: --max-items <number> reads them.')
    return Reflect.get(page, 'data')
  }
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
