import { portBase } from '../layout/stack-layout.ts'
import { stackFolder } from '../layout/stack-paths.ts'
import { aborted, endSignal, runTask } from '../machine/cli.ts'
import { reportWithSeconds } from '../machine/progress.ts'
import { announceReady, claimStack, releaseStack } from '../stack/stack-lock.ts'
import { startStack } from '../stack/start-stack.ts'
import { stackSummary } from './stack-summary.ts'
import { startDetached } from './start-detached.ts'

/** Starts the local stack and keeps it until a signal says otherwise. */
async function startInForeground(dir: string): Promise<void> {
  const signal = endSignal()
  const report = reportWithSeconds(console.log)
  await claimStack(dir)
  try {
    const running = await startStack({
      dir,
      portBase: portBase(),
      postgresUrl: process.env.POSTGRES_URL || undefined,
      amqpUrl: process.env.AMQP_URL || undefined,
      report,
      signal,
      onCrash: (name, ending) => report(`${name} ${ending}: its log is ${dir}/logs/${name}.log`),
    })
    report('everything is ready')
    console.log(stackSummary(running.stack, dir))
    announceReady(dir)
    await aborted(signal)
    report('stopping')
    await running.stop()
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    releaseStack(dir)
  }
  report('stopped')
}

await runTask(async () => {
  const dir = stackFolder()
  if (process.argv.includes('--detach')) return (await startDetached(dir)) ? 0 : 1
  await startInForeground(dir)
  return 0
})
