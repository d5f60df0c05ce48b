import type { ServiceName } from '@cobro/local'
import { commandFault } from './command-fault.ts'
import { findLauncher } from './launcher.ts'

/** A command that is one of a service's own: it runs beside the service, with its settings, and says itself what came of it. */
export const serviceCommand = (service: ServiceName, command: string) => async (args: string[]) => {
  const launcher = await findLauncher()
  if (!launcher) throw commandFault(`This is a command of the image of ${service}: run that one with ${command}.`)
  return launcher.runCommandOf(service, [command, ...args])
}
