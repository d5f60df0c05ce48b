import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@cobro/local-stack'
import { joinSockets } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

/** A load balancer in front of the replicas of a service, like an orchestrator's. */
export interface LoadBalancer {
  url: string
  /** Sets the URLs of the replicas. Until then it closes every connection. */
  setReplicas: (replicas: readonly string[]) => void
  /** Waits until a round of readiness checks that starts after this call leaves all replicas ready. */
  waitUntilAllReady: () => Promise<void>
  close: () => Promise<void>
}

const checkIntervalMs = 250
const checkTimeoutMs = 1_000

/**
 * Starts a TCP load balancer. It sends each connection to the next ready replica, and waits a quarter of a second between
 * two rounds of readiness checks. It neither retries requests nor closes connections.
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
    joinSockets(inner, connect(Number(port), hostname), sockets)
  })
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  let rounds = 0
  const checkReplicas = async () => {
    const checks = replicas.map(async replica => {
      const signal = AbortSignal.timeout(checkTimeoutMs)
      replica.ready = await fetch(`${replica.url}/health/ready`, { signal }).then(
        response => response.ok,
        // A replica that does not respond in time is busy. One that stops refuses the connection.
        () => signal.aborted && replica.ready,
      )
    })
    await Promise.all(checks)
    rounds++
  }
  const checking = (async () => {
    while (!closed) {
      await checkReplicas()
      await sleep(checkIntervalMs)
    }
  })()
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    setReplicas: urls => {
      replicas = urls.map(url => ({ url, ready: false }))
    },
    waitUntilAllReady: async () => {
      // The current round may have started before this call.
      const target = rounds + 2
      await waitFor(() => rounds >= target && replicas.every(replica => replica.ready))
    },
    close: async () => {
      closed = true
      for (const socket of sockets) socket.destroy()
      server.close()
      await checking
    },
  }
}
