import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@cobro/local-stack'
import { waitFor } from './wait-for.ts'

/** Stands before the replicas of a service as an orchestrator's does. */
export interface LoadBalancer {
  url: string
  /** The replicas' addresses. Until they are known nothing is passed on. */
  setReplicas: (replicas: readonly string[]) => void
  /** Waits until a look that began from now on has found all replicas ready. */
  waitUntilAllReady: () => Promise<void>
  close: () => Promise<void>
}

const lookEveryMs = 250

/**
 * Opens a balancer of connections: each goes to the next replica that said it was ready when it was last looked at, which is
 * four times a second. It knows nothing of calls, makes none anew, and cuts no connection.
 */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const sockets = new Set<Socket>()
  let replicas: { url: string; ready: boolean }[] = []
  let closed = false
  let turn = 0
  const server = createServer(inner => {
    const ready = replicas.filter(replica => replica.ready)
    const next = ready[turn++ % ready.length]
    if (!next) return void inner.destroy()
    const { port, hostname } = new URL(next.url)
    const outer = connect(Number(port), hostname)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  let looks = 0
  const look = async () => {
    for (const replica of replicas) {
      const signal = AbortSignal.timeout(lookEveryMs)
      replica.ready = await fetch(`${replica.url}/health/ready`, { signal }).then(
        answer => answer.ok,
        () => false,
      )
    }
    looks++
  }
  const looking = (async () => {
    while (!closed) {
      await look()
      await sleep(lookEveryMs)
    }
  })()
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    setReplicas: urls => {
      replicas = urls.map(url => ({ url, ready: false }))
    },
    waitUntilAllReady: async () => {
      // The look that is going on may have begun before.
      const enough = looks + 2
      await waitFor(() => looks >= enough && replicas.every(replica => replica.ready), { timeoutMs: 30_000 })
    },
    close: async () => {
      closed = true
      for (const socket of sockets) socket.destroy()
      server.close()
      await looking
    },
  }
}
