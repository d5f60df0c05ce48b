import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Profile } from './config-file.ts'

/** Returns the profile of the stack that runs in the checkout around the working directory, if there is one. */
export function localProfile(directory: string): Profile | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const stack = readJson(join(at, '.cobro', 'stack.json'))
    if (stack) return { base_url: String(stack.base_url), api_key: String(stack.api_key) }
    if (at === dirname(at)) return undefined
  }
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
