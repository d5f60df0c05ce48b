import { z } from 'zod'
import { event } from '../declarations/event.ts'

const count = z.int().optional()

/**
 * The counts of a command on a payer's personal data, for the audit log: never the address. Each service that holds such data
 * publishes its own.
 */
export const ofPayer = event({
  data: z.object({
    id: z.null(),
    ...{ sessions: count, links: count, payment_attempts: count, transactions: count, disputes: count },
    ...{ approvals: count, webhook_events: count, mails: count, saved_views: count },
  }),
  category: 'admin',
  webhook: false,
  publishers: ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher'],
  consumers: [],
})
