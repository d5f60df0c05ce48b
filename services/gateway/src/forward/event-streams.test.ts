import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { openEventStreams } from './event-streams.ts'

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

test('a shutdown ends open event streams, and those that open during it', () => {
  const streams = openEventStreams()
  const [open, late] = [newResponse(), newResponse()]
  streams.add(open)
  expect(open.writableEnded).toBe(false)
  streams.end()
  streams.add(late)
  expect([open.writableEnded, late.writableEnded]).toEqual([true, true])
})
