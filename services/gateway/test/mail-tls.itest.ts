import { type Environment, secret } from '@cobro/runtime'
import { testAuthority, trustedAuthority } from '@cobro/testing/test-certificates'
import { smtpTransport } from '../src/mail/mail-transport.ts'
import { mailServer } from './mail-server.ts'

const authority = trustedAuthority()

const from = { name: 'Cobro', address: 'no-reply@cobro.test' }
const mail = { id: '1', kind: 'setup', recipient: 'ana@cobro.test', created_at: new Date() }
const content = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

/** Sends a mail to a server, and returns what the server got or the code of the error. */
async function sendTo(
  server: Awaited<ReturnType<typeof mailServer>>,
  url: string,
  environment: Environment = 'sandbox',
) {
  const transport = smtpTransport({ url: secret(url), environment }, from, { connectMs: 2_000, silenceMs: 2_000 })
  const error = await transport.send({ ...mail, ...content }, AbortSignal.timeout(10_000)).catch(failure => failure)
  transport.close()
  await server.close()
  return { error: error?.code, mails: server.mails.length, logins: server.logins }
}

const login = { username: 'cobro', password: 'p:w', secure: true }

test.each([
  ['smtps', true],
  ['smtp', false],
])('a mail over %s goes to a server whose certificate is trusted, with the login after TLS', async (scheme, secure) => {
  const server = await mailServer({ tls: { ...(await authority.issue('localhost')), secure } })
  const sent = await sendTo(server, `${scheme}://cobro:p%3Aw@localhost:${server.port}`)
  expect(sent).toEqual({ error: undefined, mails: 1, logins: [login] })
})

test.each([
  ['smtps', true],
  ['smtp', false],
])('no mail over %s goes to a server whose certificate is not trusted', async (scheme, secure) => {
  const foreign = await testAuthority('Foreign')
  const server = await mailServer({ tls: { ...(await foreign.issue('localhost')), secure } })
  const sent = await sendTo(server, `${scheme}://cobro:p%3Aw@localhost:${server.port}`)
  expect(sent).toEqual({ error: expect.stringMatching(/^E(?:TLS|SOCKET)$/), mails: 0, logins: [] })
})

test('in production no mail goes over a network to a server without TLS', async () => {
  const server = await mailServer()
  // An address of this machine that is not known as one.
  const sent = await sendTo(server, `smtp://[::ffff:127.0.0.1]:${server.port}`, 'production')
  expect(sent).toEqual({ error: 'ETLS', mails: 0, logins: [] })
})
