import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { openStreamConnections } from './stream-connections.ts'

/** A page's connection whose reader takes nothing, so that all that is written stays where it is. */
class Unread extends EventEmitter {
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
  const followers = openStreamConnections()
  const response = new Unread()
  return { followers, response, follower: followers.add('cs_1', response as unknown as Response) }
}

test('one that was ended is written to no more, though its connection is not closed yet', () => {
  const { followers, response, follower } = setUp()
  followers.end(follower)
  expect(followers.all()).toEqual([])
  followers.write(follower, 'x')
  expect(response.written).toBe('')
  response.destroy()
})

test('one that reads nothing is cut off before it takes up much memory', () => {
  const { followers, response, follower } = setUp()
  for (let i = 0; i < 1_000; i++) followers.write(follower, 'x'.repeat(10_000))
  expect(response.destroyed).toBe(true)
  expect(response.written.length).toBeLessThan(300_000)
  expect(followers.all()).toEqual([])
})

test('a connection that fails takes nobody along', () => {
  const { followers, response } = setUp()
  response.emit('error', new Error('reset'))
  expect(followers.ids()).toEqual([])
})

test('a place is taken at once and given back once', () => {
  const { followers, follower, response } = setUp()
  const others = Array.from({ length: 49 }, () => followers.add('cs_1', new Unread() as unknown as Response))
  expect(() => followers.add('cs_1', new Unread() as unknown as Response)).toThrow('too many pages are open')
  followers.remove(follower)
  response.destroy()
  expect(() => followers.add('cs_1', new Unread() as unknown as Response)).not.toThrow()
  expect(others).toHaveLength(49)
  expect(() => followers.add('cs_1', new Unread() as unknown as Response)).toThrow('too many pages are open')
})
