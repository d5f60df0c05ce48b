import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@cobro/local-stack'
import { exampleEvent, signWebhook } from '@cobro/sdk/testing'
import { waitFor } from '@cobro/testing'

const secret = `whsec_${'A'.repeat(43)}=`
const server = join(import.meta.dirname, '..', 'samples', 'receiver', 'server.mjs')
const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Starts the sample as it stands in this repository, and collects what it prints. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--conditions=cobro-source', server], { env })
  closing.push(() => child.kill())
  const printed = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      printed.text += text
    })
  }
  return { printed, ended: new Promise(resolve => child.once('exit', resolve)) }
}

async function receiver() {
  const port = await freePort()
  const { printed } = start({ PORT: String(port), COBRO_WEBHOOK_SECRET: secret })
  await waitFor(() => printed.text.includes(`http://localhost:${port}/webhooks`))
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`http://localhost:${port}/webhooks`, { method: 'POST', body, headers })
  return { printed, post, url: `http://localhost:${port}` }
}

test('the receiver prints a verified event, and refuses everything else with the next step', async () => {
  const { printed, post, url } = await receiver()
  const event = exampleEvent('payment.approved', { metadata: { order: 'A-42' } })
  const signed = await signWebhook(event, secret)
  expect((await post(signed.body, signed.headers)).status).toBe(200)
  expect(printed.text).toContain('payment.approved  verified  {"order":"A-42"}\n')
  const other = await signWebhook(event, `whsec_${'B'.repeat(43)}=`)
  const old = await signWebhook(event, secret, { nowMs: 0 })
  const answers = [
    await post(other.body, other.headers),
    // What a receiver does that parses the body first.
    await post(JSON.stringify(JSON.parse(signed.body), null, 1), signed.headers),
    await post(old.body, old.headers),
    await post('{}'),
    await post('x'.repeat(20 * 1_048_576)),
    await fetch(url),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 413, 404])
  expect(await answers[0]?.text()).toContain('signature_mismatch')
  for (const words of [
    'cobro listen --write-secret .env',
    'before anything parses',
    'Set the clock',
    'Nothing signed',
  ]) {
    expect(printed.text).toContain(words)
  }
})

test('the receiver ends with the next step if it has no secret, or its port is taken', async () => {
  const without = start({})
  expect(await without.ended).toBe(1)
  await waitFor(() => without.printed.text.includes('Run: cobro listen --write-secret .env'))
  const other = createServer().listen(0, 'localhost')
  closing.push(() => other.close())
  await waitFor(() => other.listening)
  const { port } = other.address() as AddressInfo
  const taken = start({ PORT: String(port), COBRO_WEBHOOK_SECRET: secret })
  expect(await taken.ended).toBe(1)
  await waitFor(() => taken.printed.text.includes(`Port ${port} is taken.`))
  expect(taken.printed.text).toContain(`PORT=${port + 1}`)
})
