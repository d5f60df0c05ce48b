import { spawnSync } from 'node:child_process'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type CobroCommand, cobroCommand, loggedInCommand } from '../src/cobro-command.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let cobro: CobroCommand
beforeAll(async () => {
  stack = await sharedStack()
  cobro = await loggedInCommand(stack)
  // A service may still be starting.
  await waitFor(async () => (await cobro.run(['status'])).code === 0)
})
afterAll(async () => {
  await cobro?.remove()
  await stack?.stop()
})

test('a login is checked, and stored where only its user can read it', async () => {
  const path = join(cobro.home, '.config', 'cobro', 'config.yaml')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const status = await cobro.json('status')
  expect(status).toMatchObject({ profile: 'default', health: 'ok', kind: 'key', environment: 'sandbox' })
  expect(status.merchant.id).toBe(stack.stack.merchant_id)
  await chmod(path, 0o644)
  const refused = await cobro.run(['status']).finally(() => chmod(path, 0o600))
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`chmod 600 ${path}`)])
})

test('a sandbox is not ready for the first real payment, and the status names what is missing', async () => {
  const { code, stdout } = await cobro.run(['status', '--go-live'])
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    expect.arrayContaining([
      { check: 'the environment is production', ok: false, found: 'sandbox' },
      { check: 'the API answers', ok: true, found: 'ok' },
      { check: 'the event feed can be read', ok: true, found: expect.stringMatching(/^up to \d+$/) },
    ]),
  ])
})

test('a wrong key is not stored', async () => {
  const before = await readFile(join(cobro.home, '.config', 'cobro', 'config.yaml'), 'utf8')
  const wrong = await cobro.run(['login', '--profile', 'wrong', '--base-url', stack.stack.base_url], 'vk_test_wrong')
  expect(wrong.code).toBe(3)
  expect(wrong.stderr).toContain('does not know this credential')
  expect(await readFile(join(cobro.home, '.config', 'cobro', 'config.yaml'), 'utf8')).toBe(before)
})

test('no command prints a key', async () => {
  const port = await freePort()
  const away = await cobroCommand({ COBRO_API_KEY: stack.stack.api_key, COBRO_BASE_URL: `http://127.0.0.1:${port}` })
  const results = [
    await cobro.run(['status']),
    await cobro.run(['profiles']),
    await cobro.run(['transactions', 'retrieve', 'txn_01kdvc4x2m8p6q7r9s0t1v2w3x']),
    await away.run(['status']).finally(away.remove),
  ]
  expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 4])
  expect(results[3]?.stderr).toContain('ECONNREFUSED')
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(stack.stack.api_key.slice(8))
})

test.each([
  [['nothing'], 'unknown command'],
  [['listen', '--from', 'yesterday'], '--from is now, last'],
])('cobro %j is wrong usage, and says why', async (args, words) => {
  const { code, stdout, stderr } = await cobro.run(args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)])
})

test('a method of the SDK is a command', async () => {
  const page = 'https://shop.example/back'
  const session = await cobro.json('sessions', 'create', '--amount-total', '25000', '--return-url', page)
  expect(session).toMatchObject({ id: expect.stringMatching(/^cs_/), amount_total: 25_000 })
})

test('an event is triggered, with metadata of its own', async () => {
  const { event, data } = await cobro.json('trigger', 'payment.approved', '--quiet', '--set', 'metadata.order=A-42')
  expect([event, data.metadata]).toEqual(['payment.approved', { order: 'A-42' }])
})

test.each(['bash', 'zsh', 'fish'])('the completion for %s names commands and their verbs', async shell => {
  const { stdout } = await cobro.run(['completion', shell])
  for (const word of ['listen', 'trigger', 'run', 'samples', 'open', 'sessions', 'retrieve'])
    expect(stdout).toContain(word)
  if (shell === 'bash') expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0)
})
