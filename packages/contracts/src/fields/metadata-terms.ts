import { z } from 'zod'
import type { Metadata } from './metadata.ts'

const maxSegments = 5
const maxText = 200
const segment = /^[A-Za-z0-9_-]+$/
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** The path to a scalar field of metadata: names joined by dots, at most five. */
export const metadataPath = z.string().refine(isPath, { error: 'expected names joined by dots, at most 5' })

/** The text form of a scalar, as JavaScript prints it. */
export const metadataText = z
  .string()
  .max(maxText, { error: `expected at most ${maxText} characters` })
  .refine(text => text.isWellFormed() && !text.includes('\0'), { error: 'expected well-formed text' })

function isPath(path: string): boolean {
  const names = path.split('.')
  return names.length <= maxSegments && names.every(name => segment.test(name) && !forbidden.has(name))
}

/** Returns the search term of a metadata field. */
export function metadataTerm(path: string, text: string): string {
  return `${path}=${text}`
}

/** Returns the search terms of all scalar metadata fields whose path and length can be searched. */
export function metadataTerms(metadata: Metadata | null | undefined): string[] {
  return [...termsBelow(metadata ?? {}, [])]
}

function* termsBelow(object: object, above: string[]): Generator<string> {
  for (const [name, value] of Object.entries(object)) {
    const path = [...above, name]
    if (!segment.test(name) || forbidden.has(name) || path.length > maxSegments) continue
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) yield* termsBelow(value, path)
    else if (!Array.isArray(value) && String(value).length <= maxText) yield metadataTerm(path.join('.'), String(value))
  }
}
