import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { named } from '../fields/pagination.ts'

const partState = z.enum(['ok', 'away'])
export type PartState = z.output<typeof partState>

const health = named(
  'Health',
  z
    .object({
      status: z.enum(['ok', 'degraded']).describe('`degraded` while one of the parts cannot be reached.'),
      services: z.record(z.string(), partState).meta({
        description: 'Each part by its name: `away` while it cannot be reached.',
        examples: [{ gateway: 'ok', postgres: 'ok', rabbitmq: 'ok' }],
      }),
    })
    .describe('The state of the service and its parts.'),
)

/** The health check of the whole deployment. */
export const healthOperations = {
  read: operation({
    id: 'getHealth',
    summary: 'Check the health of the service',
    description: 'Returns the state of the gateway, the services behind it, the database and the broker.',
    service: 'gateway',
    method: 'GET',
    path: '/health',
    tenant: false,
    tag: { name: 'Health', description: 'The state of the service and its parts.' },
    audit: 'api',
    callers: callerSets.anyone,
    // Orchestrators and monitors must get an answer. The gateway closes the connections of an address with hundreds a minute.
    limit: 'none',
    response: health,
  }),
}
