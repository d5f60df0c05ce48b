import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

const root = join(import.meta.dirname, '..', '..', '..')

let stack: AcceptanceStack
let folder: string
beforeAll(async () => {
  stack = await sharedStack()
  folder = await mkdtemp(join(tmpdir(), 'cobro-readme-'))
})
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true })
  await stack?.stop()
})

/** Returns the shell lines of the README's payment. */
async function linesOfReadme(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, chapter = ''] = readme.split('\n## One payment\n')
  const [payment = ''] = chapter.split('\n## ')
  return [...payment.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines).join('\n')
}

test('the lines of the README lead to a payment, its refund and a paid voucher', async () => {
  await mkdir(join(folder, '.cobro'))
  await writeFile(join(folder, '.cobro', 'stack.json'), JSON.stringify(stack.stack))
  const pay = `node --conditions=cobro-source --no-warnings ${join(root, 'packages/local-stack/src/commands/pay.ts')}`
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { pay } }))
  const lines = await linesOfReadme()
  // A reader is slower than the start of the receiver.
  const untilReceiving = 'until (echo > /dev/tcp/127.0.0.1/4100) 2> /dev/null; do sleep 0.1; done'
  const typed = lines
    .replace(`.listen(4100, "127.0.0.1")' &`, `$&\n${untilReceiving}`)
    // The declined card ends with 1, as it should.
    .replace('pay $SESSION 4000000000009995', '! $&')
  // The receiver would run on.
  const script = `trap 'kill %1' EXIT\n${typed}`
  const env = { PATH: process.env.PATH, HOME: folder, HOSTED_URL: stack.stack.hosted_url }
  const shell = spawn('bash', ['-c', script], { cwd: folder, env, signal: AbortSignal.timeout(90_000) })
  const ended = new Promise<number | null>(resolve => shell.once('close', resolve))
  const [code, stdout, stderr] = await Promise.all([ended, text(shell.stdout), text(shell.stderr)])
  expect([code, stderr]).toEqual([0, ''])
  const missing = [
    '"secret":"whsec_',
    '402 {"error":"insufficient_funds","declined":true}',
    '200 {"status":"approved"',
    '"refund_status":"processing"',
    // The ledger, and the audit log.
    '{"data":{"ok":true,"entries":',
    '{"data":{"ok":true,"size":',
    'payment.approved {"id":"evt_',
    '{"data":{"reference":',
  ].filter(part => !stdout.includes(part))
  expect(missing).toEqual([])
  expect(stdout.match(/"error":"\w+/g)).toEqual(['"error":"insufficient_funds'])
})
