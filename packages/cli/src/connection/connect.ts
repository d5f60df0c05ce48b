import { execSync } from 'node:child_process'
import { type Cobro, createCobro } from '@cobro/sdk'
import { type CobroAdmin, createCobroAdmin } from '@cobro/sdk/admin'
import { CommandError, exitCodes } from '../output/failures.ts'
import { changeConfig, type Profile, readConfig } from './config-file.ts'
import { localProfile } from './local-stack.ts'

/** The options of every command. */
export interface GlobalOptions {
  profile?: string
  baseUrl?: string
  merchant?: string
  output?: string
  quiet?: boolean
}

/** A client and whom it acts for. */
export interface Connection {
  name: string
  baseUrl: string
  /** For keys; users have `admin`. */
  cobro: Cobro | CobroAdmin
  isUser: boolean
  webhookSecret: string | undefined
}

/** Returns a profile: of the options, of the environment, of the configuration, or that of the running stack. */
export function profileOf({ profile, baseUrl }: GlobalOptions): { name: string; profile: Profile } {
  const { COBRO_API_KEY, COBRO_BASE_URL, COBRO_PROFILE } = process.env
  const config = readConfig()
  const asked = profile ?? COBRO_PROFILE
  const name = asked ?? config.current ?? 'local'
  const stored = storedProfile(config.profiles[name], name)
  if (asked !== undefined && !stored) throw new CommandError(`There is no profile ${asked}.`, loginHint)
  const found: Partial<Profile> = {
    ...stored,
    ...(COBRO_BASE_URL && { base_url: COBRO_BASE_URL }),
    ...(baseUrl && { base_url: baseUrl }),
  }
  if (!found.base_url) throw new CommandError('No deployment is known.', loginHint)
  if (asked === undefined && COBRO_API_KEY) {
    const { session: _session, ...others } = found
    return { name, profile: { ...others, base_url: found.base_url, api_key: COBRO_API_KEY } }
  }
  // A key goes to the deployment that it belongs to, and to no other.
  if (stored && found.base_url !== stored.base_url) {
    throw new CommandError('--base-url names another deployment than the profile.', loginHint)
  }
  return { name, profile: { ...found, base_url: found.base_url } }
}

/** The profile of the running stack has its credential; the configuration adds its signing secret. */
function storedProfile(stored: Profile | undefined, name: string): Profile | undefined {
  const running = name === 'local' ? localProfile() : undefined
  return running ? { ...stored, ...running } : stored
}

const loginHint = { exitCode: exitCodes.credentials, hint: 'Log in with: cobro login --base-url https://…' }

/** Returns a client for the profile of a command. */
export function connect(options: GlobalOptions): Connection {
  const { name, profile } = profileOf(options)
  const { base_url: baseUrl, session, webhook_secret: webhookSecret } = profile
  if (session) {
    const admin = createCobroAdmin({
      baseUrl,
      session,
      save: renewed =>
        changeConfig(({ profiles }) => {
          profiles[name] = { ...profile, session: renewed }
        }),
    })
    const merchant = options.merchant ?? profile.merchant_id
    return { name, baseUrl, cobro: merchant ? admin.forMerchant(merchant) : admin, isUser: true, webhookSecret }
  }
  return { name, baseUrl, cobro: createCobro({ apiKey: keyOf(profile), baseUrl }), isUser: false, webhookSecret }
}

function keyOf({ api_key, api_key_command }: Profile): string {
  if (api_key) return api_key
  if (!api_key_command) throw new CommandError('This profile has no credential.', loginHint)
  return execSync(api_key_command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] }).trim()
}
