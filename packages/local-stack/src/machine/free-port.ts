import { createSocket } from 'node:dgram'
import { connect } from 'node:net'

/** Linux assigns ports from 32768 to outgoing connections, so servers use lower ones. */
const lowest = 20_000
const highest = 32_000

/** How long a server that accepts no connections may take to show that it exists. */
const answerWithinMs = 1_000

/**
 * Returns whether no server listens on this port of 127.0.0.1. Tries to connect: if it listened itself,
 * a child process that another thread starts at that moment would keep the port in use after the close, until it executes its program.
 */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', timeout: answerWithinMs })
    const end = (isFree: boolean) => {
      socket.destroy()
      resolve(isFree)
    }
    socket.once('connect', () => end(false))
    socket.once('timeout', () => end(false))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'))
  })
}

/**
 * Returns a free port below 32768. No other call returns it until this process ends, also not in another process:
 * between the choice of a port and its use, a second process could choose it or test whether it is free.
 */
export function freePort(): Promise<number> {
  return freePortBase([0])
}

/** Returns a port from which the ports at all these distances are free, as those of `freePort` are. */
export async function freePortBase(
  offsets: readonly number[],
  range = { lowest, highest: highest - Math.max(...offsets) },
): Promise<number> {
  for (;;) {
    const base = range.lowest + Math.floor(Math.random() * (range.highest - range.lowest))
    if (await canReserve(offsets.map(offset => base + offset))) return base
  }
}

async function canReserve(ports: readonly number[]): Promise<boolean> {
  const releases: (() => void)[] = []
  for (const port of ports) {
    const release = await reserve(port)
    if (release) releases.push(release)
    if (release && (await isPortFree(port))) continue
    for (const give of releases) give()
    return false
  }
  return true
}

/** Takes the UDP port of this number, which nothing else uses and which the system frees when the process ends. */
function reserve(port: number): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close()
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(() => socket.close()))
  })
}
