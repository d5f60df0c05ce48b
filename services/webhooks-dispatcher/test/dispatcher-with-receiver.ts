import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import type { Config } from '../src/config.ts'
import { dispatcherWorld, startReplica } from './dispatcher-service.ts'
import { startReceiver } from './test-receiver.ts'

/** The responses of the merchant's server, and settings of the service. */
type WorldOptions = Partial<Config> & { answer?: Parameters<typeof startReceiver>[0] }
type Replica = Awaited<ReturnType<typeof startReplica>>
export type Endpoint = Awaited<ReturnType<typeof subscribeAt>>

/** Creates a test world with the server of a merchant. Starts no replica. */
export async function worldWithReceiver({ answer, ...settings }: WorldOptions = {}) {
  const receiver = await startReceiver(answer)
  const world = await dispatcherWorld(settings)
  await waitFor(() => world.connected())
  const replica = (changes: Partial<Config> = {}) => startReplica({ ...world, config: { ...world.config, ...changes } })
  const subscribe = (service: Replica, wanted: Wanted = {}) => subscribeAt(receiver.url, service, wanted)
  return {
    world,
    receiver,
    /** Starts a replica with its own settings. */
    replica,
    /** Creates an endpoint. */
    subscribe,
    /** Creates an endpoint through a replica that is then stopped. */
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

/** Creates a test world with the server of a merchant and one replica. */
export async function dispatcherWithReceiver(options: WorldOptions = {}) {
  const { world, receiver, replica, subscribe } = await worldWithReceiver(options)
  const service = await replica()
  return {
    world,
    receiver,
    service,
    subscribed: (wanted?: Wanted) => subscribe(service, wanted),
    stop: async () => {
      // Stops the receiver first, so that no request hangs.
      await receiver.stop()
      await service.stop()
      await world.stop()
    },
  }
}

/** An endpoint to create. By default it has a new merchant, its own path and all events. */
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
