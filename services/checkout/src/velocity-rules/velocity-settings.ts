import type { environments, VelocityRule } from '@cobro/contracts'
import { z } from 'zod'

/** How many attempts or declines are allowed within a time. */
export interface VelocityLimit {
  max: number
  windowMs: number
}

export type VelocityLimits = Readonly<Record<VelocityRule, VelocityLimit>>

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** Attempts keep the address and the card for the longest window, so it is limited. */
const maxWindowMs = 30 * units.d

/** A limit as text: `30/24h` for 30 within 24 hours, with `m`, `h` or `d`. */
const limit = z.string().transform((text, context): VelocityLimit => {
  const [, max, count, unit] = /^([1-9]\d{0,5})\/([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const windowMs = Number(count) * units[unit as keyof typeof units]
  if (windowMs <= maxWindowMs) return { max: Number(max), windowMs }
  context.addIssue({ code: 'custom', message: 'expected a limit such as 30/24h, for at most 30d' })
  return z.NEVER
})

/** Everyone in a sandbox tries the same few test cards. */
const cardLimits = { production: '20/24h', sandbox: '1000/24h' } as const

/** The settings of the rules. A new name of a rule is a new setting here. */
export const velocitySettings = {
  VELOCITY_CARD: limit
    .optional()
    .describe(
      `Attempts with a card that run or were declined, as number/time; by default ${cardLimits.production}, in sandbox ${cardLimits.sandbox}`,
    ),
  VELOCITY_ADDRESS: limit.prefault('300/1h').describe("Attempts of a payer's address that run or were declined"),
  VELOCITY_ADDRESS_DECLINES: limit.prefault('30/1h').describe("Declines in a row of a payer's address"),
  VELOCITY_PAYABLE: limit.prefault('30/24h').describe('Attempts to pay a session or link'),
  VELOCITY_PAYABLE_DECLINES: limit
    .prefault('10/15m')
    .describe('Declines after which a session is cancelled, and a link blocked for that time'),
  VELOCITY_MERCHANT: limit.prefault('1000/1h').describe('Attempts at a merchant that run or were declined'),
}

const settings = z.object(velocitySettings)

/** Returns the limits of the rules by name. */
export function velocityLimits(
  config: z.output<typeof settings>,
  environment: (typeof environments)[number],
): VelocityLimits {
  return {
    card_attempts: config.VELOCITY_CARD ?? limit.parse(cardLimits[environment]),
    address_attempts: config.VELOCITY_ADDRESS,
    address_declines: config.VELOCITY_ADDRESS_DECLINES,
    payable_attempts: config.VELOCITY_PAYABLE,
    payable_declines: config.VELOCITY_PAYABLE_DECLINES,
    merchant_attempts: config.VELOCITY_MERCHANT,
  }
}

/** The limits without any setting. */
export const defaultLimits = velocityLimits(settings.parse({}), 'production')
