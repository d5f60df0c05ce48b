import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import type { Config } from '../src/config.ts'
import { dispatcherWorld, startReplica } from './dispatcher-service.ts'
import { startReceiver } from './webhook-receiver.ts'

/** What the merchant's server answers, beside the settings of the service. */
type Surroundings = Partial<Config> & { answer?: Parameters<typeof startReceiver>[0] }
type Replica = Awaited<ReturnType<typeof startReplica>>
export type Endpoint = Awaited<ReturnType<typeof subscribeAt>>

/** The world of the service with a merchant's server in it. No replica runs yet. */
export async function worldWithReceiver({ answer, ...settings }: Surroundings = {}) {
  const receiver = await startReceiver(answer)
  const world = await dispatcherWorld(settings)
  await waitFor(() => world.connected())
  const replica = (changes: Partial<Config> = {}) => startReplica({ ...world, config: { ...world.config, ...changes } })
  const subscribe = (service: Replica, wanted: Wanted = {}) => subscribeAt(receiver.url, service, wanted)
  return {
    world,
    receiver,
    /** Starts one with settings of its own. */
    replica,
    /** Makes an endpoint. */
    subscribe,
    /** Makes an endpoint by a replica that is stopped again: what follows is left to the others. */
    subscribed: async (wanted: Wanted = {}, changes: Partial<Config> = {}) => {
      const once = await replica(changes)
      const endpoint = await subscribe(once, wanted)
      await once.stop()
      return endpoint
    },
    stop: async () => {
      await world.stop()
      await receiver.stop()
    },
  }
}

/** The service with one replica, and a merchant's server that it sends to. */
export async function dispatcherWithReceiver(surroundings: Surroundings = {}) {
  const { world, receiver, replica, subscribe } = await worldWithReceiver(surroundings)
  const service = await replica()
  return {
    world,
    receiver,
    service,
    subscribed: (wanted?: Wanted) => subscribe(service, wanted),
    stop: async () => {
      // First, so that nothing hangs any more.
      await receiver.stop()
      await service.stop()
      await world.stop()
    },
  }
}

/** Of an endpoint; what is left out is a new merchant, a path of its own, and all events. */
export interface Wanted {
  merchant?: ReturnType<typeof keyCaller>
  path?: string
  events?: string[]
}

async function subscribeAt(server: string, service: Replica, wanted: Wanted) {
  const { merchant = keyCaller(), path = `/${newId('req')}`, events = ['*'] } = wanted
  const { status, body } = await service.call(merchant, 'POST', '/api/webhooks', { url: server + path, events })
  expect(status).toBe(201)
  return { merchant, path, id: body.id as string, secret: body.secret as string }
}
