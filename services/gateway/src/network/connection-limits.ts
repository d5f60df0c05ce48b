import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { meter } from '@cobro/runtime'
import { LRUCache } from 'lru-cache'
import { addressBucket, addressGroup } from './address-group.ts'
import { clientAddress } from './client-address.ts'
import { type IpRange, isInRanges } from './ip-ranges.ts'

const closed = meter.createCounter('cobro_connections_closed_total', {
  description:
    'Connections closed before a request was read, because their address has too many or was rejected too often',
})

// A series that starts with its first count shows no increase.
closed.add(0)

interface ConnectionLimitDeps {
  /** Counts rejected calls of an address, and returns the milliseconds until the window ends if they exceed a limit. */
  limits: { exceeds: (kind: 'rejected', bucket: string) => Promise<number | undefined> }
  /** How many connections of one address may be open. */
  perAddress: number
  /** Proxies, whose connections have many clients and are not limited. */
  trustedProxies: readonly IpRange[]
}

interface ClientSocket {
  remoteAddress?: string | undefined
}

/** A network of IPv6 has any number of addresses. */
const maxBlocked = 100_000

export type ConnectionLimits = ReturnType<typeof connectionLimits>

/**
 * Closes connections before a request is read: those beyond the limit of an address, and all of an
 * address that keeps calling although its calls are rejected. Every call that is read is recorded, so this limits how
 * fast a stranger can fill the audit log.
 */
export function connectionLimits({ limits, perAddress, trustedProxies }: ConnectionLimitDeps) {
  const open = new Map<string, number>()
  const blockedUntilMs = new LRUCache<string, number>({ max: maxBlocked })

  const isBlocked = (group: string) => {
    const until = blockedUntilMs.get(group)
    if (until === undefined || until > Date.now()) return until !== undefined
    blockedUntilMs.delete(group)
    return false
  }
  const accepts = (socket: Socket): boolean => {
    const address = clientAddress([], { socket: socket.remoteAddress })
    if (address === null || isInRanges(trustedProxies, address)) return true
    const group = addressGroup(address)
    const count = open.get(group) ?? 0
    if (count >= perAddress || isBlocked(group)) return false
    open.set(group, count + 1)
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1
      if (left > 0) open.set(group, left)
      else open.delete(group)
    })
    return true
  }
  const count = async (bucket: string, ip: string | null, socket: ClientSocket): Promise<boolean> => {
    const msBeforeNext = await limits.exceeds('rejected', bucket)
    if (msBeforeNext === undefined) return false
    const group = addressGroup(ip)
    blockedUntilMs.set(group, Date.now() + msBeforeNext)
    return group === addressGroup(clientAddress([], { socket: socket.remoteAddress }))
  }
  return {
    /** Closes connections of a server that exceed the limits. */
    guard: (server: Server): void => {
      server.on('connection', socket => {
        if (accepts(socket)) return
        closed.add(1)
        socket.destroy()
      })
    },
    /**
     * Counts a call that was rejected without regard to its content. Beyond the limit, closes new
     * connections of the client's address until the window ends. Returns whether to close the one of the call, too.
     */
    countRejected: (ip: string | null, socket: ClientSocket): Promise<boolean> => count(addressBucket(ip), ip, socket),
    /** Does the same with a health check, separately: it is never rejected, and recorded like any other call. */
    countHealthCheck: (ip: string | null, socket: ClientSocket): Promise<boolean> =>
      count(`health ${addressBucket(ip)}`, ip, socket),
  }
}
