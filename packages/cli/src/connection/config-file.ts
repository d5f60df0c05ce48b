import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@cobro/sdk/admin'
import { parseDocument, stringify } from 'yaml'
import { CommandError, exitCodes } from '../output/failures.ts'
import { withLock } from './file-lock.ts'
import { writeWhole } from './write-whole.ts'

/** A deployment and a credential for it. */
export interface Profile {
  base_url: string
  api_key?: string
  /** A command that prints the key, such as that of a password manager. */
  api_key_command?: string
  /** The session of a user, instead of a key. */
  session?: Session
  /** The merchant that an operator acts for. */
  merchant_id?: string
  /** Signs what `listen` forwards. Made once, it stays the same. */
  webhook_secret?: string
}

export interface Config {
  /** The profile of commands that name none. */
  current?: string
  profiles: Record<string, Profile>
}

/** Returns where the configuration is. */
export function configPath(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'cobro', 'config.yaml')
}

/** Reads the configuration. Refuses a file that others can read: it has keys in it. */
export function readConfig(): Config {
  const path = configPath()
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return { profiles: {} }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    const hint = `Run: chmod 600 ${path}`
    throw new CommandError(`Others can read ${path}, which has keys in it.`, { exitCode: exitCodes.credentials, hint })
  }
  // Without the text around an error, which may be a key.
  const document = parseDocument(readFileSync(path, 'utf8'), { prettyErrors: false })
  const [problem] = document.errors
  if (problem) {
    throw new CommandError(`${path} is not valid YAML: ${problem.code}.`, { exitCode: exitCodes.credentials })
  }
  const config: unknown = document.toJS()
  const { current, profiles } = (typeof config === 'object' && config !== null ? config : {}) as Partial<Config>
  return { ...(current && { current }), profiles: profiles ?? {} }
}

/** Changes the configuration. A command that dies meanwhile leaves the old file. */
export async function changeConfig(change: (config: Config) => void): Promise<void> {
  const path = configPath()
  await withLock(`${path}.lock`, () => {
    const config = readConfig()
    change(config)
    writeWhole(path, stringify(config))
  })
}

/** Changes one profile, which is made if it does not exist. */
export function changeProfile(name: string, baseUrl: string, change: Partial<Profile>): Promise<void> {
  return changeConfig(({ profiles }) => {
    profiles[name] = { ...profiles[name], base_url: baseUrl, ...change }
  })
}
