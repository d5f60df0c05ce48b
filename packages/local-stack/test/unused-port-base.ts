import { freePortBase } from '../src/machine/free-port.ts'

const offsets = Array.from({ length: 100 }, (_, offset) => offset)

/** Returns a base with all of a stack's ports free. Other tests may take ports from 20000 on. */
export const unusedPortBase = (): Promise<number> => freePortBase(offsets, { lowest: 10_100, highest: 19_000 })
