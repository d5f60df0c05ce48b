import { userError } from '../machine/user-error.ts'

/** The schemas of the database, one for each service that owns data. */
export const schemas = ['gateway', 'checkout', 'transactions', 'webhooks', 'audit', 'acquirer_sandbox'] as const

export type Schema = (typeof schemas)[number]

/** The services by the name of their folder, in the order of their ports. */
export const services = {
  gateway: { schema: 'gateway', portOffset: 0 },
  checkout: { schema: 'checkout', portOffset: 1 },
  transactions: { schema: 'transactions', portOffset: 2 },
  'webhooks-dispatcher': { schema: 'webhooks', portOffset: 3 },
  'audit-log': { schema: 'audit', portOffset: 4 },
  'acquirer-sandbox': { schema: 'acquirer_sandbox', portOffset: 5 },
} as const satisfies Record<string, { schema: Schema; portOffset: number }>

export type StackServiceName = keyof typeof services

export const stackServiceNames = Object.keys(services) as StackServiceName[]

/** How far behind its own port a service has the one that its figures are read from. */
export const metricsPortOffset = 10

/** The servers' ports, counted like the services' from the gateway's. Erlang's port mapper and node each need one too. */
export const serverPortOffsets = { postgres: 32, amqp: 72, rabbitmqNode: 73, epmd: 74 } as const

/** The gateway's port, from which all others are counted. */
export function portBase(): number {
  const base = Number(process.env.COBRO_PORT_BASE || 4000)
  if (Number.isInteger(base) && base >= 1024 && base <= 65_000) return base
  throw userError('COBRO_PORT_BASE has to be a whole number from 1024 to 65000.')
}
