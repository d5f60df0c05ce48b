import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findExecutable, findOnPath } from '../machine/executables.ts'
import { startProcess } from '../machine/managed-process.ts'
import { runCommand } from '../machine/run-command.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { type RabbitmqOptions, readyBroker } from './rabbitmq-options.ts'
import type { BrokerServer } from './server.ts'

interface RabbitmqPrograms {
  server: string
  epmd: string
}

/** Finds RabbitMQ. Debian's command on PATH switches user, so the script behind it comes first. */
export function findRabbitmq(): RabbitmqPrograms | undefined {
  const server = findExecutable(['/usr/lib/rabbitmq/bin/rabbitmq-server']) ?? findOnPath('rabbitmq-server')
  const epmd = findOnPath('epmd')
  return server && epmd ? { server, epmd } : undefined
}

/** Starts the machine's own RabbitMQ as a separate node. */
export async function startNativeRabbitmq(options: RabbitmqOptions, programs: RabbitmqPrograms): Promise<BrokerServer> {
  const { dir, logFile, ports, password } = options
  await mkdir(join(dir, 'home'), { recursive: true, mode: 0o700 })
  await writeConfiguration(dir, ports, password)
  const env = environment(options)
  // Erlang would start its port mapper as a daemon that keeps running. Started here first, it stops with the server.
  const epmd = await startProcess({ name: 'epmd', command: programs.epmd, args: [], env, logFile })
  const server = await startProcess({ name: 'RabbitMQ', command: programs.server, args: [], env, logFile, cwd: dir })
  const stop = async () => {
    await server.stop({ timeoutMs: 20_000 })
    await epmd.stop()
  }
  const rabbitmqctl = join(dirname(programs.server), 'rabbitmqctl')
  const control = (args: string[]) => runCommand(rabbitmqctl, args, { env, cwd: dir, timeoutMs: 30_000 })
  const crash = async () => {
    await waitForAll([server.crash(), epmd.crash()])
  }
  return readyBroker(options, { processes: [epmd, server], stop, crash, control }, server)
}

async function writeConfiguration(dir: string, ports: RabbitmqOptions['ports'], password: string): Promise<void> {
  const lines = [
    `listeners.tcp.default = 127.0.0.1:${ports.amqp}`,
    'management.tcp.ip = 127.0.0.1',
    `management.tcp.port = ${ports.api}`,
    // Only the logins are managed here. Collecting statistics would take processor time.
    'management_agent.disable_metrics_collector = true',
    'default_user = cobro',
    `default_pass = ${password}`,
  ]
  await writeFile(join(dir, 'rabbitmq.conf'), `${lines.join('\n')}\n`, { mode: 0o600 })
  await writeFile(join(dir, 'enabled_plugins'), '[rabbitmq_management].\n')
}

/** Isolates the node: own name, ports, port mapper, cookie and directories, on loopback only. */
function environment({ dir, ports, logFile }: RabbitmqOptions): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: join(dir, 'home'),
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'cobro@localhost',
    RABBITMQ_DIST_PORT: String(ports.node),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_MNESIA_BASE: join(dir, 'data'),
    RABBITMQ_LOGS: logFile,
    RABBITMQ_LOG_BASE: join(dir, 'log'),
    RABBITMQ_SCHEMA_DIR: join(dir, 'schema'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(dir, 'schema'),
    RABBITMQ_PID_FILE: join(dir, 'rabbitmq.pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'enabled_plugins'),
    RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(dir, 'advanced.config'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
  }
}
