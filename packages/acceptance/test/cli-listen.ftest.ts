import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type CobroCommand, loggedInCommand } from '../src/cobro-command.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let cobro: CobroCommand
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  stack = await sharedStack()
  cobro = await loggedInCommand(stack)
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await cobro?.remove()
  await stack?.stop()
})

/** Starts `listen`, and collects the lines of JSON that it prints. */
const listening = (...args: string[]) => cobro.lines('listen', '--json', ...args)

test('listen forwards events as webhooks, signed by a secret that stays the same, and resumes where it ended', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const file = join(cobro.home, '.env')
  // Refunds and disputes of other tests end meanwhile.
  const mine = ['--forward-to', receiver.url, '--events', 'payment.*', '--where', 'data.metadata.test=listen']
  const trigger = (event: string, run: string) =>
    cobro.json('trigger', event, '--quiet', '--set', 'metadata.test=listen', '--set', `metadata.run=${run}`)
  const first = listening(...mine, '--write-secret', file)
  await first.ready()
  await waitFor(() => first.lines.length > 0)
  const secret = /^COBRO_WEBHOOK_SECRET=(.*)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? ''
  expect((await cobro.run(['listen', '--print-secret'])).stdout.trim()).toBe(secret)
  await trigger('payment.approved', '1')
  await waitFor(() => receiver.received.length === 1)
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(130)
  await trigger('payment.approved', '2')
  const second = listening(...mine, '--until', 'payment.declined')
  await waitFor(() => receiver.received.length === 2)
  await trigger('payment.declined', '3')
  expect(await second.ended).toBe(0)
  const events = await Promise.all(
    receiver.received.map(({ rawBody, headers }) => verifyWebhook(rawBody, headers, secret)),
  )
  expect(events.map(({ event, data }) => [event, (data as { metadata?: { run?: number } }).metadata?.run])).toEqual([
    ['payment.approved', 1],
    ['payment.approved', 2],
    ['payment.declined', 3],
  ])
  const [{ headers } = { headers: {} }] = receiver.received
  expect(headers).toMatchObject({
    'x-service-event': 'payment.approved',
    'x-service-delivery': expect.stringMatching(/^whd_/),
  })
})

test('what happens while nothing listens is forwarded the next time, also if nothing was received before', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const mine = ['--forward-to', receiver.url, '--where', 'data.metadata.test=position']
  const first = listening(...mine)
  await first.ready()
  first.child.kill('SIGINT')
  await first.ended
  await cobro.json('trigger', 'payment.declined', '--quiet', '--set', 'metadata.test=position')
  const second = listening(...mine, '--until', 'payment.declined')
  expect(await second.ended).toBe(0)
  expect(receiver.received.map(({ body }) => body.event)).toEqual(['checkout_session.created', 'payment.declined'])
})
