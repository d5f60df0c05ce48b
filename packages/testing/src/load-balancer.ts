import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinSockets } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

/** A load balancer in front of the replicas of a service, like an orchestrator's. */
export interface LoadBalancer {
  url: string
  /** Sets the URLs of the replicas. Until then it closes every connection. */
  setReplicas: (replicas: readonly string[]) => void
  /** Waits until all replicas are ready after readiness checks that started after this call. */
  waitUntilAllReady: () => Promise<void>
  close: () => Promise<void>
}

interface Replica {
  url: string
  ready: boolean
  /** How many readiness checks it has answered or refused. */
  checks: number
}

const checkIntervalMs = 250

/**
 * Starts a TCP load balancer that sends each connection to the next ready replica.
 * Waits 250 ms between two readiness checks of a replica. Neither retries requests nor closes connections.
 */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const sockets = new Set<Socket>()
  const closing = new AbortController()
  let replicas: Replica[] = []
  let turn = 0
  const server = createServer(inner => {
    const ready = replicas.filter(replica => replica.ready)
    const next = ready[turn++ % ready.length]
    if (!next) return void inner.destroy()
    const { port, hostname } = new URL(next.url)
    joinSockets(inner, connect(Number(port), hostname), sockets)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  /** Has no time limit: late responses mean a busy replica. One that stops refuses connections. */
  const isReady = ({ url }: Replica) =>
    fetch(`${url}/health/ready`, { signal: closing.signal }).then(
      response => response.ok,
      () => false,
    )
  // Each replica has its own checks, so that a busy one does not delay those of the others.
  const keepChecking = async (replica: Replica) => {
    while (!closing.signal.aborted && replicas.includes(replica)) {
      replica.ready = await isReady(replica)
      replica.checks++
      await sleep(checkIntervalMs)
    }
  }
  const checking: Promise<void>[] = []
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    setReplicas: urls => {
      replicas = urls.map(url => ({ url, ready: false, checks: 0 }))
      checking.push(...replicas.map(keepChecking))
    },
    waitUntilAllReady: async () => {
      // The current check may have started before this call.
      const targets = replicas.map(replica => ({ replica, checks: replica.checks + 2 }))
      await waitFor(() => targets.every(({ replica, checks }) => replica.ready && replica.checks >= checks))
    },
    close: async () => {
      closing.abort()
      for (const socket of sockets) socket.destroy()
      server.close()
      await Promise.all(checking)
    },
  }
}
