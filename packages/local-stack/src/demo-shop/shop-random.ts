import { createHash } from 'node:crypto'
import { type Id, type IdPrefix, lowestId } from '@cobro/contracts'

/** Enough for the choices of one order, and more. */
const streamBytes = 2_048
const idDigits = '0123456789abcdefghjkmnpqrstvwxyz'

/** Choices that are the same each time for a seed and a label. */
export interface ShopRandom {
  /** A number from 0 to 1, exclusive. */
  next: () => number
  /** A number between two others, the second exclusive. */
  between: (low: number, high: number) => number
  /** Whether something happens that has a probability. */
  happens: (probability: number) => boolean
  /** One of some values, each as likely. */
  pick: <T>(values: readonly T[]) => T
  /** One of some values by their weights. */
  weighted: <T>(values: readonly (readonly [value: T, weight: number])[]) => T
  digits: (count: number) => string
  /** An id of that time. As hard to guess as the seed. */
  id: <P extends IdPrefix>(prefix: P, at: number) => Id<P>
}

/** Returns the choices of a label, from a stream of bytes that SHAKE256 makes of it and the seed. */
export function shopRandom(seed: string, label: string): ShopRandom {
  const stream = createHash('shake256', { outputLength: streamBytes }).update(`${seed} ${label}`).digest()
  let used = 0
  const next = () => {
    const value = stream.readUInt32BE(used) / 2 ** 32
    used += 4
    return value
  }
  const between = (low: number, high: number) => low + next() * (high - low)
  const pick = <T>(values: readonly T[]) => values[Math.floor(next() * values.length)] as T
  const weighted = <T>(values: readonly (readonly [T, number])[]) => {
    let rest = next() * values.reduce((sum, [, weight]) => sum + weight, 0)
    const found = values.find(([, weight]) => {
      rest -= weight
      return rest < 0
    })
    return (found ?? values[0])?.[0] as T
  }
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(next() * 10)).join('')
  const id = <P extends IdPrefix>(prefix: P, at: number) =>
    `${lowestId(prefix, at).slice(0, -16)}${Array.from({ length: 16 }, () => idDigits.charAt(next() * 32)).join('')}` as Id<P>
  return { next, between, happens: probability => next() < probability, pick, weighted, digits, id }
}
