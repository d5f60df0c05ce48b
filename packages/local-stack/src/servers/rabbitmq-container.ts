import { createHash } from 'node:crypto'
import { hasImage } from '../machine/docker-image.ts'
import { findOnPath } from '../machine/executables.ts'
import { startProcess } from '../machine/managed-process.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { type RabbitmqOptions, readyBroker } from './rabbitmq-options.ts'
import type { BrokerServer } from './server.ts'

const image = 'rabbitmq:4-management'

/** Returns whether Docker has RabbitMQ's image or can pull it. */
export async function canRunRabbitmqImage(report: ReportProgress): Promise<boolean> {
  if (await hasImage(image)) return true
  if (!findOnPath('docker') || !(await runCommand('docker', ['version'], { timeoutMs: 5_000 })).ok) return false
  report(`pulling the Docker image ${image}`)
  return (await runCommand('docker', ['pull', '--quiet', image], { timeoutMs: 300_000 })).ok
}

/** Returns the name of the container and of the volume with its queues. */
const containerName = (dir: string) => `cobro-rabbitmq-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`

/** Starts RabbitMQ in a container that is removed when it stops. Its queues stay in a volume. */
export async function startRabbitmqContainer(options: RabbitmqOptions): Promise<BrokerServer> {
  const { dir, ports, password, logFile } = options
  const name = containerName(dir)
  await runCommand('docker', ['rm', '--force', name])
  const published = [`127.0.0.1:${ports.amqp}:5672`, `127.0.0.1:${ports.api}:15672`].flatMap(port => [
    '--publish',
    port,
  ])
  const args = ['run', '--rm', '--name', name, '--hostname', 'cobro', ...published]
  const volume = ['--volume', `${name}:/var/lib/rabbitmq`]
  const account = ['--env', 'RABBITMQ_DEFAULT_USER=cobro', '--env', 'RABBITMQ_DEFAULT_PASS']
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DOCKER_HOST: process.env.DOCKER_HOST,
    RABBITMQ_DEFAULT_PASS: password,
  }
  const run = [...args, ...volume, ...account, image]
  const client = await startProcess({ name: 'RabbitMQ', command: 'docker', args: run, env, logFile })
  const stop = async () => {
    await runCommand('docker', ['stop', '--time', '20', name])
    await client.stop()
  }
  const control = (args: string[]) => runCommand('docker', ['exec', name, 'rabbitmqctl', ...args])
  const crash = async () => {
    await runCommand('docker', ['kill', name])
    await client.exited
  }
  return readyBroker(options, { processes: [client], stop, crash, control }, client)
}

/** Deletes the volume with the queues of a container. */
export async function removeRabbitmqVolume(dir: string): Promise<void> {
  if (findOnPath('docker'))
    await runCommand('docker', ['volume', 'rm', '--force', containerName(dir)], { timeoutMs: 20_000 })
}
