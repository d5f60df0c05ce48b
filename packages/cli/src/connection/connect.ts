import { execSync } from 'node:child_process'
import { type Cobro, createCobro } from '@cobro/sdk'
import { type CobroAdmin, createCobroAdmin, type SessionStore } from '@cobro/sdk/admin'
import { CommandError, exitCodes } from '../output/failures.ts'
import { changeProfile, configPath, type Profile, readConfig } from './config-file.ts'
import { withLock } from './file-lock.ts'
import { localProfile } from './local-stack.ts'

/** The options of every command. */
export interface GlobalOptions {
  profile?: string
  baseUrl?: string
  merchant?: string
  output?: string
  quiet?: boolean
}

/** The client of a profile. */
export interface Connection {
  name: string
  baseUrl: string
  /** For keys; users have `admin`. */
  cobro: Cobro | CobroAdmin
  isUser: boolean
  webhookSecret: string | undefined
}

/** Returns a profile: of the options, of the environment, of the configuration, or that of the running stack. */
export function profileOf(
  { profile, baseUrl }: GlobalOptions,
  directory = process.cwd(),
): { name: string; profile: Profile } {
  const { COBRO_API_KEY, COBRO_BASE_URL, COBRO_PROFILE } = process.env
  const config = readConfig()
  const asked = profile ?? COBRO_PROFILE
  const name = profileName({ profile }, config)
  const stored = storedProfile(config.profiles[name], name === 'local' ? localProfile(directory) : undefined)
  if (asked !== undefined && !stored) throw new CommandError(`There is no profile ${asked}.`, loginHint)
  const found: Partial<Profile> = {
    ...stored,
    ...(COBRO_BASE_URL && { base_url: COBRO_BASE_URL }),
    ...(baseUrl && { base_url: baseUrl }),
  }
  if (!found.base_url) throw new CommandError('No deployment is known.', loginHint)
  if (asked === undefined && COBRO_API_KEY) {
    return { name, profile: { base_url: found.base_url, api_key: COBRO_API_KEY } }
  }
  // A key goes to the deployment that it belongs to, and to no other.
  if (stored && found.base_url !== stored.base_url) {
    throw new CommandError('--base-url names another deployment than the profile.', loginHint)
  }
  return { name, profile: { ...found, base_url: found.base_url } }
}

/** Returns the name of the profile that a command uses, whether or not there is one. */
export function profileName({ profile }: Pick<GlobalOptions, 'profile'>, config = readConfig()): string {
  return profile ?? process.env.COBRO_PROFILE ?? config.current ?? 'local'
}

/** The profile of the running stack has its own credential; of the configuration it has only the signing secret. */
function storedProfile(stored: Profile | undefined, running: Profile | undefined): Profile | undefined {
  if (!running) return stored
  return { ...running, ...(stored?.webhook_secret && { webhook_secret: stored.webhook_secret }) }
}

const loginHint = { exitCode: exitCodes.credentials, hint: 'Log in with: cobro login --base-url https://…' }

/** Returns a client for the profile of a command. */
export function connect(options: GlobalOptions): Connection {
  const { name, profile } = profileOf(options)
  const { base_url: baseUrl, session, webhook_secret: webhookSecret } = profile
  const about = { name, baseUrl, webhookSecret }
  if (!session) return { ...about, cobro: createCobro({ apiKey: keyOf(profile), baseUrl }), isUser: false }
  const admin = createCobroAdmin({ baseUrl, session, store: sessionStore(name, baseUrl) })
  const merchant = options.merchant ?? profile.merchant_id
  return { ...about, cobro: merchant ? admin.forMerchant(merchant) : admin, isUser: true }
}

/** Commands that run side by side share the session of a profile. */
function sessionStore(name: string, baseUrl: string): SessionStore {
  return {
    load: () => readConfig().profiles[name]?.session,
    save: session => changeProfile(name, baseUrl, { session }),
    lock: refresh => withLock(`${configPath()}.session-lock`, refresh),
  }
}

function keyOf({ api_key, api_key_command }: Profile): string {
  if (api_key) return checkedKey(api_key)
  if (!api_key_command) throw new CommandError('This profile has no credential.', loginHint)
  try {
    return checkedKey(execSync(api_key_command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] }).trim())
  } catch {
    throw new CommandError('The api_key_command of this profile failed.', { exitCode: exitCodes.credentials })
  }
}

/** Returns a key, if it can be one. */
export function checkedKey(key: string): string {
  if (!/^vk_\w+$/.test(key))
    throw new CommandError('This is no API key: it starts with vk_.', { exitCode: exitCodes.credentials })
  return key
}
