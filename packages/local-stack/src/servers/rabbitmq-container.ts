import { createHash } from 'node:crypto'
import { hasImage } from '../machine/docker-image.ts'
import { findOnPath } from '../machine/executables.ts'
import { startProcess, waitUntilReady } from '../machine/managed-process.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { speaksAmqp } from './amqp-probe.ts'
import { closeAllConnections, type RabbitmqOptions } from './rabbitmq-options.ts'
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
export async function startRabbitmqContainer({
  dir,
  ports,
  password,
  logFile,
  signal,
}: RabbitmqOptions): Promise<BrokerServer> {
  const name = containerName(dir)
  await runCommand('docker', ['rm', '--force', name])
  const args = ['run', '--rm', '--name', name, '--hostname', 'cobro', '--publish', `127.0.0.1:${ports.amqp}:5672`]
  const volume = ['--volume', `${name}:/var/lib/rabbitmq`]
  const account = ['--env', 'RABBITMQ_DEFAULT_USER=cobro', '--env', 'RABBITMQ_DEFAULT_PASS']
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DOCKER_HOST: process.env.DOCKER_HOST,
    RABBITMQ_DEFAULT_PASS: password,
  }
  const client = await startProcess({
    name: 'RabbitMQ',
    command: 'docker',
    args: [...args, ...volume, ...account, image],
    env,
    logFile,
  })
  const stop = async () => {
    await runCommand('docker', ['stop', '--time', '20', name])
    await client.stop()
  }
  try {
    await waitUntilReady(client, { isReady: () => speaksAmqp(ports.amqp), timeoutMs: 90_000, logFile, signal })
  } catch (error) {
    await stop()
    throw error
  }
  const closeConnections = async () => {
    const closed = await runCommand('docker', ['exec', name, 'rabbitmqctl', ...closeAllConnections])
    if (!closed.ok) throw userError(`RabbitMQ could not close its connections: ${closed.stderr.trim()}`)
  }
  const crash = async () => {
    await runCommand('docker', ['kill', name])
    await client.exited
  }
  const url = `amqp://cobro:${password}@127.0.0.1:${ports.amqp}`
  return { url, processes: [client], stop, crash, closeConnections }
}

/** Deletes the volume with the queues of a container. */
export async function removeRabbitmqVolume(dir: string): Promise<void> {
  if (findOnPath('docker'))
    await runCommand('docker', ['volume', 'rm', '--force', containerName(dir)], { timeoutMs: 20_000 })
}
