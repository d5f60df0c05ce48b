import { waitFor } from '@cobro/testing'
import { newEmail } from './admin-calls.ts'
import { type GatewayProcesses, gatewayProcesses } from './gateway-processes.ts'
import { bearer, type GatewayWorld, gatewayUnderTest, operator, send } from './gateway-world.ts'
import { type MailServer, mailServer } from './mail-server.ts'

let server: MailServer
let world: GatewayWorld
let processes: GatewayProcesses
beforeAll(async () => {
  server = await mailServer()
  world = await gatewayUnderTest()
  processes = gatewayProcesses(world)
})
afterAll(async () => {
  processes.killAll()
  await world.stop()
  await server.close()
})

test('a mail is sent by another process if its sender is killed, with the same Message-ID', async () => {
  const settings = { SMTP_URL: server.url, MAIL_FROM: 'Cobro <no-reply@cobro.test>' }
  const attempts: string[] = []
  server.behavior.onMail = ({ messageId }) => {
    attempts.push(messageId)
    // The first sender dies before the server answers: it cannot know whether the mail was accepted.
    return attempts.length > 1 ? undefined : new Promise(() => undefined)
  }
  const first = await processes.serve(settings)
  const asOperator = bearer((await world.login(operator)).token)
  const facts = { email: newEmail(), role: 'client', merchant_id: world.azul.merchant_id }
  expect((await send(first.url, '/api/users', { headers: asOperator, body: facts })).status).toBe(201)
  await waitFor(() => attempts.length === 1)
  first.child.kill('SIGKILL')
  await first.exit
  await world.database.query('update gateway.mails set next_attempt_at = now()')
  const second = await processes.serve(settings)
  await waitFor(() => server.mails.length === 1)
  expect(new Set(attempts).size).toBe(1)
  await waitFor(async () => (await world.database.query('select status from gateway.mails'))[0]?.status === 'sent')
  second.child.kill()
  expect(await second.exit).toBe(0)
})
