import type { z } from 'zod'
import type { ServiceName } from './callers.ts'

/** The categories of the audit log. */
export const auditCategories = ['payment', 'checkout', 'webhook', 'auth', 'admin', 'api', 'error'] as const
export type AuditCategory = (typeof auditCategories)[number]

/** What a webhook's `data` is. Where several are possible, the prefix of its id says which. */
type WebhookObject =
  | 'transaction'
  | 'checkout_session'
  | 'payment_link'
  | 'checkout_session or payment_link'
  | 'transaction, checkout_session or payment_link'
  | 'webhook'

/**
 * A published fact. Bindings, webhook catalog, audit category and handler types follow from it.
 * Its schema encodes the data on emit: times become text, undeclared fields are dropped. Add only optional fields,
 * since services are deployed separately.
 */
export interface EventDeclaration {
  readonly data: z.ZodObject | z.ZodUnion<readonly z.ZodObject[]>
  /** Null for events between services only, which the audit log ignores. */
  readonly category: AuditCategory | null
  /** Its text in the webhook catalog, or false if merchants cannot subscribe to it. */
  readonly webhook: false | { readonly description: string; readonly object: WebhookObject }
  /** The services that publish it. The login of any other may not. */
  readonly publishers: readonly Exclude<ServiceName, 'audit-log'>[]
  /** Consumers besides webhooks-dispatcher and audit-log, which follow from the fields above. */
  readonly consumers: readonly Extract<ServiceName, 'gateway' | 'checkout' | 'transactions'>[]
}

/** Declares an event. Returns it with its exact type. */
export function event<const E extends EventDeclaration>(declared: E): E {
  return declared
}

/** Declares an event for the audit log only. */
export const recorded = <const P extends EventDeclaration['publishers'][number], D extends z.ZodObject>(
  publisher: P,
  category: AuditCategory,
  data: D,
) => event({ data, category, webhook: false, publishers: [publisher], consumers: [] })
