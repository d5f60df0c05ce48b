import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { ConnectionError, createCobro } from '@cobro/sdk'
import { type CobroAdmin, createCobroAdmin } from '@cobro/sdk/admin'
import type { Command } from 'commander'
import { stopListeners } from '../background/listeners.ts'
import { nameOf } from '../background/stop-command.ts'
import { changeConfig, type Profile, readConfig } from '../connection/config-file.ts'
import { checkedKey, connect, type GlobalOptions, profileOf } from '../connection/connect.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'
import { askHidden } from './ask-hidden.ts'
import { userSession } from './user-session.ts'

interface LoginOptions extends GlobalOptions {
  email?: string
  apiKeyFile?: string
}

/** Adds `login`, `confirm`, `logout`, `profiles` and `use`. */
export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('Store an API key, or the session of a user, in a profile')
    .option('--api-key-file <file>', 'read the key from a file, or - for standard input; otherwise you are asked')
    .option('--email <address>', 'log in as a user; you are asked for the password')
    .action(async (_options, command: Command) => logIn(command.optsWithGlobals<LoginOptions>()))
  program
    .command('confirm')
    .description('Prove who you are once more, for what asks for it within five minutes')
    .action(async (_options, command: Command) => confirm(command.optsWithGlobals<GlobalOptions>()))
  program
    .command('logout')
    .description('Forget the credential of a profile')
    .action(async (_options, command: Command) => logOut(command.optsWithGlobals<GlobalOptions>()))
  program
    .command('profiles')
    .description('List the profiles')
    .action((_options, command: Command) => {
      const { current, profiles } = readConfig()
      const rows = Object.entries(profiles).map(([name, profile]) => {
        return { name, base_url: profile.base_url, credential: credentialOf(profile), current: name === current }
      })
      print(rows, formatOf(command.optsWithGlobals<GlobalOptions>().output))
    })
  program
    .command('use')
    .description('Choose the profile of commands that name none')
    .argument('<profile>')
    .action(async (name: string) => {
      if (name !== 'local' && !readConfig().profiles[name]) throw new CommandError(`There is no profile ${name}.`)
      await changeConfig(config => {
        config.current = name
      })
    })
}

function credentialOf({ session, api_key, api_key_command }: Profile): string {
  if (session) return 'user'
  return api_key ? 'API key' : api_key_command ? 'command' : 'none'
}

async function logIn(options: LoginOptions): Promise<void> {
  const name = options.profile ?? process.env.COBRO_PROFILE ?? 'default'
  if (name === 'local') throw new CommandError('The profile local is that of the running stack, and needs no login.')
  const base_url = options.baseUrl ?? process.env.COBRO_BASE_URL ?? readConfig().profiles[name]?.base_url
  if (!base_url) throw new CommandError('Name the deployment: cobro login --base-url https://…')
  const asked = options.email ? userSession(base_url, options.email) : apiKey(base_url, options)
  const credential = await asked.catch(error => {
    if (!(error instanceof ConnectionError)) throw error
    throw new CommandError(`Cannot reach ${base_url}.`, {
      exitCode: exitCodes.unreachable,
      hint: 'Check the address, and that the deployment runs.',
    })
  })
  let isNew = false
  await changeConfig(config => {
    const { webhook_secret, ...before } = config.profiles[name] ?? {}
    const merchant = options.merchant === undefined ? {} : { merchant_id: options.merchant }
    const profile = { base_url, ...credential, ...merchant }
    isNew = !isDeepStrictEqual(before, profile)
    config.profiles[name] = { ...profile, ...(webhook_secret && { webhook_secret }) }
    config.current = name
  })
  if (isNew) await stopListening(name)
  tell(`Logged in. Commands use the profile ${name} now.`)
}

/** The key is never the value of an option: others on the machine can read those. */
async function apiKey(baseUrl: string, { apiKeyFile }: LoginOptions): Promise<Pick<Profile, 'api_key'>> {
  const read = async () => {
    if (apiKeyFile === '-') return text(process.stdin)
    if (apiKeyFile) return readKeyFile(apiKeyFile)
    return process.env.COBRO_API_KEY || askHidden('API key: ')
  }
  const api_key = checkedKey((await read()).trim())
  const { environment, merchant } = await createCobro({ apiKey: api_key, baseUrl }).me()
  tell(`This is a key of ${merchant?.name ?? 'no merchant'} (${environment}).`)
  return { api_key }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new CommandError(`Cannot read ${file}.`)
  }
}

async function confirm(options: GlobalOptions): Promise<void> {
  const { cobro, isUser } = connect(options)
  if (!isUser) throw new CommandError('API keys need no confirmation: only the sessions of users do.')
  const password = await askHidden('Password: ')
  const { enabled } = await (cobro as CobroAdmin).factor.retrieve()
  const code = enabled ? { code: await askHidden('Code: ') } : {}
  await (cobro as CobroAdmin).auth.confirm({ password, ...code })
  tell('Confirmed for five minutes.')
}

async function logOut(options: GlobalOptions): Promise<void> {
  const { name, profile } = profileOf(options)
  if (name === 'local')
    throw new CommandError('The profile local is that of the running stack: there is nothing to forget.')
  if (profile.session) {
    // The session ends at the API too. Without an answer it expires by itself.
    const { auth } = createCobroAdmin({ baseUrl: profile.base_url })
    await auth.logout({ refresh_token: profile.session.refreshToken }).catch(() => undefined)
  }
  await changeConfig(config => {
    const { webhook_secret } = config.profiles[name] ?? {}
    config.profiles[name] = { base_url: profile.base_url, ...(webhook_secret && { webhook_secret }) }
    if (config.current === name) delete config.current
  })
  tell(`The profile ${name} has no credential any more.`)
  await stopListening(name)
}

/** Ends the listeners in the background that have the credential that the profile had before. */
async function stopListening(name: string): Promise<void> {
  for (const listener of await stopListeners(({ profile }) => profile === name)) {
    tell(`Stopped the listener for ${nameOf(listener)}: it had the credential from before.`)
  }
}
