import { setImmediate as turn } from 'node:timers/promises'
import { nodeDisk, type SpoolDisk } from '../src/spool/spool-disk.ts'
import type { SpooledCall } from '../src/spool/spooled-call.ts'

/** A broker that can be unavailable and remembers what it confirmed. */
export function fakeBroker() {
  let inFlight = 0
  const broker = {
    away: false,
    shipped: [] as SpooledCall[],
    messages: 0,
    /** The turns of the event loop until it confirms a message. */
    turnsToConfirm: 1,
    mostInFlight: 0,
    ids: () => broker.shipped.map(({ request_id }) => request_id),
    publish: async (calls: readonly SpooledCall[]) => {
      if (broker.away) throw new Error('RabbitMQ is away')
      broker.mostInFlight = Math.max(broker.mostInFlight, ++inFlight)
      for (let turns = broker.turnsToConfirm; turns > 0; turns--) await turn()
      inFlight--
      broker.messages++
      broker.shipped.push(...calls)
    },
  }
  return broker
}

/** A disk that can be full (it takes the first bytes of a write) or fail a number of syncs. */
export function faultyDisk() {
  const disk = {
    ...nodeDisk,
    full: false,
    failingSyncs: 0,
    syncs: 0,
    write(...[fd, bytes, offset, position]: Parameters<SpoolDisk['write']>) {
      if (!disk.full) return nodeDisk.write(fd, bytes, offset, position)
      if (offset > 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return nodeDisk.write(fd, bytes.subarray(0, 20), 0, position)
    },
    async sync(fd: number) {
      disk.syncs++
      if (disk.failingSyncs-- > 0) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
      disk.failingSyncs = 0
      await nodeDisk.sync(fd)
    },
  }
  return disk
}

/** A disk that tracks what would remain of each file after a power failure. */
export function powerLossDisk() {
  const files: { path: string; size: number; synced: number; named: boolean }[] = []
  const open = new Map<number, (typeof files)[number]>()
  let syncs = 0
  const disk: SpoolDisk = {
    ...nodeDisk,
    create(path) {
      const fd = nodeDisk.create(path)
      const file = { path, size: 0, synced: 0, named: false }
      files.push(file)
      open.set(fd, file)
      return fd
    },
    write(fd, bytes, offset, position) {
      const written = nodeDisk.write(fd, bytes, offset, position)
      Object.assign(open.get(fd) ?? {}, { size: position + written })
      return written
    },
    async sync(fd) {
      const file = open.get(fd)
      const synced = file?.size
      // Every other sync is slow, so that the sync of the next file can overtake it.
      for (let turns = syncs++ % 2 ? 30 : 1; turns > 0; turns--) await turn()
      Object.assign(file ?? {}, { synced })
    },
    async syncDirectory() {
      const created = [...files]
      await turn()
      for (const file of created) file.named = true
    },
  }
  return { disk, durableFiles: () => files.filter(({ named }) => named) }
}
