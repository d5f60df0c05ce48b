import { setTimeout as sleep } from 'node:timers/promises'
import { portBase } from '../layout/stack-layout.ts'
import { stackDirectory } from '../layout/stack-paths.ts'
import { runCli, terminationSignal, waitForAbort } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { isHealthy } from '../services/service-program.ts'
import { readStack, type Stack } from '../stack/stack-file.ts'
import { acquireStackLock, markReady, releaseStackLock } from '../stack/stack-lock.ts'
import { startStack } from '../stack/start-stack.ts'
import { stackSummary } from './stack-summary.ts'
import { detachedFlag, startDetached } from './start-detached.ts'

/** Starts the local stack and runs it until a termination signal. Calls `ready` once it is ready. */
async function startInForeground(dir: string, ready: (stack: Stack) => void): Promise<void> {
  const signal = terminationSignal()
  const report = progressReporter(console.log)
  await acquireStackLock(dir)
  try {
    const running = await startStack({
      dir,
      portBase: portBase(),
      postgresUrl: process.env.POSTGRES_URL || undefined,
      amqpUrl: process.env.AMQP_URL || undefined,
      rabbitmqApiUrl: process.env.RABBITMQ_API_URL || undefined,
      report,
      signal,
      onCrash: (name, exitReason) => report(`${name} ${exitReason}: see ${dir}/logs/${name}.log`),
    })
    await untilNoneIsAway(running.stack, signal)
    report('everything is ready')
    ready(running.stack)
    markReady(dir)
    await waitForAbort(signal)
    report('stopping')
    await running.stop()
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    releaseStackLock(dir)
  }
  report('stopped')
}

/** The gateway may have checked a service before that was ready, and reports it as away until the next check. */
async function untilNoneIsAway({ base_url }: Stack, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!signal.aborted && Date.now() < deadline && !(await isHealthy(base_url))) await sleep(50)
}

await runCli(async () => {
  const dir = stackDirectory()
  const printSummary = (stack: Stack) => console.log(stackSummary(stack, dir))
  if (process.argv.includes('--detach')) {
    const stack = (await startDetached(dir)) && readStack()
    if (!stack) return 1
    printSummary(stack)
    return 0
  }
  // The summary has credentials, which must not be in the log of a detached launcher.
  await startInForeground(dir, process.argv.includes(detachedFlag) ? () => undefined : printSummary)
  return 0
})
