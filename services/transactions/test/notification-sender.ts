import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'

/**
 * A fake acquirer that signs notifications, publishes its key and accepts sandbox voucher payments.
 * It answers 500 while `state.unavailable` is set. `handle` may answer other requests, and returns whether it did.
 */
export async function notificationSender(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => Promise<boolean> = async () => false,
) {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'n1', alg: 'EdDSA', use: 'sig' }]
  const state = { unavailable: false, paid: new Set<string>() }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (await handle(request, response, body)) return
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    const [, reference = ''] = /sandbox\/vouchers\/([^/]+)\/pay/.exec(request.url ?? '') ?? []
    if (state.unavailable) return void answer(500, {})
    if (request.url === '/v1/notification-keys') return void answer(200, { keys })
    if (!reference) return void answer(404, {})
    if (state.paid.has(reference)) return void answer(409, {})
    state.paid.add(reference)
    answer(200, {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    /** Returns a notification's bytes and their signature, made now or `ageSeconds` ago. */
    sign: async (
      type: string,
      data: object,
      { id = `ntf_${randomUUID()}`, ageSeconds = 0, created_at = new Date().toISOString() } = {},
    ) => {
      const body = Buffer.from(JSON.stringify({ id, type, created_at, data }))
      const header = { alg: 'EdDSA', kid: 'n1', iat: Math.floor(Date.now() / 1000) - ageSeconds }
      const jws = await new CompactSign(body).setProtectedHeader(header).sign(privateKey)
      return { body, signature: jws.replace(/\..*\./, '..') }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
