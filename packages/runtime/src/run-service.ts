import { commonSettings } from './config/config.ts'
import { shutdownTelemetry } from './observability/correlation.ts'
import { createLogger, type Logger } from './observability/logger.ts'

type Release = () => Promise<unknown> | unknown

/** Registers a function that releases what the start acquired. A stop calls them in reverse. */
export type OnStop = (release: Release) => void

interface ServiceTasks {
  /** Starts the service. It is stopped in the reverse order. */
  start: (onStop: OnStop, logger: Logger) => Promise<void>
  /** Other commands by name (`node main.js migrate`). The process exits when the command ends. */
  [command: string]: (onStop: OnStop, logger: Logger) => Promise<void>
}

/** Longer than any payment call may take, including its messages. The drain time is added to it. */
const stopDeadlineMs = 40_000

/**
 * Runs a process: the command in its first argument, or `start`. SIGTERM and SIGINT stop it in
 * reverse order within 40 s plus the drain time, with exit code 0. A failed start releases all and exits with 1.
 */
export async function runService(name: string, tasks: ServiceTasks): Promise<void> {
  // An invalid level is reported by readConfig, together with all other configuration errors.
  const logger = createLogger(name, commonSettings.shape.LOG_LEVEL.catch('info').parse(process.env.LOG_LEVEL))
  const command = process.argv[2] ?? 'start'
  const task = Object.hasOwn(tasks, command) ? tasks[command] : undefined
  const releases: Release[] = []
  if (!task) return exit(logger, 1, `unknown command ${command}: expected one of ${Object.keys(tasks).join(', ')}`)

  let stopping: Promise<void> | undefined
  const drainMs = commonSettings.shape.DRAIN_MS.catch(0).parse(process.env.DRAIN_MS)
  const stop = (code: number) =>
    (stopping ??= stopInOrder(releases, drainMs + stopDeadlineMs, logger).then(() => exit(logger, code)))
  process.on('unhandledRejection', error => crash(logger, error))
  process.on('uncaughtException', error => crash(logger, error))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))

  try {
    await task(release => releases.push(release), logger)
  } catch (error) {
    logger.fatal({ err: error }, `${command} failed`)
    return stop(1)
  }
  if (command === 'start') logger.info('started')
  else await stop(0)
}

async function stopInOrder(releases: Release[], timeoutMs: number, logger: Logger): Promise<void> {
  const deadline = setTimeout(() => exit(logger, 1, 'did not stop in time'), timeoutMs)
  for (const release of releases.toReversed()) {
    try {
      await release()
    } catch (error) {
      logger.error({ err: error }, 'a step of the stop failed')
    }
  }
  await shutdownTelemetry()
  clearTimeout(deadline)
}

/** Exits, since an uncaught error leaves an unknown state. The supervisor restarts the process. */
function crash(logger: Logger, error: unknown): void {
  logger.fatal({ err: error }, 'uncaught error')
  process.exit(1)
}

function exit(logger: Logger, code: number, reason?: string): void {
  if (reason) logger.error(reason)
  process.exit(code)
}
