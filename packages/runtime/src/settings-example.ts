import type { z } from 'zod'

/**
 * Writes down a service's settings as an environment file: what each is for, those that are required empty, the others
 * as comments with their defaults. The words are the schema's own descriptions; a setting without one is an error.
 */
export function settingsExample(service: string, settings: z.ZodObject): string {
  const entries = Object.entries(settings.shape as Record<string, z.ZodType>)
  const lines = entries.flatMap(([name, schema]) => {
    const words = schema.description
    if (!words) throw new Error(`The setting ${name} of ${service} is not described.`)
    const fallback = defaultOf(schema)
    const assignment = fallback === undefined ? `${name}=` : `# ${name}=${fallback}`
    return [`# ${words}`, assignment, '']
  })
  return [`# Settings of ${service}. What is commented out shows its default.`, '', ...lines]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/** A default as it would be written; an empty text for a setting that may be left out and then means nothing. */
function defaultOf(schema: z.ZodType): string | undefined {
  const { type, defaultValue } = schema.def as unknown as { type: string; defaultValue?: unknown }
  if (type === 'optional') return ''
  if (type !== 'default' && type !== 'prefault') return undefined
  return Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue)
}
