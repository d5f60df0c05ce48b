import { userError } from '../machine/user-error.ts'

/** The database schemas, one per service. */
export const schemas = ['gateway', 'checkout', 'transactions', 'webhooks', 'audit', 'acquirer_sandbox'] as const

export type Schema = (typeof schemas)[number]

/** The services, keyed by directory name and in port order. */
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

/** A service exposes its metrics on its own port plus this offset. */
export const metricsPortOffset = 10

/** Ports relative to the gateway's. RabbitMQ also needs two for Erlang's node and port mapper. */
export const serverPortOffsets = { postgres: 32, amqp: 72, rabbitmqNode: 73, epmd: 74, rabbitmqApi: 75 } as const

/** Returns the gateway's port. All other ports are offsets from it. */
export function portBase(): number {
  const base = Number(process.env.COBRO_PORT_BASE || 4000)
  if (Number.isInteger(base) && base >= 1024 && base <= 65_000) return base
  throw userError('COBRO_PORT_BASE must be a whole number from 1024 to 65000.')
}
