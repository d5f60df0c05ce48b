import type { z } from 'zod'
import type { ServiceName } from './callers.ts'

/** The categories of the audit log. */
export const auditCategories = ['payment', 'checkout', 'webhook', 'auth', 'admin', 'api', 'error'] as const
export type AuditCategory = (typeof auditCategories)[number]

/** What a webhook's `data` is about. Where it may be one of several, the prefix of its id tells which. */
export type WebhookObject =
  | 'transaction'
  | 'checkout_session'
  | 'payment_link'
  | 'checkout_session or payment_link'
  | 'transaction, checkout_session or payment_link'
  | 'webhook'

/**
 * A fact that a service publishes. Bindings, the webhook catalog, the audit category and handler types come from this.
 * Data is encoded by the schema when it is emitted (times become text, unnamed fields fall away) and is changed only by
 * adding optional fields, since services deploy alone.
 */
export interface EventDeclaration {
  readonly data: z.ZodObject | z.ZodUnion<readonly z.ZodObject[]>
  /** Null for what only services need to know: the audit log leaves it out. */
  readonly category: AuditCategory | null
  /** How the catalog describes it to merchants, or false for what no merchant may subscribe to. */
  readonly webhook: false | { readonly description: string; readonly object: WebhookObject }
  /** The services that act on it; webhooks-dispatcher and audit-log take what they need by themselves. */
  readonly consumers: readonly Extract<ServiceName, 'checkout' | 'transactions'>[]
}

/** Declares an event. Gives back what it got, with its exact type. */
export function event<const E extends EventDeclaration>(declared: E): E {
  return declared
}
