import { runCommandOf, type ServiceName } from '@cobro/local'

/** A command that is one of a service's own: it runs beside the service, with its settings, and says itself what came of it. */
export const serviceCommand = (service: ServiceName, command: string) => (args: string[]) =>
  runCommandOf(service, [command, ...args])
