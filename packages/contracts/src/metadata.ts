import { z } from 'zod'

const maxKeys = 50
const maxBytes = 16 * 1024
const maxLevels = 5

/** A JSON object of the merchant's own: at most 50 keys at the top, 16 KiB, five levels below the root. */
export const metadata = z.record(z.string(), z.json()).superRefine(refuseUnbounded)

export type Metadata = z.output<typeof metadata>

/** Adds a fault where an object that a merchant may fill as it likes is larger or deeper than metadata may be. */
export function refuseUnbounded(value: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  const fault = faultOf(value)
  if (fault) context.addIssue({ code: 'custom', message: fault })
}

function faultOf(value: Record<string, unknown>): string | undefined {
  if (Object.keys(value).length > maxKeys) return `expected at most ${maxKeys} keys`
  if (holdsRounded(value)) return 'expected whole numbers up to 9007199254740991: longer ones as text'
  if (levelsBelow(value) > maxLevels) return `expected at most ${maxLevels} levels below the root`
  if (new TextEncoder().encode(JSON.stringify(value)).length > maxBytes)
    return `expected at most ${maxBytes / 1024} KiB`
  return undefined
}

function levelsBelow(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children = Object.values(value).filter(child => typeof child === 'object' && child !== null)
  return children.length === 0 ? 0 : 1 + Math.max(...children.map(levelsBelow))
}

/** Whether a whole number is beyond what JavaScript tells apart: the one that was sent has been changed in reading it. */
function holdsRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}
