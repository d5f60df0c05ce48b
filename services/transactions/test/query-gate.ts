import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A point at which the process waits for a server, and how many times it has waited there before. */
export interface Step {
  label: string
  nth: number
}

/** Where a process is to die, with that step done or not. */
export interface Doom extends Step {
  done: boolean
  kill: () => void
}

/**
 * A door before PostgreSQL that notes the statements of who comes through, which are the moments at which it waits. What it
 * waits for elsewhere is noted by `pass`.
 */
export async function statementGate(targetUrl: string) {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let doom: Doom | undefined
  let passed: Step[] | undefined

  /** Notes a step. Gives what is to become of it: it goes on, or its process dies before or after it. */
  const pass = (label: string): 'go' | 'before' | 'after' => {
    const nth = 1 + (passed?.filter(step => step.label === label).length ?? 0)
    passed?.push({ label, nth })
    if (doom?.label !== label || doom.nth !== nth) return 'go'
    const { done, kill } = doom
    doom = undefined
    kill()
    return done ? 'after' : 'before'
  }
  const server = createServer(inner => {
    const outer = connect(Number(target.port), target.hostname)
    sockets.add(inner).add(outer)
    inner.on('data', chunk => {
      // A kind and a length come before what is to be done, and where it bears values apart its name, which is empty.
      const said = chunk.subarray(5).toString('latin1')
      const statement = /^\0?\s*(begin|commit|(select|insert|update|delete|with)\s[^\0]*)/i.exec(said)?.[1]
      const fate = statement ? pass(labelOf(statement)) : 'go'
      if (fate === 'before') return void outer.destroy()
      outer.write(chunk)
      // The server executes the query, but its answer never arrives.
      if (fate === 'after') outer.end()
    })
    outer.pipe(inner)
    inner.on('error', () => inner.destroy()).on('close', () => outer.end())
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    pass,
    /** Starts recording steps. Kills the process at the given step, if any. */
    watch: (next?: Doom) => {
      passed = []
      doom = next
    },
    /** Ends it, and gives the steps that were passed. */
    unwatch: () => {
      const steps = passed ?? []
      doom = undefined
      passed = undefined
      return steps
    },
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** A statement's beginning, without the values in it: the same each time that it is made. */
function labelOf(statement: string): string {
  return statement
    .replaceAll(/'[^']*('|$)/g, '?')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 90)
}
