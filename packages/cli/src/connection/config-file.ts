import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Session } from '@cobro/sdk/admin'
import { parse, stringify } from 'yaml'
import { CommandError, exitCodes } from '../output/failures.ts'

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
function configPath(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'cobro', 'config.yaml')
}

/** Reads the configuration. Refuses a file that others can read: it has keys in it. */
export function readConfig(): Config {
  const path = configPath()
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      const hint = `Run: chmod 600 ${path}`
      throw new CommandError(`Others can read ${path}, which has keys in it.`, {
        exitCode: exitCodes.credentials,
        hint,
      })
    }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof CommandError) throw error
    return { profiles: {} }
  }
  const config: unknown = parse(text)
  return { profiles: {}, ...(typeof config === 'object' ? config : {}) }
}

/** Changes the configuration. A command that dies meanwhile leaves the old file. */
export function changeConfig(change: (config: Config) => void): void {
  const path = configPath()
  const config = readConfig()
  change(config)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, stringify(config), { mode: 0o600 })
  renameSync(draft, path)
}
