import { strict as assert } from 'node:assert'
import { ApiError, CobroError, createCobro, InvalidRequestError } from '@cobro/sdk'

const { COBRO_API_KEY } = process.env
const cobro = createCobro({ apiKey: COBRO_API_KEY, baseUrl: 'https://pay.example.com' })
const timeout = async () => Response.json({ error: 'timeout' }, { status: 504 })
const slow = createCobro({ apiKey: COBRO_API_KEY, baseUrl: 'https://pay.example.com', fetch: timeout, maxRetries: 0 })
const later: string[] = []
const repeatLater = (key: string) => later.push(key)
const printed: unknown[] = []
console.error = (...line) => printed.push(line[0])

async function openSession(client: typeof cobro, order: { id: string; cents: number }): Promise<string | undefined> {
  // region catch
  try {
    const { url } = await client.checkout.sessions.create(
      { amount_total: order.cents, success_url: 'https://shop.example/thanks' },
      { idempotencyKey: `session-${order.id}` },
    )
    return url
  } catch (error) {
    if (error instanceof InvalidRequestError) console.error(error.detail, error.requestId)
    else if (error instanceof CobroError && error.outcomeUnknown) repeatLater(`session-${order.id}`)
    else if (error instanceof ApiError) console.error(error.status, error.code, error.requestId)
    else throw error
  }
  // endregion
  return undefined
}

const opened = await openSession(cobro, { id: 'order-1', cents: 25_000 })
assert.ok(opened?.startsWith('http'))
await openSession(cobro, { id: 'order-2', cents: 0 })
assert.match(String(printed), /^amount_total: /)
await openSession(slow, { id: 'order-3', cents: 25_000 })
assert.deepEqual(later, ['session-order-3'])
