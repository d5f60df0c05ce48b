import { plainFault } from './fault.ts'
import { freePort, isFree } from './free-port.ts'
import { type ServiceName, serverPortOffsets, serviceNames, services } from './layout.ts'

/** The ports of a stack: one per service and server. */
export interface StackPorts {
  services: Record<ServiceName, number>
  postgres: number
  rabbitmq: { amqp: number; node: number; epmd: number }
}

/** The ports of a stack that begin at `base`; without a base, free ones. */
export async function choosePorts(base: number | undefined): Promise<StackPorts> {
  const from = base ?? (await freeBase())
  const ofServices = serviceNames.map(name => [name, from + services[name].portOffset])
  const { postgres, amqp, rabbitmqNode, epmd } = serverPortOffsets
  return {
    services: Object.fromEntries(ofServices) as Record<ServiceName, number>,
    postgres: from + postgres,
    rabbitmq: { amqp: from + amqp, node: from + rabbitmqNode, epmd: from + epmd },
  }
}

const offsets = [...Object.values(services).map(service => service.portOffset), ...Object.values(serverPortOffsets)]

/** A port from which all that a stack needs are free. */
async function freeBase(): Promise<number> {
  for (;;) {
    const base = await freePort()
    const free = await Promise.all(offsets.map(offset => isFree(base + offset)))
    if (free.every(Boolean)) return base
  }
}

/** Fails when another program listens on one of the ports, naming it, before anything is started. */
export async function checkPorts(wanted: Record<string, number>): Promise<void> {
  const taken: string[] = []
  for (const [name, port] of Object.entries(wanted)) if (!(await isFree(port))) taken.push(`${port} (${name})`)
  if (taken.length === 0) return
  const ports = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`
  throw plainFault(
    `${ports} in use by another program: stop it, or choose other ports, as in COBRO_PORT_BASE=5000 npm start.`,
  )
}
