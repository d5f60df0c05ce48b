import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createCobro } from '@cobro/sdk'
import { createCobroAdmin, sessionOf } from '@cobro/sdk/admin'
import type { Command } from 'commander'
import { changeConfig, type Profile, readConfig } from '../connection/config-file.ts'
import { connect, type GlobalOptions, profileOf } from '../connection/connect.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'

interface LoginOptions extends GlobalOptions {
  email?: string
  apiKeyFile?: string
}

/** Adds `login`, `logout`, `profiles` and `status`. */
export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('Store an API key, or the session of a user, in a profile')
    .option('--api-key-file <file>', 'read the key from a file, or - for standard input; otherwise you are asked')
    .option('--email <address>', 'log in as a user; you are asked for the password')
    .action(async (_options, command: Command) => logIn(command.optsWithGlobals<LoginOptions>()))
  program
    .command('logout')
    .description('Forget the credential of a profile')
    .action(async (_options, command: Command) => logOut(command.optsWithGlobals<GlobalOptions>()))
  program
    .command('profiles')
    .description('List the profiles')
    .action((_options, command: Command) => {
      const { current, profiles } = readConfig()
      const rows = Object.entries(profiles).map(([name, { base_url, session }]) => {
        return { name, base_url, credential: session ? 'user' : 'API key', current: name === current }
      })
      print(rows, formatOf(command.optsWithGlobals<GlobalOptions>().output))
    })
  program
    .command('status')
    .description('Show whose credential is used, and whether the API answers')
    .action(async (_options, command: Command) => showStatus(command.optsWithGlobals<GlobalOptions>()))
}

async function logIn(options: LoginOptions): Promise<void> {
  const name = options.profile ?? process.env.COBRO_PROFILE ?? 'default'
  const base_url = options.baseUrl ?? process.env.COBRO_BASE_URL ?? readConfig().profiles[name]?.base_url
  if (!base_url) throw new CommandError('Name the deployment: cobro login --base-url https://…')
  const credential = options.email ? await userSession(base_url, options.email) : await apiKey(base_url, options)
  changeConfig(config => {
    const { webhook_secret } = config.profiles[name] ?? {}
    config.profiles[name] = { base_url, ...credential, ...(webhook_secret && { webhook_secret }) }
    config.current = name
  })
  tell(`Logged in. Commands use the profile ${name} now.`)
}

/** The key is never the value of an option: others on the machine can read those. */
async function apiKey(baseUrl: string, { apiKeyFile }: LoginOptions): Promise<Pick<Profile, 'api_key'>> {
  const read = async () => {
    if (apiKeyFile === '-') return text(process.stdin)
    if (apiKeyFile) return readFileSync(apiKeyFile, 'utf8')
    return process.env.COBRO_API_KEY || askHidden('API key: ')
  }
  const api_key = (await read()).trim()
  const { environment, merchant } = await createCobro({ apiKey: api_key, baseUrl }).me()
  tell(`This is a key of ${merchant?.name ?? 'no merchant'} (${environment}).`)
  return { api_key }
}

async function userSession(baseUrl: string, email: string): Promise<Pick<Profile, 'session'>> {
  const password = await askHidden('Password: ')
  return { session: sessionOf(await createCobroAdmin({ baseUrl }).auth.login({ email, password })) }
}

/** Asks on the terminal without showing what is typed. */
async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const answer = await terminal.question('')
  terminal.close()
  process.stderr.write('\n')
  return answer
}

async function logOut(options: GlobalOptions): Promise<void> {
  const { name, profile } = profileOf(options)
  if (profile.session) {
    // The session ends at the API too. Without an answer it expires by itself.
    const { auth } = createCobroAdmin({ baseUrl: profile.base_url })
    await auth.logout({ refresh_token: profile.session.refreshToken }).catch(() => undefined)
  }
  changeConfig(({ profiles }) => {
    const { api_key: _key, api_key_command: _command, session: _session, ...others } = profiles[name] ?? profile
    profiles[name] = others
  })
  tell(`The profile ${name} has no credential any more.`)
}

async function showStatus(options: GlobalOptions): Promise<void> {
  const { name, baseUrl, cobro } = connect(options)
  const [me, health] = await Promise.all([cobro.me(), cobro.health()])
  const { permissions: _permissions, ...caller } = me
  print({ profile: name, base_url: baseUrl, health: health.status, ...caller }, formatOf(options.output))
  if (health.status !== 'ok') process.exitCode = exitCodes.unreachable
}
