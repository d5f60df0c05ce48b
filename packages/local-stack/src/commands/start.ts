import { setTimeout as sleep } from 'node:timers/promises'
import { readDemoShop } from '../demo-shop/demo-shop-file.ts'
import { demoShopLogin } from '../demo-shop/load-demo-shop.ts'
import { portBase } from '../layout/stack-layout.ts'
import { stackDirectory } from '../layout/stack-paths.ts'
import { runCli, terminationSignal, waitForAbort } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { loadSecrets } from '../services/secrets.ts'
import { isHealthy } from '../services/service-program.ts'
import { readStack, type Stack } from '../stack/stack-file.ts'
import { acquireStackLock, markReady, releaseStackLock } from '../stack/stack-lock.ts'
import { startStack } from '../stack/start-stack.ts'
import { loadInBackground } from './load-in-background.ts'
import { stackSummary } from './stack-summary.ts'
import { detachedFlag, startDetached } from './start-detached.ts'

/** Leaves the demo shop out. */
const emptyFlag = '--empty'

interface ForegroundStart {
  dir: string
  /** Whether the past of the demo shop is loaded once the stack is ready. */
  withDemoShop: boolean
  ready: (stack: Stack) => Promise<void>
}

/** Starts the local stack and runs it until a termination signal. Calls `ready` once it is ready. */
async function startInForeground({ dir, withDemoShop, ready }: ForegroundStart): Promise<void> {
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
    await ready(running.stack)
    markReady(dir)
    const loading = withDemoShop && loadInBackground({ dir, hostedUrl: running.stack.hosted_url, signal, report })
    await waitForAbort(signal)
    report('stopping')
    await loading
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

/** Returns the login of the demo shop, unless this stack was never to have one. */
async function shopUserOf(dir: string, withDemoShop: boolean) {
  return withDemoShop || readDemoShop(dir) ? demoShopLogin(await loadSecrets(dir)) : undefined
}

await runCli(async () => {
  const dir = stackDirectory()
  const withDemoShop = !process.argv.includes(emptyFlag)
  if (process.argv.includes('--detach')) {
    const stack = (await startDetached(dir, withDemoShop ? [] : [emptyFlag])) && readStack()
    if (!stack) return 1
    console.log(stackSummary(stack, dir, await shopUserOf(dir, withDemoShop)))
    return 0
  }
  // The summary has credentials, which must not be in the log of a detached launcher.
  const silent = process.argv.includes(detachedFlag)
  const printSummary = async (stack: Stack) =>
    console.log(stackSummary(stack, dir, await shopUserOf(dir, withDemoShop)))
  await startInForeground({ dir, withDemoShop, ready: silent ? () => Promise.resolve() : printSummary })
  return 0
})
