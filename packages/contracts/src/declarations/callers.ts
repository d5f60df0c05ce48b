import { z } from 'zod'
import { id } from '../fields/ids.ts'

/** The gateway and the services behind it, by the name each is deployed under. */
export const serviceNames = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
export type ServiceName = (typeof serviceNames)[number]

export const merchantStatuses = ['active', 'disabled'] as const

const merchant = z.object({
  merchant_id: id('mrc'),
  merchant_name: z.string(),
  merchant_status: z.enum(merchantStatuses),
})

/** What a user may do. Not an enum, since the gateway may know more accesses than a service. Absent in the release before. */
const access = z.string().optional()

/** When a user last proved who it is, in seconds since the epoch. Absent in the release before. */
const authTime = z.int().optional()
/** When someone else last changed a user's credentials or access, in seconds since the epoch. Absent in the release before. */
const credentialsSince = z.number().optional()

/**
 * The caller: authenticated by the gateway, passed to the services in the internal token.
 * An operator's `merchants` is its scope; its `merchant_id` is the merchant that it states for this call, if any.
 */
export const caller = z.discriminatedUnion('kind', [
  merchant.extend({
    kind: z.literal('key'),
    id: id('key'),
    /** What the key is limited to. Not an enum, since the gateway may know more scopes than a service. */
    scopes: z.array(z.string()).nullish(),
  }),
  merchant.extend({
    kind: z.literal('client'),
    id: id('usr'),
    access,
    auth_time: authTime,
    credentials_since: credentialsSince,
  }),
  merchant.partial().extend({
    kind: z.literal('operator'),
    id: id('usr'),
    access,
    auth_time: authTime,
    credentials_since: credentialsSince,
    merchants: z.union([z.literal('all'), z.array(id('mrc'))]),
  }),
  z.object({ kind: z.literal('payer') }),
  z.object({ kind: z.literal('acquirer') }),
])

export type Caller = z.output<typeof caller>
export type CallerKind = Caller['kind']

/** The sets of callers that operations allow. `anyone` needs no credential. */
export const callerSets = {
  anyone: ['payer'],
  keys: ['key'],
  merchants: ['key', 'client', 'operator'],
  users: ['client', 'operator'],
  operators: ['operator'],
  acquirer: ['acquirer'],
} as const satisfies Record<string, readonly CallerKind[]>

/** Who caused a change, as events record it. Scheduled work of a service is `system`. */
export const actor = z.object({
  /**
   * A kind of caller, `system`, or `command`: an operator command, with a person's name as the id.
   * Not an enum, since a message may come from a newer release that has more kinds.
   */
  type: z.string().max(32),
  id: z.string().nullable(),
})

export type Actor = z.output<typeof actor>

/** Returns a caller as an actor. Payers and the acquirer have no id here. */
export function actorOf(caller: Caller): Actor {
  return { type: caller.kind, id: 'id' in caller ? caller.id : null }
}
