import { z } from 'zod'
import { id } from './ids.ts'

/** The services behind the gateway, and the gateway, by the name each is deployed under. */
export const serviceNames = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
export type ServiceName = (typeof serviceNames)[number]

const merchant = z.object({
  merchant_id: id('mrc'),
  merchant_name: z.string(),
  merchant_status: z.enum(['active', 'disabled']),
})

/**
 * Who makes a call, as the gateway found out and the internal token carries it.
 * An operator's `merchants` is its scope; its `merchant_id` the one it states for this call, if any.
 */
export const caller = z.discriminatedUnion('kind', [
  merchant.extend({ kind: z.literal('key'), id: id('key') }),
  merchant.extend({ kind: z.literal('client'), id: id('usr') }),
  merchant
    .partial()
    .extend({ kind: z.literal('operator'), id: id('usr'), merchants: z.union([z.literal('all'), z.array(id('mrc'))]) }),
  z.object({ kind: z.literal('payer') }),
  z.object({ kind: z.literal('acquirer') }),
])

export type Caller = z.output<typeof caller>
export type CallerKind = Caller['kind']

/** Who caused a change, as events record it. The clocks of a service are `system`. */
export const actor = z.object({
  /**
   * A kind of caller, `system`, or `command` for a person who ran a command for operators, whose id is the name that they gave.
   * Open, since a message may come from a newer release that knows more kinds.
   */
  type: z.string().max(32),
  id: z.string().nullable(),
})

export type Actor = z.output<typeof actor>

/** The actor that a caller is. Payers and the acquirer have no id of ours. */
export function actorOf(caller: Caller): Actor {
  return { type: caller.kind, id: 'id' in caller ? caller.id : null }
}
