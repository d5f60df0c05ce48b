import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '@cobro/testing'
import { type AuditWorld, type Causes, type Deed, type Lifecycle, system, within } from './audit-world.ts'

/** The receiver's answer, by the path in the endpoint's URL. */
const answers: Record<string, [status: number, headers?: Record<string, string>]> = {
  '/well': [200],
  '/broken': [500],
  '/gone': [410],
  '/later': [503, { 'retry-after': '3600' }],
}

/** Starts a receiver that answers according to the path. */
export async function startAnswering(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(...(answers[request.url ?? ''] ?? [404])).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

/** Triggers endpoint and delivery actions for another merchant, which does nothing else. */
export function causesOfWebhooks(world: AuditWorld, receiverUrl: string): Causes {
  const actions = actionsOf(world, receiverUrl)
  return { ...ofEndpoints(world, actions), ...ofAttempts(actions), ...ofDeliveries(world, actions) }
}

type Actions = ReturnType<typeof actionsOf>

function actionsOf({ by }: AuditWorld, receiverUrl: string) {
  const endpoint = async (answer: keyof typeof answers) => {
    const input = { url: `${receiverUrl}${answer}`, events: ['payment_link.created'] }
    const deed = await by('second', 'POST', '/api/webhooks', input)
    return { deed, id: deed.body.id as string }
  }
  const remove = (id: string) => by('second', 'DELETE', `/api/webhooks/${id}`)
  /** Announces a link to one endpoint, and returns the delivery once it matches. */
  async function delivered(answer: keyof typeof answers, until: object) {
    const { id } = await endpoint(answer)
    const charge = { amount: '250.00', concepto: 'Curso' }
    const { body, did } = await by('second', 'POST', '/checkout/v1/links', charge)
    const path = `/api/webhook-deliveries?correlation_id=${body.data.correlation_id}`
    const delivery = await waitFor(async () => {
      const [row] = (await by('second', 'GET', path)).body.data
      return row && Object.entries(until).every(([name, value]) => row[name] === value) && row
    })
    return { endpoint: id, id: delivery.id as string, link: body.data as Lifecycle, did }
  }
  return { endpoint, remove, delivered }
}

function ofEndpoints({ by }: AuditWorld, { endpoint, remove, delivered }: Actions): Causes {
  const about = async (act: (path: string) => Promise<Deed>) => {
    const { id } = await endpoint('/well')
    const happening = (await act(`/api/webhooks/${id}`)).did(id)
    await remove(id).catch(() => undefined)
    return happening
  }
  return {
    'webhook_endpoint.created': [
      async () => {
        const { deed, id } = await endpoint('/well')
        await remove(id)
        return deed.did(id)
      },
    ],
    'webhook_endpoint.updated': [() => about(path => by('second', 'PUT', path, { description: 'till' }))],
    'webhook_endpoint.rotated': [() => about(path => by('second', 'POST', `${path}/rotate`))],
    'webhook_endpoint.redelivered': [
      async () => {
        const { endpoint: id } = await delivered('/well', { status: 'succeeded' })
        const period = { from: '2026-01-01T00:00:00.000Z', to: new Date(Date.now() + 60_000).toISOString() }
        const deed = await by('second', 'POST', `/api/webhooks/${id}/redeliver`, { ...period, status: 'succeeded' })
        await remove(id)
        return deed.did(id)
      },
    ],
    'webhook_endpoint.deleted': [() => about(path => by('second', 'DELETE', path))],
    'webhook_endpoint.disabled': [
      async () => {
        const { endpoint: id, did, link } = await delivered('/gone', { status: 'failed' })
        return did(id, { ...system, ...within(link) })
      },
    ],
  }
}

/** The clock makes the attempts, in the lifecycle of the event. */
function ofAttempts({ remove, delivered }: Actions): Causes {
  const attempted = async (answer: keyof typeof answers, until: object, metadata: object) => {
    const { endpoint, id, did, link } = await delivered(answer, until)
    await remove(endpoint)
    const recorded = expect.objectContaining({ ...metadata, duration_ms: expect.any(Number) })
    return did(id, { ...system, ...within(link), more: { metadata: recorded } })
  }
  return {
    'webhook.delivered': [() => attempted('/well', { status: 'succeeded' }, { attempt: 1, response_status: 200 })],
    'webhook.attempt_failed': [() => attempted('/gone', { status: 'failed' }, { attempt: 1, response_status: 410 })],
    'webhook.exhausted': [() => attempted('/broken', { status: 'exhausted' }, { attempt: 5, response_status: 500 })],
  }
}

function ofDeliveries({ by }: AuditWorld, { endpoint, remove, delivered }: Actions): Causes {
  /** Acts on a delivery manually. */
  const about = async (answer: keyof typeof answers, until: object, act: (path: string) => Promise<Deed>) => {
    const { endpoint: of, id, link } = await delivered(answer, until)
    const happening = (await act(`/api/webhook-deliveries/${id}`)).did(id, within(link))
    await remove(of)
    return happening
  }
  const tested = async () => {
    const { id } = await endpoint('/well')
    const deed = await by('second', 'POST', `/api/webhooks/${id}/test`)
    await remove(id)
    return { endpoint: id, deed, delivery: deed.body.data.id as string }
  }
  const waiting = { status: 'pending', attempt_count: 1 }
  return {
    'webhook.test': [
      async () => {
        const { endpoint: id, deed } = await tested()
        return deed.did(id)
      },
    ],
    'webhook.requested': [
      async () => {
        const { deed, delivery } = await tested()
        return deed.did(delivery)
      },
    ],
    'webhook.redelivered': [
      () => about('/well', { status: 'succeeded' }, path => by('second', 'POST', `${path}/redeliver`)),
    ],
    'webhook.cancelled': [() => about('/later', waiting, path => by('second', 'PUT', path, { status: 'cancelled' }))],
    'webhook.deleted': [() => about('/well', { status: 'succeeded' }, path => by('second', 'DELETE', path))],
  }
}
