import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningStack, type StackOptions, startStack } from '@cobro/local-stack'
import { startDedicatedServers } from '@cobro/local-stack/dedicated-servers'

/** A running system with its own PostgreSQL and RabbitMQ, which a test may stop and kill. */
export interface StackOnOwnServers extends RunningStack {
  dir: string
  servers: Awaited<ReturnType<typeof startDedicatedServers>>
}

export async function stackOnOwnServers(options: Pick<StackOptions, 'services' | 'env'>): Promise<StackOnOwnServers> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const dir = await mkdtemp(join(tmpdir(), 'cobro-acceptance-'))
    stops.push(() => rm(dir, { recursive: true, force: true }))
    const servers = await startDedicatedServers()
    stops.push(servers.close)
    const { postgres, rabbitmq } = servers
    // As long as in the tests on shared servers, where a slow machine must not fail a call either.
    const postgresUrl = `${postgres.url}?connect_timeout=20`
    const { url: amqpUrl, apiUrl: rabbitmqApiUrl } = rabbitmq.running()
    const running = await startStack({ dir, postgresUrl, amqpUrl, rabbitmqApiUrl, ...options })
    stops.push(running.stop)
    return { ...running, dir, servers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
