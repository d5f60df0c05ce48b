import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { sendExport } from '../src/send-export.ts'

const stalledMs = 200
const logger = { info: () => undefined, error: () => undefined }
const line = `${'x'.repeat(64 * 1024)}\n`

/** Serves an export of these lines, and begins to receive it. */
async function exportOf(lines: AsyncIterable<string>) {
  const app = express()
  const sent = Promise.withResolvers<void>()
  app.get('/', (_request, response) => {
    sent.resolve(sendExport(response, { name: 'lines', format: 'ndjson', lines, stalledMs }, logger))
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await new Promise<IncomingMessage>(resolve => get({ port, agent: false }, resolve))
  return { response, sent: sent.promise, stop: () => server.close() }
}

test('an export whose client reads nothing for a while is cut off', async () => {
  let isEnded = false
  async function* endless() {
    try {
      for (;;) yield line
    } finally {
      isEnded = true
    }
  }
  const { response, sent, stop } = await exportOf(endless())
  const failed = once(response, 'error')
  await sent
  expect(isEnded).toBe(true)
  response.resume()
  expect(await failed).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
  stop()
})

test('an export whose lines take long is not', async () => {
  async function* slow() {
    yield line
    await setTimeout(3 * stalledMs)
    yield line
  }
  const { response, sent, stop } = await exportOf(slow())
  let length = 0
  for await (const chunk of response) length += chunk.length
  await sent
  expect(length).toBe(2 * line.length)
  stop()
})
