import { AsyncLocalStorage } from 'node:async_hooks'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Tx } from './transaction.ts'

/** What the first write of some work does beside its own. */
interface FirstWrite {
  orm: MikroORM
  onBegin: (tx: Tx) => Promise<void>
  begun: boolean
}

const storage = new AsyncLocalStorage<FirstWrite>()

/** Runs `work`, whose first write to this database also runs `onBegin`. */
export function withFirstWrite<T>({ orm, onBegin }: Omit<FirstWrite, 'begun'>, work: () => Promise<T>): Promise<T> {
  return storage.run({ orm, onBegin, begun: false }, work)
}

/** Carries out a write, with `onBegin` if it is the first one or if the first ones have failed. */
export async function asFirstWrite<T>(
  orm: MikroORM,
  write: (onBegin?: FirstWrite['onBegin']) => Promise<T>,
): Promise<T> {
  const first = storage.getStore()
  if (first?.orm !== orm || first.begun) return write()
  first.begun = true
  try {
    return await write(first.onBegin)
  } catch (error) {
    first.begun = false
    throw error
  }
}
