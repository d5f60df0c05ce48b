import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { waitFor } from '@cobro/testing'
import { installedNodes, run } from '@cobro/testing/installed-package'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

/** The port of the sample receiver, as the quickstart has it. */
const receiverPort = 4242
const maxCommands = 6
const maxSeconds = 60
/** The time in which a person reads and pastes one command. */
const readingSeconds = 20

let stack: AcceptanceStack
let home: string
let shell: ChildProcess | undefined
beforeEach(async () => {
  stack = await sharedStack()
  home = await mkdtemp(join(tmpdir(), 'cobro-newcomer-'))
})
afterEach(async () => {
  // The shell leads a group of its own, in which its background programs may still run.
  if (shell?.pid && isRunning(-shell.pid)) process.kill(-shell.pid, 'SIGKILL')
  shell = undefined
  // The listener leads a group of its own.
  const cobro = join(home, 'cobro-quickstart', 'node_modules', '.bin', 'cobro')
  if (existsSync(cobro)) await run(oldestNode(), [cobro, 'listen', '--stop'], { env: { HOME: home } })
  await rm(home, { recursive: true, force: true })
})
afterAll(() => stack?.stop())

/** Returns Node 20 where the machine has it. */
function oldestNode(): string {
  const nodes = installedNodes()
  const isOldest = (node: string) => spawnSync(node, ['--version']).stdout.toString().startsWith('v20.')
  return nodes.find(isOldest) ?? process.execPath
}

function isRunning(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}

/** Returns the commands of the rendered quickstart. */
async function commandsOfPage(): Promise<string[]> {
  const html = await (await fetch(`${stack.stack.base_url}/docs/quickstart`)).text()
  return [...html.matchAll(/<pre class="code"[^>]*>(.*?)<\/pre>/gs)].map(([, code = '']) =>
    code
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replace(/&#x26;|&amp;/g, '&'),
  )
}

/** Runs commands in an empty home with the machine's own Node and npm; the key is typed where a command asks for it. */
function newcomer(commands: readonly string[], key: string) {
  const system = (process.env.PATH ?? '').split(delimiter).filter(path => !path.includes('node_modules'))
  const env = {
    PATH: [dirname(oldestNode()), ...system].join(delimiter),
    HOME: home,
    // Packages come from the deployment alone.
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
  const lines = commands.map(command => `echo "$ "${JSON.stringify(command).replaceAll('$', '\\$')}\n${command}`)
  const script = `${lines.join(' || exit 1\n').replaceAll('& || exit 1', '&')}\n`
  shell = spawn('bash', ['-c', script], { cwd: home, env, detached: true })
  let transcript = ''
  const collect = (data: Buffer) => {
    transcript += data
  }
  shell.stdout?.on('data', collect)
  shell.stderr?.on('data', collect)
  shell.stdin?.end(`${key}\n`)
  const ended = new Promise<number | null>(resolve => shell?.once('exit', resolve))
  return { ended, transcript: () => transcript }
}

test('the commands of the quickstart lead to a verified webhook, and ask one question', async () => {
  const commands = await commandsOfPage()
  expect(commands.length).toBeLessThanOrEqual(maxCommands)
  const startedAt = performance.now()
  const { ended, transcript } = newcomer(commands, stack.stack.api_key)
  const code = await ended
  process.stdout.write(`${transcript()}\n`)
  expect([code, transcript()]).toEqual([0, expect.anything()])
  await waitFor(() => transcript().includes('payment.approved  verified  {"order":"A-42"}'))
  const seconds = (performance.now() - startedAt) / 1_000
  process.stdout.write(`from the first command to the webhook: ${seconds.toFixed(1)} s\n`)
  expect(seconds).toBeLessThan(maxSeconds)
  expect(seconds + commands.length * readingSeconds).toBeLessThan(300)
  expect(transcript()).not.toContain(stack.stack.api_key.slice('vk_test_'.length))
})

test('a wrong key ends with a message that names the cause', async () => {
  const commands = await commandsOfPage()
  const { ended, transcript } = newcomer(commands.slice(0, 2), 'vk_test_wrong')
  expect(await ended).not.toBe(0)
  expect(transcript()).toContain('does not know this credential')
})

test('a wrong address ends with a message that names it', async () => {
  const [install = ''] = await commandsOfPage()
  const login = 'npx cobro login --base-url http://127.0.0.1:9'
  const { ended, transcript } = newcomer([install, login], stack.stack.api_key)
  expect(await ended).not.toBe(0)
  expect(transcript()).toContain('Cannot reach http://127.0.0.1:9.')
})

test('a taken port and a missing secret are named with what to do', async () => {
  const commands = await commandsOfPage()
  const receiver = commands.slice(0, 3)
  const missing = newcomer([...receiver, 'npm start'], stack.stack.api_key)
  expect(await missing.ended).not.toBe(0)
  expect(missing.transcript()).toContain('cobro listen --write-secret .env')
  const taken = createServer().listen(receiverPort)
  await once(taken, 'listening')
  try {
    const folder = 'cd cobro-quickstart/receiver'
    const write = 'echo COBRO_WEBHOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwvL1yZ3rF0pA= > .env'
    const blocked = newcomer([folder, write, 'npm start'], '')
    expect(await blocked.ended).not.toBe(0)
    expect(blocked.transcript()).toContain('Port 4242 is taken')
  } finally {
    taken.close()
    await once(taken, 'close')
  }
})
