import { canInstall, installPackages } from '../machine/apt-get.ts'
import { userError } from '../machine/user-error.ts'
import { findRabbitmq, startNativeRabbitmq } from './native-rabbitmq.ts'
import { canRunRabbitmqImage, startRabbitmqContainer } from './rabbitmq-container.ts'
import type { RabbitmqOptions } from './rabbitmq-options.ts'
import type { BrokerServer } from './server.ts'

/** Starts a private RabbitMQ on 127.0.0.1: an installed one, a container, or one from apt-get. */
export async function startRabbitmq(options: RabbitmqOptions): Promise<BrokerServer> {
  const installed = findRabbitmq()
  if (installed) return startNativeRabbitmq(options, installed)
  if (await canRunRabbitmqImage(options.report)) return startRabbitmqContainer(options)
  if (!(await canInstall()))
    throw userError('RabbitMQ is required: install the package rabbitmq-server, start Docker, or set AMQP_URL.')
  await installPackages(['rabbitmq-server'], options.report)
  const programs = findRabbitmq()
  if (!programs) throw userError('RabbitMQ was installed but not found: set AMQP_URL.')
  return startNativeRabbitmq(options, programs)
}
