import { createConnection } from 'node:net'

/**
 * Returns whether a broker answers the AMQP protocol header. An open port is not enough: Docker
 * opens a container's port before the broker in it listens.
 */
export function speaksAmqp(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ port, host })
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2_000, () => finish(false))
    socket.once('connect', () => socket.write(Buffer.from([...Buffer.from('AMQP'), 0, 0, 9, 1])))
    socket.once('data', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('close', () => finish(false))
  })
}
