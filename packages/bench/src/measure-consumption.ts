import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '@cobro/local-stack'
import { cpuTimeUs } from './cpu-time.ts'

interface Consumption {
  service: ServiceProcess
  signal: AbortSignal
  /** Queues this many messages. */
  publish: (count: number) => Promise<void>
  waveSize: number
  /** Counts the messages that the service has handled. */
  handled: () => Promise<number>
  total: number
  /** Messages before the measurement, during which the code compiles and the prefetch rises. */
  warmUp: number
}

/** Queues messages for a stopped service, starts it, and returns its rate after the warm-up. */
export async function measureConsumption(load: Consumption): Promise<{ perSecond: number; cpuUs: number }> {
  const { service, signal, publish, waveSize, handled, total, warmUp } = load
  const untilHandled = async (count: number) => {
    while ((await handled()) < count) {
      signal.throwIfAborted()
      await sleep(20)
    }
  }
  await service.stop()
  const before = await handled()
  for (let sent = 0; sent < total; sent += waveSize) {
    signal.throwIfAborted()
    await publish(Math.min(waveSize, total - sent))
  }
  await service.start()
  await untilHandled(before + warmUp)
  const [fromCount, fromMs, fromCpu] = [await handled(), performance.now(), cpuTimeUs(service.pid)]
  await untilHandled(before + total)
  const [count, seconds] = [before + total - fromCount, (performance.now() - fromMs) / 1000]
  return { perSecond: count / seconds, cpuUs: (cpuTimeUs(service.pid) - fromCpu) / count }
}
