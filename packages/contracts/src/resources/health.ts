import { z } from 'zod'
import { operation } from '../operation.ts'

export const healthOperations = {
  read: operation({
    id: 'getHealth',
    summary: 'How the system is: degraded while a part of it is away',
    service: 'gateway',
    method: 'GET',
    path: '/health',
    tenant: false,
    response: z.object({
      status: z.enum(['ok', 'degraded']),
      services: z.record(z.string(), z.enum(['ok', 'away'])),
    }),
  }),
}
