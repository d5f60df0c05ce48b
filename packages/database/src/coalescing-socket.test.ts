import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { coalescingSocket } from './coalescing-socket.ts'

/** A connected socket, what its peer receives, and the number of chunks of each write to the system. */
async function connected() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = coalescingSocket().connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown]
  const writes: number[] = []
  const { _write, _writev } = socket
  socket._write = (...input) => {
    writes.push(1)
    return _write.apply(socket, input)
  }
  socket._writev = (...input) => {
    writes.push(input[0].length)
    return _writev?.apply(socket, input)
  }
  let received = ''
  peer.setEncoding('utf8').on('data', text => {
    received += text
  })
  const end = async () => {
    socket.end()
    await once(peer, 'end')
    peer.destroy()
    await server[Symbol.asyncDispose]()
    return received
  }
  return { socket, writes, end }
}

test('what is written in one turn is sent at once, and calls its callbacks', async () => {
  const { socket, writes, end } = await connected()
  const called: string[] = []
  socket.write('begin;', () => called.push('begin'))
  // As pg does for the messages of one statement.
  socket.cork()
  socket.write(Buffer.from('bind;'))
  socket.write('c3luYzs=', 'base64', () => called.push('sync'))
  socket.uncork()
  await Promise.resolve()
  socket.write('commit;')
  await nextTurn()
  socket.write('select;')
  await nextTurn()
  expect(writes).toEqual([4, 1])
  expect(await end()).toBe('begin;bind;sync;commit;select;')
  expect(called).toEqual(['begin', 'sync'])
})

test('what is written right before the end is sent', async () => {
  const { socket, end } = await connected()
  socket.write('commit;')
  expect(await end()).toBe('commit;')
})
