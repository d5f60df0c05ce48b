import { once } from 'node:events'
import type { Caller } from '@cobro/contracts'
import { freePort, waitFor } from '@cobro/testing'
import { startProcess } from './dispatcher-process.ts'
import { callService, type World } from './dispatcher-service.ts'

/** A replica in a process of its own, at an address that it keeps when it is started again. */
export async function killableReplica(world: World, settings: Record<string, string> = {}) {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const isReady = async () => {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
    return answer?.ok === true
  }
  const spawn = (script: string, env: Record<string, string>) => {
    const child = startProcess(world.config, { script, env: { ...settings, PORT: port, ...env } })
    return { child, exited: once(child, 'exit') }
  }
  let current: ReturnType<typeof spawn> | undefined
  const hasEnded = () => !current || current.child.exitCode !== null || current.child.signalCode !== null
  const end = async (signal: NodeJS.Signals) => {
    if (!current || hasEnded()) return
    current.child.kill(signal)
    await current.exited
  }
  return {
    /** Starts it, or `script`, and waits until it answers calls or has been killed. */
    start: async (env: Record<string, string> = {}, script = 'src/main.ts') => {
      const started = spawn(script, env)
      current = started
      await waitFor(async () => hasEnded() || (await isReady()))
      return started
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    /** Makes one call. Rejects while it is away. */
    call: (caller: Caller, path: string, body: object, headers: Record<string, string>) =>
      callService(url, { method: 'POST', path, body, headers, identity: world.headers(caller) }),
  }
}
