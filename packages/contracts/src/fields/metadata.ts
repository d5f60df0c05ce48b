import { z } from 'zod'

const maxKeys = 50
const maxBytes = 16 * 1024
const maxLevels = 5

/** The merchant's JSON object: at most 50 keys at the top, 16 KiB, five levels below the root. */
export const metadata = z
  .record(z.string(), z.json())
  .superRefine(rejectUnbounded)
  .meta({
    id: 'Metadata',
    description: "The merchant's own data: at most 50 keys at the top, 16 KiB, five levels below the root.",
    examples: [{ plan: 'gold' }],
  })

export type Metadata = z.output<typeof metadata>

/** Adds an issue where a free-form object is larger or deeper than metadata may be. */
export function rejectUnbounded(value: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  const message = boundExceeded(value)
  if (message) context.addIssue({ code: 'custom', message })
}

function boundExceeded(value: Record<string, unknown>): string | undefined {
  if (Object.keys(value).length > maxKeys) return `expected at most ${maxKeys} keys`
  if (hasRoundedInteger(value)) return 'expected whole numbers up to 9007199254740991: longer ones as text'
  if (levelsBelow(value) > maxLevels) return `expected at most ${maxLevels} levels below the root`
  if (new TextEncoder().encode(JSON.stringify(value)).length > maxBytes)
    return `expected at most ${maxBytes / 1024} KiB`
  return undefined
}

function levelsBelow(value: object): number {
  const children = Object.values(value).filter(child => typeof child === 'object' && child !== null)
  return children.length === 0 ? 0 : 1 + Math.max(...children.map(levelsBelow))
}

/** Whether an integer is beyond the safe range of JavaScript, so that parsing has changed it. */
function hasRoundedInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRoundedInteger)
}
