import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'

const here = join(import.meta.dirname, '..')
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwvL1yZ3rF0pA='
const body = JSON.stringify({ id: 'evt_1', object: 'event', event: 'payment.approved', data: { id: 'txn_1' } })

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Runs an example as a reader would; returns functions to call it and its output. */
async function started(file: string) {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), COBRO_WEBHOOK_SECRET: secret }
  const args = ['--conditions=cobro-source', join(here, 'examples', file)]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let output = ''
  child.stdout.on('data', text => {
    output += text
  })
  const url = `http://127.0.0.1:${port}/webhooks`
  await waitFor(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  const post = async (bytes: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body: bytes, headers: { 'content-type': 'application/json', ...headers } }))
      .status
  return { post, output: () => output }
}

function signed(bytes: string, atSeconds = Math.floor(Date.now() / 1_000)) {
  const signature = createHmac('sha256', secret).update(`${atSeconds}.${bytes}`).digest('hex')
  return {
    'x-service-delivery': 'whd_1',
    'x-service-signature-timestamp': String(atSeconds),
    'x-service-signature-v1': signature,
  }
}

test.each(['node-receiver.ts', 'express-receiver.ts'])(
  '%s accepts signed webhooks and rejects all others',
  async file => {
    const { post, output } = await started(file)
    expect(await post(body, signed(body))).toBe(204)
    await waitFor(() => output() === 'paid: txn_1\n')
    expect(await post(body.replace('txn_1', 'txn_2'), signed(body))).toBe(400)
    expect(await post(body, signed(body, 1_767_225_600))).toBe(400)
    expect(await post(body, {})).toBe(400)
    expect(await post('', signed(''))).toBe(400)
    // Node may close the connection before the client has sent everything and read the response.
    const tooLarge = await post('x'.repeat(1_100_000), {}).catch(error => error.message)
    expect(tooLarge === 'fetch failed' || tooLarge >= 400).toBe(true)
    // The delivery id is not signed, so the same event under another delivery id is a duplicate.
    expect(await post(body, { ...signed(body), 'x-service-delivery': 'whd_2' })).toBe(204)
    expect(output()).toBe('paid: txn_1\n')
  },
)

test('the README contains the examples unchanged', async () => {
  const readme = await readFile(join(here, 'README.md'), 'utf8')
  for (const file of ['node-receiver.ts', 'express-receiver.ts']) {
    expect(readme).toContain(`\`\`\`ts\n${await readFile(join(here, 'examples', file), 'utf8')}\`\`\``)
  }
})
