import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stackServiceNames } from '@cobro/local-stack'
import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { programEnv, waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const commands = 'local-stack/src/commands'
const run = (program: string, ...args: string[]) => {
  const env = { ...programEnv(), COBRO_DIR: stack.dir, AMQP_NAMESPACE: stack.bus.namespace }
  const file = join(repositoryRoot, 'packages', program)
  return runCommand(process.execPath, ['--conditions=cobro-source', file, ...args], { env })
}
const openSession = async (change: object = {}) =>
  (
    await clients.merchant.call('POST', '/checkout/v1/sessions', {
      ...{ amount_total: 25_000, return_url: 'https://shop.mx/back', ...change },
    })
  ).body

test('npm run status finds every service and server of a running stack', async () => {
  const { code, stdout } = await run(`${commands}/status.ts`)
  expect(code).toBe(0)
  const [parts = ''] = stdout.split('\n\n')
  const rows = parts
    .trimEnd()
    .split('\n')
    .map(line => line.trim().split(/ +/).slice(0, 2))
  expect(rows).toEqual([...stackServiceNames, 'PostgreSQL', 'RabbitMQ'].map(name => ['up', name]))
})

test('npm run status lists the latest mails, which a sandbox writes to a folder', async () => {
  const email = 'status@mails.test'
  const user = { email, role: 'client', merchant_id: stack.stack.merchant_id }
  expect((await clients.operator.call('POST', '/api/users', user)).status).toBe(201)
  const shown = await waitFor(async () => {
    const { stdout } = await run(`${commands}/status.ts`)
    return stdout.includes(email) && stdout
  })
  const [, file = ''] = new RegExp(`setup +${email}  Elige tu contraseña de Cobro\\n +(\\S+\\.eml)`).exec(shown) ?? []
  expect(await readFile(file, 'utf8')).toContain(`To: ${email}`)
})

test('npm run pay pays a session with the approved card, and exits with 1 if the card is declined', async () => {
  const { id } = await openSession()
  const declined = await run(`${commands}/pay.ts`, id, '4000', '0000', '0000', '0002')
  expect(declined).toMatchObject({ code: 1, stdout: '402 {"error":"card_declined","declined":true}\n' })
  const paid = await run(`${commands}/pay.ts`, `${stack.stack.hosted_url}/checkout/${id}`)
  expect(paid).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 \{"status":"approved",/) })
  const again = await run(`${commands}/pay.ts`, id)
  expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/^409 .*it is completed/) })
  const missing = await run(`${commands}/pay.ts`, 'cs_none')
  expect(missing).toMatchObject({ code: 1, stderr: 'The hosted API responded with: not_found.\n' })
})

test('npm run pay prints the voucher of a payment in cash', async () => {
  const { id } = await openSession({ payment_method_types: ['cash'] })
  const chosen = await run(`${commands}/pay.ts`, id, 'cash')
  expect(chosen).toMatchObject({ code: 0, stdout: expect.stringMatching(/^202 .*"voucher":\{"reference":"\d{14}"/) })
})

test('npm run ops uses the servers and the settings of the running stack', async () => {
  const ops = (line: string) => run('ops/src/main.ts', ...line.split(' '))
  expect(await ops('dead-letters list')).toMatchObject({ code: 0 })
  expect(await ops('outbox')).toMatchObject({ code: 0, stderr: '' })
  expect(await ops('ledger check')).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') })
})
