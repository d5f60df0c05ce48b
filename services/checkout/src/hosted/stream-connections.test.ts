import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { openStreamConnections } from './stream-connections.ts'

/** A response whose client reads nothing, so that everything written stays in memory. */
class UnreadResponse extends EventEmitter {
  written = ''
  writableEnded = false
  destroyed = false
  get writableLength() {
    return this.written.length
  }
  write(text: string) {
    if (this.writableEnded) throw new Error('write after end')
    this.written += text
  }
  end() {
    this.writableEnded = true
  }
  destroy() {
    this.destroyed = true
    this.emit('close')
  }
}

function setUp() {
  const connections = openStreamConnections()
  const response = new UnreadResponse()
  return { connections, response, connection: connections.add('cs_1', response as unknown as Response) }
}

test('writes nothing to an ended stream whose connection is not closed yet', () => {
  const { connections, response, connection } = setUp()
  connections.end(connection)
  expect(connections.all()).toEqual([])
  connections.write(connection, 'x')
  expect(response.written).toBe('')
  response.destroy()
})

test('destroys the connection of a page that does not read, before it takes much memory', () => {
  const { connections, response, connection } = setUp()
  for (let i = 0; i < 1_000; i++) connections.write(connection, 'x'.repeat(10_000))
  expect(response.destroyed).toBe(true)
  expect(response.written.length).toBeLessThan(300_000)
  expect(connections.all()).toEqual([])
})

test('removes a failed connection without an unhandled error', () => {
  const { connections, response } = setUp()
  response.emit('error', new Error('reset'))
  expect(connections.ids()).toEqual([])
})

test('limits the streams of one id, and frees the place of a removed stream once', () => {
  const { connections, connection, response } = setUp()
  const others = Array.from({ length: 49 }, () => connections.add('cs_1', new UnreadResponse() as unknown as Response))
  expect(() => connections.add('cs_1', new UnreadResponse() as unknown as Response)).toThrow('too many pages are open')
  connections.remove(connection)
  response.destroy()
  expect(() => connections.add('cs_1', new UnreadResponse() as unknown as Response)).not.toThrow()
  expect(others).toHaveLength(49)
  expect(() => connections.add('cs_1', new UnreadResponse() as unknown as Response)).toThrow('too many pages are open')
})

test('limits the streams of all ids', () => {
  const connections = openStreamConnections()
  const add = (id: number) => connections.add(`cs_${id}`, new UnreadResponse() as unknown as Response)
  const [first] = Array.from({ length: 5_000 }, (_, id) => add(id))
  expect(() => add(5_000)).toThrow('unavailable')
  if (first) connections.remove(first)
  expect(() => add(5_000)).not.toThrow()
})

test('ends a stream once', () => {
  const { connections, connection, response } = setUp()
  connections.end(connection)
  connections.end(connection)
  expect(response.listenerCount('close')).toBe(2)
  response.destroy()
})
