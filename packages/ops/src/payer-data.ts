import { payerEmail, personName } from '@cobro/contracts'
import { CommandError } from './command-error.ts'
import { findLauncher } from './launcher.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/**
 * The services that hold data of payers, in the order in which it is erased: checkout first, from which the others receive it. Each
 * with the variable that names its database where there is no local stack.
 */
const holders = [
  ['checkout', 'CHECKOUT_DATABASE_URL'],
  ['transactions', 'TRANSACTIONS_DATABASE_URL'],
  ['webhooks-dispatcher', 'WEBHOOKS_DATABASE_URL'],
  ['gateway', 'GATEWAY_DATABASE_URL'],
] as const

type Holder = (typeof holders)[number]

/** What `payer-erase` of a service prints. */
interface Erasure {
  erased: Record<string, number>
  waiting: number
  unpublished: number
}

/** `payer export <email> [--by <name>]`: prints everything that is held about a payer as a line of JSON. */
export function exportPayer(args: string[]) {
  const payer = readPayer(args)
  return async () => {
    const parts = await runInEach('payer-export', payer)
    print(Object.assign({ email: payer.email, exported_at: new Date().toISOString() }, ...parts))
    return 0
  }
}

/**
 * `payer erase <email> [--by <name>]`: erases a payer's data and prints the counts as a line of JSON. It is not complete while
 * rows wait for the end of a payment or a delivery: run again later, it erases them too.
 */
export function erasePayer(args: string[]) {
  const payer = readPayer(args)
  return async () => {
    const parts = (await runInEach('payer-erase', payer)) as Erasure[]
    const erased = Object.assign({}, ...parts.map(part => part.erased))
    const ofEach = (count: 'waiting' | 'unpublished') =>
      Object.fromEntries(parts.map((part, place) => [holders[place]?.[0], part[count]]))
    const complete = parts.every(({ waiting, unpublished }) => waiting + unpublished === 0)
    print({ complete, erased, waiting: ofEach('waiting'), unpublished: ofEach('unpublished') })
    return 0
  }
}

interface Payer {
  email: string
  by: string | undefined
}

function readPayer(args: string[]): Payer {
  const { positionals, values } = readArguments(args, { by: { type: 'string' } }, 1)
  const { data: email } = payerEmail.safeParse(positionals[0])
  if (!email) throw new UsageError('Give the e-mail address of the payer: expected one such as ana@example.com.')
  if (values.by !== undefined && !personName.safeParse(values.by).success)
    throw new UsageError('--by: expected the name of the person who runs the command, of 1 to 100 characters.')
  return { email, by: values.by }
}

/** Runs a command in each service, and returns what each has printed. */
async function runInEach(command: string, payer: Payer): Promise<object[]> {
  const launcher = await findLauncher()
  if (!launcher) {
    const images = holders.map(([name]) => name).join(', ')
    throw new CommandError(`This command is part of the images ${images}: run each of them with ${command}.`)
  }
  // A mixture would read one system and erase in another.
  const unset = holders.map(([, variable]) => variable).filter(variable => !process.env[variable])
  if (unset.length > 0 && (unset.length < holders.length || !launcher.readStack()))
    throw new CommandError(
      `This command needs a local stack, or the databases of all services: set ${unset.join(', ')}.`,
    )
  const parts: object[] = []
  for (const holder of holders) parts.push(await runIn(launcher, holder, command, payer))
  return parts
}

type Launcher = NonNullable<Awaited<ReturnType<typeof findLauncher>>>

async function runIn(
  launcher: Launcher,
  [service, variable]: Holder,
  command: string,
  { email, by }: Payer,
): Promise<object> {
  const url = process.env[variable]
  const env = url ? { ...process.env, DATABASE_URL: url } : undefined
  const args = [command, ...(by === undefined ? [] : [`--by=${by}`]), '--', email]
  const { code, stdout } = await launcher.readServiceCli(service, args, env)
  // The result is the last line. Whatever else the command has logged is for the terminal.
  const lines = stdout.trimEnd().split('\n')
  const result = code === 0 ? lines.pop() : undefined
  if (lines.some(Boolean)) process.stderr.write(`${lines.join('\n')}\n`)
  if (result !== undefined) return JSON.parse(result)
  throw new CommandError(`${command} of ${service} failed. Run the command again: it continues where it stopped.`)
}

function print(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
