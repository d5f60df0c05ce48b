import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@cobro/contracts'
import type { ResolveName } from '../sending/resolve-name.ts'
import { faultOfUrl, isPublicAddress, type UrlRules } from './webhook-url-rules.ts'

export interface UrlDeps {
  rules: UrlRules
  resolve: ResolveName
}

const resolveMs = 2_000

/**
 * Refuses a URL that webhooks are not sent to, as it is written or as its name resolves now. A name that does not resolve
 * in 2 s is taken: its owner may be setting it up, and every sending judges the address anew.
 */
export async function checkUrl({ rules, resolve }: UrlDeps, url: string): Promise<void> {
  const fault = faultOfUrl(url, rules)
  if (fault) throw new ApiError('invalid_request', `url: ${fault}`)
  if (rules.allowPrivate) return
  const { hostname } = new URL(url)
  const late = pause<string[]>(resolveMs, [], { ref: false })
  const addresses = await Promise.race([resolve(hostname).catch(() => []), late])
  if (!addresses.every(isPublicAddress)) throw new ApiError('invalid_request', 'url: expected a public address')
}
