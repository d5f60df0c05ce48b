import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fake HTTP acquirer that issues and withdraws any voucher, and records the requested paths. */
export async function voucherAcquirer() {
  const vouchers = new Map<string, object>()
  const paths: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = decodeURIComponent(request.url ?? '')
    paths.push(path)
    const [, named = '', verb] = /^\/v1\/vouchers\/([^/]+)(\/withdraw)?$/.exec(path) ?? []
    const key = named || String(request.headers['idempotency-key'])
    if (!named) {
      const issued = { reference: `93${String(vouchers.size).padStart(12, '0')}`, barcode: '9300', paid_at: null }
      vouchers.set(key, { ...JSON.parse(text), ...issued, key, status: 'pending' })
    }
    const status = verb ? 'withdrawn' : 'pending'
    response.end(JSON.stringify({ ...vouchers.get(key), status }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
