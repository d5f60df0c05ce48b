import { Socket } from 'node:net'

/**
 * Creates a socket that sends together what is written in one turn of the event loop. `pg` writes each statement on its own,
 * so that the begin of a transaction and its first statement, or the last one and the commit, would take two system
 * calls, and wake PostgreSQL twice. With TLS it changes nothing: a TLS socket writes to the handle of this one.
 */
export function coalescingSocket(): Socket {
  const socket = new Socket()
  // `connect` sets the method `write` of each socket, and so would replace one that is set before.
  return socket.once('connect', () => coalesceWrites(socket))
}

function coalesceWrites(socket: Socket): void {
  const { write } = socket
  let held = false
  const hold = () => {
    if (held) return
    held = true
    socket.cork()
    process.nextTick(() => {
      held = false
      socket.uncork()
    })
  }
  Object.assign(socket, {
    write: (...input: Parameters<Socket['write']>) => {
      hold()
      return write.apply(socket, input)
    },
  })
}
