import { freePortBase, isPortFree } from '../machine/free-port.ts'
import { userError } from '../machine/user-error.ts'
import {
  metricsPortOffset,
  type StackServiceName,
  serverPortOffsets,
  services,
  stackServiceNames,
} from './stack-layout.ts'

/** The ports of a stack's services and servers. */
export interface StackPorts {
  services: Record<StackServiceName, number>
  postgres: number
  rabbitmq: { amqp: number; node: number; epmd: number; api: number }
}

/** Returns the ports of a stack that start at `base`, or free ports if `base` is undefined. */
export async function choosePorts(base: number | undefined): Promise<StackPorts> {
  const first = base ?? (await freePortBase(offsets))
  const ofServices = stackServiceNames.map(name => [name, first + services[name].portOffset])
  const { postgres, amqp, rabbitmqNode, epmd, rabbitmqApi } = serverPortOffsets
  return {
    services: Object.fromEntries(ofServices) as Record<StackServiceName, number>,
    postgres: first + postgres,
    rabbitmq: { amqp: first + amqp, node: first + rabbitmqNode, epmd: first + epmd, api: first + rabbitmqApi },
  }
}

const offsets = [
  ...Object.values(services).flatMap(({ portOffset }) => [portOffset, portOffset + metricsPortOffset]),
  ...Object.values(serverPortOffsets),
]

/** The Fetch standard's bad ports above 1023. Browsers and Node's fetch do not connect to them. */
const forbiddenPorts = new Set([1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080])

/** Throws if a program uses a port or browsers refuse it. Call this before starting anything. */
export async function checkPorts(wanted: Record<string, number>): Promise<void> {
  const forbidden = Object.values(wanted).find(port => forbiddenPorts.has(port) || (port >= 6665 && port <= 6669))
  if (forbidden)
    throw userError(
      `Browsers refuse to connect to port ${forbidden}: choose other ports, as in COBRO_PORT_BASE=5000 npm start.`,
    )
  const taken: string[] = []
  for (const [name, port] of Object.entries(wanted)) if (!(await isPortFree(port))) taken.push(`${port} (${name})`)
  if (taken.length === 0) return
  const ports = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`
  throw userError(
    `${ports} in use by another program: stop it, or choose other ports, as in COBRO_PORT_BASE=5000 npm start.`,
  )
}
