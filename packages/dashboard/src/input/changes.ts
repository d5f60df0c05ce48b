import type { Metadata } from '@cobro/sdk/admin'

/** Texts that were changed; `null` for one that was emptied. */
export type TextChanges<Name extends string> = Partial<Record<Name, string | null>>

/** Returns the texts that differ from those that are stored, with `null` for one that was emptied. */
export function changedTexts<Name extends string>(
  stored: Readonly<Record<Name, string>>,
  typed: Readonly<Record<Name, string>>,
): TextChanges<Name> {
  const changed = (Object.keys(typed) as Name[]).filter(name => typed[name].trim() !== stored[name])
  return Object.fromEntries(changed.map(name => [name, typed[name].trim() || null])) as TextChanges<Name>
}

/** Returns the object that a text in JSON describes, `null` for an empty text, and undefined for anything else. */
export function metadataOf(text: string): Metadata | null | undefined {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined
  } catch {
    return undefined
  }
}
