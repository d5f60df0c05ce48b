import { ApiError } from '@cobro/contracts'
import { withTimeout } from '@cobro/runtime'
import type { ResolveHostname } from './resolve-hostname.ts'
import { findUrlProblem, isPublicAddress, type UrlRules } from './url-rules.ts'

export interface UrlDeps {
  rules: UrlRules
  resolve: ResolveHostname
}

const resolveMs = 2_000

/**
 * Rejects a URL that webhooks must not be sent to, by its text or its hostname's current addresses.
 * Accepts a hostname that does not resolve within 2 s, perhaps still being set up: every attempt checks it again.
 */
export async function checkWebhookUrl({ rules, resolve }: UrlDeps, url: string): Promise<void> {
  const problem = findUrlProblem(url, rules)
  if (problem) throw new ApiError('invalid_request', `url: ${problem}`)
  if (rules.allowPrivate) return
  const { hostname } = new URL(url)
  const resolving = resolve(hostname).catch(() => [])
  const addresses = (await withTimeout(resolveMs, resolving)) ?? []
  if (!addresses.every(isPublicAddress)) throw new ApiError('invalid_request', 'url: expected a public address')
}
