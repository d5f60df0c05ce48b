import { portBase } from '../layout/stack-layout.ts'
import { stackDirectory } from '../layout/stack-paths.ts'
import { runCli, terminationSignal, waitForAbort } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { acquireStackLock, markReady, releaseStackLock } from '../stack/stack-lock.ts'
import { startStack } from '../stack/start-stack.ts'
import { stackSummary } from './stack-summary.ts'
import { startDetached } from './start-detached.ts'

/** Starts the local stack and runs it until a termination signal. */
async function startInForeground(dir: string): Promise<void> {
  const signal = terminationSignal()
  const report = progressReporter(console.log)
  await acquireStackLock(dir)
  try {
    const running = await startStack({
      dir,
      portBase: portBase(),
      postgresUrl: process.env.POSTGRES_URL || undefined,
      amqpUrl: process.env.AMQP_URL || undefined,
      report,
      signal,
      onCrash: (name, exitReason) => report(`${name} ${exitReason}: see ${dir}/logs/${name}.log`),
    })
    report('everything is ready')
    console.log(stackSummary(running.stack, dir))
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

await runCli(async () => {
  const dir = stackDirectory()
  if (process.argv.includes('--detach')) return (await startDetached(dir)) ? 0 : 1
  await startInForeground(dir)
  return 0
})
