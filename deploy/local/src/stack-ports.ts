import { plainFault } from './fault.ts'
import { freePort, isFree } from './free-port.ts'
import { type ServiceName, serverPortOffsets, serviceNames, services } from './layout.ts'

/** The ports of a stack: one per service and server. */
export interface StackPorts {
  services: Record<ServiceName, number>
  postgres: number
  rabbitmq: { amqp: number; node: number; epmd: number }
}

/** The ports of a stack that begin at `base`; without a base, free ones anywhere. */
export async function choosePorts(base: number | undefined): Promise<StackPorts> {
  const choose = (offset: number) => (base === undefined ? freePort() : base + offset)
  const ofServices = serviceNames.map(async name => [name, await choose(services[name].portOffset)] as const)
  const { postgres, amqp, rabbitmqNode, epmd } = serverPortOffsets
  return {
    services: Object.fromEntries(await Promise.all(ofServices)) as Record<ServiceName, number>,
    postgres: await choose(postgres),
    rabbitmq: { amqp: await choose(amqp), node: await choose(rabbitmqNode), epmd: await choose(epmd) },
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
