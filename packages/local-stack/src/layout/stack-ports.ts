import { freePort, isPortFree } from '../machine/free-port.ts'
import { userError } from '../machine/user-error.ts'
import {
  metricsPortOffset,
  type StackServiceName,
  serverPortOffsets,
  services,
  stackServiceNames,
} from './stack-layout.ts'

/** The ports of a stack: one per service and server. */
export interface StackPorts {
  services: Record<StackServiceName, number>
  postgres: number
  rabbitmq: { amqp: number; node: number; epmd: number }
}

/** The ports of a stack that begin at `base`; without a base, free ones. */
export async function choosePorts(base: number | undefined): Promise<StackPorts> {
  const from = base ?? (await freeBase())
  const ofServices = stackServiceNames.map(name => [name, from + services[name].portOffset])
  const { postgres, amqp, rabbitmqNode, epmd } = serverPortOffsets
  return {
    services: Object.fromEntries(ofServices) as Record<StackServiceName, number>,
    postgres: from + postgres,
    rabbitmq: { amqp: from + amqp, node: from + rabbitmqNode, epmd: from + epmd },
  }
}

const offsets = [
  ...Object.values(services).flatMap(({ portOffset }) => [portOffset, portOffset + metricsPortOffset]),
  ...Object.values(serverPortOffsets),
]

/** A port from which all that a stack needs are free. */
async function freeBase(): Promise<number> {
  for (;;) {
    const base = await freePort()
    const free = await Promise.all(offsets.map(offset => isPortFree(base + offset)))
    if (free.every(Boolean)) return base
  }
}

/** Ports that the Fetch standard forbids, so that neither a browser nor Node would open a page there; of those above 1023. */
const forbiddenPorts = new Set([1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080])

/** Fails when a port cannot be had, because another program listens on it or browsers refuse it, before anything is started. */
export async function checkPorts(wanted: Record<string, number>): Promise<void> {
  const forbidden = Object.values(wanted).find(port => forbiddenPorts.has(port) || (port >= 6665 && port <= 6669))
  if (forbidden)
    throw userError(`Browsers refuse port ${forbidden}: choose others, as in COBRO_PORT_BASE=5000 npm start.`)
  const taken: string[] = []
  for (const [name, port] of Object.entries(wanted)) if (!(await isPortFree(port))) taken.push(`${port} (${name})`)
  if (taken.length === 0) return
  const ports = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`
  throw userError(
    `${ports} in use by another program: stop it, or choose other ports, as in COBRO_PORT_BASE=5000 npm start.`,
  )
}
