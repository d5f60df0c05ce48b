import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A query or call that a process waits for. `nth` counts those of the same label from 1. */
export interface Step {
  label: string
  nth: number
}

/** The step before or after which (`done`) the process is killed. */
export interface Kill extends Step {
  done: boolean
  killProcess: () => void
}

/**
 * A proxy for PostgreSQL that records a process's queries, prepared ones too, and can kill it before or after one.
 * Records a commit with the first query of its transaction. Callers of `pass` record other steps.
 */
export async function queryGate(targetUrl: string) {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let kill: Kill | undefined
  let killed = false
  let passed: Step[] | undefined

  /** Records a step. Returns whether it continues, or the process was killed before or after it. */
  const pass = (label: string): 'go' | 'before' | 'after' => {
    const nth = 1 + (passed?.filter(step => step.label === label).length ?? 0)
    passed?.push({ label, nth })
    if (kill?.label !== label || kill.nth !== nth) return 'go'
    const { done, killProcess } = kill
    kill = undefined
    killed = true
    killProcess()
    return done ? 'after' : 'before'
  }
  const server = createServer(inner => {
    const outer = connect(Number(target.port), target.hostname)
    const split = messageSplitter()
    const statementOf = statementReader()
    // The first query of the connection's transaction, which names its commit: other tasks commit too.
    let transaction = ''
    let isLast = false
    sockets.add(inner).add(outer)
    const forward = (message: Buffer) => {
      const label = statementOf(message)
      const isBegin = label === 'begin'
      const effect = label && !isBegin ? pass(label === 'commit' ? `commit of ${transaction}` : label) : 'go'
      if (isBegin) transaction = ''
      else transaction ||= label ?? ''
      if (effect === 'before') return void outer.destroy()
      outer.write(message)
      isLast ||= effect === 'after'
      // The server executes the query, but its answer never arrives.
      if (isLast && endsExecution(message)) outer.end()
    }
    inner.on('data', chunk => {
      for (const message of split(chunk)) if (outer.writable) forward(message)
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
    watch: (next?: Kill) => {
      passed = []
      kill = next
      killed = false
    },
    /** Stops recording. Returns the recorded steps, and whether the process was killed. */
    unwatch: () => {
      const steps = passed ?? []
      kill = undefined
      passed = undefined
      return { steps, killed }
    },
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Returns a function that splits what a client sends into messages: each has a type, except the first, and its length. */
function messageSplitter(): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let typeLength = 0
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= typeLength + 4) {
      const end = typeLength + rest.readInt32BE(typeLength)
      if (rest.length < end) break
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
      typeLength = 1
    }
    return messages
  }
}

const typeOf = (message: Buffer) => message.toString('latin1', 0, 1)

/** A simple query ends itself; a prepared statement is bound, executed, and ends with a Sync. */
const endsExecution = (message: Buffer) => ['Q', 'S'].includes(typeOf(message))

/** Returns a function that returns the label of the query that a message of one connection executes, if it does. */
function statementReader(): (message: Buffer) => string | undefined {
  const prepared = new Map<string, string>()
  return message => {
    const [first = '', second = ''] = message.toString('latin1', 5).split('\0', 2)
    const type = typeOf(message)
    if (type === 'P') prepared.set(first, second)
    // A portal, then the name of the statement.
    const text = type === 'Q' ? first : type === 'B' ? prepared.get(second) : undefined
    const statement = text && /^\s*(begin|commit|(?:select|insert|update|delete|with)\s.*)/is.exec(text)?.[1]
    return statement && labelOf(statement)
  }
}

/** Returns the beginning of a query without its values, so that all executions have one label. */
function labelOf(statement: string): string {
  return statement
    .replaceAll(/'[^']*('|$)/g, '?')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 90)
}
