import type { Logger } from '@cobro/runtime'
import { defaultRateLimits, type Limit, type LimitKind, rateLimit } from './rate-limit-settings.ts'

type LimitSettings = Record<`RATE_LIMIT_${Uppercase<LimitKind>}`, Limit>

/** Returns the configured limits, and logs a warning for those that are above the defaults. */
export function configuredRateLimits(settings: LimitSettings, logger: Pick<Logger, 'warn'>): Record<LimitKind, Limit> {
  const limits = {
    key: settings.RATE_LIMIT_KEY,
    user: settings.RATE_LIMIT_USER,
    address: settings.RATE_LIMIT_ADDRESS,
    guess: settings.RATE_LIMIT_GUESS,
    login: settings.RATE_LIMIT_LOGIN,
    rejected: settings.RATE_LIMIT_REJECTED,
  }
  const kinds = Object.keys(limits) as LimitKind[]
  const raised = kinds.filter(kind => isRaised(limits[kind], rateLimit.parse(defaultRateLimits[kind])))
  if (raised.length > 0) logger.warn({ raised }, 'rate limits are higher than by default')
  return limits
}

/** Returns whether a limit allows more calls per window or more on average. */
function isRaised(limit: Limit, usual: Limit): boolean {
  return limit.calls > usual.calls || limit.calls / limit.seconds > usual.calls / usual.seconds
}
